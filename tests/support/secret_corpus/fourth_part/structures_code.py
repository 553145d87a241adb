"""Secrets in program code of many languages."""

from __future__ import annotations

TEMPLATE = r"""
§§ python code | An assignment or argument with a value in plain text
§ app/settings.py
DEBUG = False
SECRET_KEY = "⟦‹generated 50›⟧"
DATABASES = {"default": {"NAME": "shop", "USER": "shop", "PASSWORD": "⟦‹password›⟧", "HOST": "10.0.0.8"}}
§ etl/load.py
import psycopg2

conn = psycopg2.connect(host="dwh", dbname="facts", user="etl", password="⟦‹password›⟧")
§ scrape/session.py
session.post(LOGIN_URL, data={"user": "nora", "passwd": "⟦‹password›⟧"})
ENCRYPTION_KEY = b"⟦‹bytes64 32›⟧"

§§ javascript code | An assignment or argument with a value in plain text
§ server/index.js
const pool = mysql.createPool({ host: "db", user: "web", password: "⟦‹password›⟧", database: "web" });
app.use(session({ secret: "⟦‹alnum 32›⟧", resave: false }));
§ src/auth.ts
const JWT_SECRET: string = "⟦‹alnum 40›⟧";
export const sign = (id: string) => jwt.sign({ id }, JWT_SECRET);

§§ java and kotlin code | An assignment or argument with a value in plain text
§ src/main/java/Db.java
public final class Db {
    private static final String DB_PASSWORD = "⟦‹password›⟧";
    static Connection open() throws SQLException {
        return DriverManager.getConnection("jdbc:mysql://db/shop", "shop", DB_PASSWORD);
    }
}
§ app/build.gradle.kts
signingConfigs {
    create("release") {
        storeFile = file("upload.jks")
        storePassword = "⟦‹password›⟧"
        keyPassword = "⟦‹password›⟧"
    }
}

§§ go and rust code | An assignment or argument with a value in plain text
§ cmd/worker/main.go
client := redis.NewClient(&redis.Options{
    Addr:     "cache:6379",
    Password: "⟦‹password›⟧",
})
§ src/config.rs
pub const API_SECRET: &str = "⟦‹alnum 40›⟧";

§§ c sharp and powershell code | An assignment or argument with a value in plain text
§ Services/Mail.cs
smtp.Credentials = new NetworkCredential("robot@lumen.example", "⟦‹password›⟧");
§ scripts/join.ps1
$password = ConvertTo-SecureString "⟦‹password›⟧" -AsPlainText -Force
$cred = New-Object System.Management.Automation.PSCredential("LUMEN\svc-join", $password)
Add-Computer -DomainName lumen.local -Credential $cred

§§ php and ruby code | An assignment or argument with a value in plain text
§ wp-config.php
<?php
define( 'DB_USER', 'wp' );
define( 'DB_PASSWORD', '⟦‹password›⟧' );
define( 'AUTH_KEY', '⟦‹generated 64›⟧' );
define( 'NONCE_SALT', '⟦‹generated 64›⟧' );
§ lib/ftp.php
<?php
$ftp_user = 'web7';
$ftp_pass = '⟦‹password›⟧';
ftp_login($conn, $ftp_user, $ftp_pass);
§ config/deploy.rb
set :user, "deploy"
set :password, "⟦‹password›⟧"

§§ c and arduino code | An assignment or define with a value in plain text
§ firmware/main.ino
const char* ssid = "Workshop";
const char* password = "⟦‹password›⟧";
void setup() { WiFi.begin(ssid, password); }
§ include/secrets.h
#define WIFI_PASS "⟦‹password›⟧"
#define MQTT_PASSWORD "⟦‹password›⟧"

§§ other languages | An assignment or argument with a value in plain text
§ analysis/report.R
con <- dbConnect(RPostgres::Postgres(), user = "report", password = "⟦‹password›⟧", host = "dwh")
§ bin/import.pl
my $password = '⟦‹password›⟧';
my $dbh = DBI->connect("DBI:mysql:shop;host=db", "shop", $password);
§ Sources/Api.swift
enum Api {
    static let clientSecret = "⟦‹alnum 40›⟧"
}
§ config/prod.secret.exs
import Config
config :shop, ShopWeb.Endpoint, secret_key_base: "⟦‹b64 64›⟧"
§ lua/sync.lua
local config = { host = "sync.lumen.example", user = "nora", password = "⟦‹password›⟧" }

§§ notebook and script output | Values in cells and variables of notebooks and scripts
§ analysis/crm.ipynb
{"cells": [{"cell_type": "code", "source": ["db_user = 'report'\n", "db_password = '⟦‹password›⟧'\n"], "outputs": []}]}
§ macros/export.bas
Const DB_PASSWORD As String = "⟦‹alnum 16›⟧"
conn.Open "Provider=SQLOLEDB;Data Source=sql3;User ID=report;Password=" & DB_PASSWORD
§ fabfile.py
env.hosts = ["web1.lumen.example"]
env.user = "root"
env.password = "⟦‹password›⟧"
§ flows/ingest.scala
val props = Map("user" -> "etl", "password" -> "⟦‹password›⟧", "driver" -> "org.postgresql.Driver")
§ e2e/cypress.env.json
{"baseUrl": "https://shop.lumen.example", "adminUser": "nora", "adminPassword": "⟦‹password›⟧"}
§ collections/shop.postman_environment.json
{"values": [{"key": "host", "value": "api.lumen.example"},
 {"key": "api_secret", "value": "⟦‹alnum 40›⟧", "type": "secret"}]}
§ lib/mailer.dart
final server = SmtpServer('smtp.lumen.example', username: 'robot', password: '⟦‹password›⟧');
§ etc/nix/backup.nix
{ services.postgresql.initialScript = "ALTER USER app PASSWORD '⟦‹alnum 18›⟧';"; }
"""
