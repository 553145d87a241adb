"""Secrets written into program text of many languages, queries and notebooks."""

TEMPLATE = r"""
§§ assignments in python and ruby | a variable named as a password gets a literal
§ legacy/sync.py
FTP_HOST = "ftp.example.com"
FTP_USER = "uploader"
FTP_PASS = "⟦‹password›⟧"

with ftplib.FTP(FTP_HOST) as ftp:
    ftp.login(FTP_USER, FTP_PASS)
§ jobs/report.py
conn = psycopg2.connect(host="db2", dbname="sales", user="report", password="⟦‹password›⟧", connect_timeout=5)
§ config/initializers/session.rb
Rails.application.config.secret_token = '⟦‹hex 64›⟧'
Sidekiq::Web.use Rack::Auth::Basic do |user, pass|
  user == 'ops' && pass == '⟦‹password›⟧'
end
§ settings.py
DATABASES = {"default": {"ENGINE": "django.db.backends.mysql", "USER": "site", "PASSWORD": "⟦‹password›⟧"}}
EMAIL_HOST_PASSWORD = "⟦‹generated›⟧"
§ tests/conftest.py
import os
os.environ["SERVICE_TOKEN"] = "⟦‹hex 40›⟧"
os.environ.setdefault("ADMIN_PASSWORD", "⟦‹password›⟧")
§§ assignments in javascript and typescript | a property named as a secret gets a literal
§ server/session.js
app.use(session({
  secret: '⟦‹alnum 28›⟧',
  resave: false,
  cookie: { maxAge: 86400000 },
}));
§ src/db.ts
export const pool = new Pool({ host: "10.0.3.8", user: "api", password: "⟦‹password›⟧", database: "api", max: 20 });
§ ecosystem.config.js
module.exports = { apps: [{ name: 'web', script: 'dist/main.js', env: { JWT_SECRET: '⟦‹alnum 40›⟧', PORT: 3000 } }] };
§ src/api.js
const headers = { 'x-api-key': '⟦‹alnum 40›⟧', 'content-type': 'application/json' };
fetch(`${BASE}/v2/orders`, { headers });
§ cypress/login.cy.ts
cy.get('#email').type('qa@example.com');
cy.get('#password').type('⟦‹password›⟧', { log: false });
§§ assignments in compiled languages | a constant or argument named as a secret gets a literal
§ internal/store/store.go
const (
	dbUser     = "inventory"
	dbPassword = "⟦‹password›⟧"
)
§ src/config.rs
pub const SIGNING_KEY: &str = "⟦‹alnum 44›⟧";
pub const TIMEOUT: u64 = 30;
§ Mailer.java
props.put("mail.smtp.auth", "true");
return new PasswordAuthentication("robot@example.org", "⟦‹password›⟧");
§ Db.cs
private const string Password = "⟦‹password›⟧";
var builder = new SqlConnectionStringBuilder { DataSource = "sql01", UserID = "crm", Password = "⟦‹alnum 16›⟧" };
§ firmware/wifi.h
#define WIFI_SSID "Lager"
#define WIFI_PASSWORD "⟦‹password›⟧"
#define MQTT_TOKEN "⟦‹alnum 20›⟧"
§ App.swift
let apiSecret = "⟦‹alnum 36›⟧"
static let keychainPassword: String = "⟦‹password›⟧"
§§ assignments in scripting and other languages | a variable named as a secret gets a literal
§ wp-config.php
define( 'DB_NAME', 'blog' );
define( 'DB_PASSWORD', '⟦‹password›⟧' );
define( 'AUTH_KEY',    '⟦‹wild 64›⟧' );
§ backup.pl
my %db = (dsn => 'dbi:Pg:dbname=crm', user => 'crm', password => '⟦‹password›⟧');
§ ops/Connect.ps1
$secure = ConvertTo-SecureString '⟦‹generated›⟧' -AsPlainText -Force
$cred = New-Object System.Management.Automation.PSCredential ('OFFICE\svc-backup', $secure)
§ config/runtime.exs
config :shop, ShopWeb.Endpoint,
  secret_key_base: "⟦‹b64 64›⟧",
  http: [port: 4000]
§ scripts/load.lua
local conn = env:connect("game", "gameuser", "⟦‹password›⟧", "127.0.0.1", 3306) -- db, user, password
local redis_password = "⟦‹alnum 22›⟧"
§ Settings.scala
object Settings { val keystorePassword = "⟦‹password›⟧"; val retries = 3 }
§ macro.vbs
Const DB_PWD = "⟦‹password›⟧"
cn.Open "Provider=SQLOLEDB;Data Source=sql01;User ID=sa;Password=" & DB_PWD
§§ queries that set passwords | SQL statements that create users or store credentials
§ db/01-users.sql
CREATE USER reporting WITH LOGIN PASSWORD '⟦‹password›⟧';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reporting;
§ mysql/init.sql
CREATE USER 'shop'@'%' IDENTIFIED BY '⟦‹password›⟧';
ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '⟦‹generated›⟧';
§ mssql/login.sql
CREATE LOGIN crm_app WITH PASSWORD = N'⟦‹password›⟧', CHECK_POLICY = OFF;
GO
§ seed.sql
INSERT INTO integrations (id, name, api_secret, enabled) VALUES
  (1, 'erp', '⟦‹alnum 40›⟧', true);
§ snowflake/stage.sql
CREATE STAGE raw URL='s3://acme-raw/' CREDENTIALS=(AWS_KEY_ID='AKIA‹base32 16›' AWS_SECRET_KEY='⟦‹b64 40›⟧');
§§ notebooks | cells and outputs with credentials
§ analysis/churn.ipynb
{"cells": [{"cell_type": "code", "metadata": {}, "execution_count": 1, "outputs": [],
 "source": ["engine = create_engine(\"postgresql://analyst:⟦‹alnum 18›⟧@warehouse:5432/dwh\")\n",
 "df = pd.read_sql(q, engine)"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
§ analysis/api.ipynb
{"cells": [{"cell_type": "code", "metadata": {}, "execution_count": 7, "source": ["print(session.headers)"],
 "outputs": [{"name": "stdout", "output_type": "stream",
 "text": ["{'User-Agent': 'python-requests/2.31.0', 'Authorization': 'Bearer ⟦‹jwt analyst›⟧'}\n"]}]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
§ analysis/mail.ipynb
{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null,
 "source": ["password = '⟦‹password›⟧'\n", "server.login('bot@example.com', password)\n"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
§§ connection strings | URLs and key-value strings with a user and a password
§ celeryconfig.py
broker_url = "amqp://worker:⟦‹alnum 20›⟧@mq.internal:5672/jobs"
result_backend = "redis://:⟦‹alnum 24›⟧@cache.internal:6379/2"
§ sqlalchemy.md
engine = create_engine("mssql+pyodbc://etl:⟦‹quote ‹password››⟧@sql01/Dwh?driver=ODBC+Driver+18+for+SQL+Server")
§ k6/load.js
const BASE = 'https://tester:⟦‹alnum 14›⟧@staging.example.org/api';
§ jdbc.txt
jdbc:oracle:thin:scott/⟦‹alnum 12›⟧@//ora1.example.org:1521/ORCLPDB1
jdbc:mysql://db:3306/shop?user=shop&password=⟦‹alnum 18›⟧&useSSL=true
§ mqtt.yaml
server: mqtts://sensor-hub:⟦‹alnum 16›⟧@broker.example.org:8883
ftp_mirror: ftp://mirror:⟦‹alnum 12›⟧@files.example.org/pub
§§ request files and headers | Authorization headers and cookies
§ requests/orders.http
GET https://api.example.org/orders
Authorization: Basic ⟦‹base64 shop:‹alnum 18››⟧
Accept: application/json
§ curl.txt
> GET /v1/me HTTP/2
> host: api.example.org
> authorization: Bearer ⟦‹alnum 64›⟧
> cookie: sessionid=⟦‹lower 32›⟧; theme=dark
§ insomnia.json
{"_type": "request", "url": "https://api.example.org/v1/jobs", "method": "POST",
 "headers": [{"name": "X-Auth-Token", "value": "⟦‹alnum 48›⟧"}, {"name": "Accept", "value": "*/*"}]}
§ postman_environment.json
{"name": "prod", "values": [{"key": "base_url", "value": "https://api.example.org", "enabled": true},
 {"key": "client_secret", "value": "⟦‹alnum 40›⟧", "type": "secret", "enabled": true}]}
§ callback.log
GET /oauth/cb?state=‹number 1 99›&access_token=⟦‹alnum 64›⟧&token_type=bearer HTTP/1.1 302
§§ comments in code | a remark that gives a password away
§ deploy.py
# login for the staging box: admin / ⟦‹password›⟧
HOSTS = ["stage1", "stage2"]
§ Reader.java
/*
 * Test account for the sandbox:
 *   user: qa-reader
 *   password: ⟦‹password›⟧
 */
class Reader {}
§ page.html
<!-- TODO remove before launch: cms password is ⟦‹password›⟧ -->
<form action="/login" method="post"></form>
"""
