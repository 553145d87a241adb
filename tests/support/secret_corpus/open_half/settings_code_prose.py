"""Secrets in headers, settings, code and prose."""

TEMPLATE = r"""
§§ cisco-config | Network devices: enable password, SNMP community and PSK
§ network/switch1.cfg
hostname switch1
enable password ⟦‹password›⟧
username admin privilege 15 password 0 ⟦‹password›⟧
§ network/fw.cfg
crypto isakmp key ⟦‹password›⟧ address 203.0.113.9
§§ code-comment | Secrets in comments
§ src/login.py
# TODO remove: admin password is ⟦‹password›⟧
def login(user, password):
    return check(user, password)
§ app.js
// pw for staging: ⟦‹password›⟧
connect();
§ query.sql
-- login: report / password: ⟦‹password›⟧
SELECT 1;
§§ code-java | Java, Kotlin and C#: secrets in fields and calls
§ src/main/java/Mail.java
private static final String SMTP_PASSWORD = "⟦‹password›⟧";
§ app/Api.kt
const val API_KEY = "⟦‹alnum 40›⟧"
§ Startup.cs
options.ClientSecret = "⟦‹generated 32›⟧";
§ Db.java
dataSource.setPassword("⟦‹password›⟧");
§§ code-php | PHP: define, arrays and constructors
§ wp-config.php
define('DB_USER', 'wordpress');
define('DB_PASSWORD', '⟦‹password›⟧');
define('AUTH_KEY', '⟦‹wild 64›⟧');
§ config.php
$config['db_pass'] = '⟦‹password›⟧';
§ index.php
$pdo = new PDO('mysql:host=localhost;dbname=shop', 'shop', '⟦‹password›⟧');
§§ code-python-assignment | Python: a string assigned to a variable
§ app/db.py
HOST = "db.example.com"
DB_PASSWORD = "⟦‹password›⟧"
§ bot.py
class Settings:
    api_key: str = "⟦‹alnum 40›⟧"
    retries: int = 3
§ legacy/ftp.py
passwd = '⟦‹password›⟧'
ftp.login("upload", passwd)
§ app/config.py
config["smtp"]["password"] = "⟦‹password›⟧"
§§ code-rust-c | Rust, C and Swift: secrets in constants
§ src/main.rs
const API_TOKEN: &str = "⟦‹alnum 40›⟧";
§ firmware/wifi.h
#define WIFI_SSID "workshop"
#define WIFI_PASSWORD "⟦‹password›⟧"
§ Sources/Keys.swift
static let clientSecret = "⟦‹alnum 40›⟧"
§§ dockerfile-env | Dockerfile: ENV and ARG with secrets
§ Dockerfile
FROM python:3.12
ENV APP_ENV=production \
    REDIS_PASSWORD=⟦‹generated 20›⟧
CMD ["python", "app.py"]
§ docker/build.Dockerfile
FROM node:20
ARG NPM_AUTH_TOKEN=⟦‹alnum 36›⟧
RUN npm ci
§ images/ldap/Dockerfile
FROM osixia/openldap
ENV LDAP_ADMIN_PASSWORD ⟦‹password›⟧
§§ dotenv-generic | .env files with secrets of the project's own
§ .env
PORT=3000
JWT_SECRET=⟦‹alnum 40›⟧
ENCRYPTION_KEY=⟦‹hex 64›⟧
§ server/.env.staging
ADMIN_PASS=⟦‹password›⟧
export INTERNAL_API_TOKEN="⟦‹url64 44›⟧"
§ .env.bak
MAIL_PASSWORD='⟦‹wild 14›⟧'
MAIL_PORT=587
§§ front-matter | Secrets in the front matter of a note
§ notes/server.md
---
title: Server
password: ⟦‹password›⟧
---
The server runs Debian.
§ zettel/api.md
---
tags: [api]
api_token: "⟦‹alnum 40›⟧"
---
# API
§§ htpasswd-hash | htpasswd: the hash of a password can be attacked
§ nginx/.htpasswd
admin:⟦$apr1$‹alnum 8›$‹alnum 22›⟧
§ traefik.yml
http:
  middlewares:
    auth:
      basicAuth:
        users:
          - "ana:⟦$2y$05$‹alnum 53›⟧"
§§ http-basic-header | RFC 7617: base64 of user and password
§ tests/login.http
GET https://example.com/admin
Authorization: Basic ⟦‹base64 admin:‹password››⟧
§ docs/curl.md
    curl -H 'Authorization: Basic ⟦‹base64 api:‹generated 20››⟧' https://api.example.com/
§ src/client.py
headers = {"Authorization": "Basic ⟦‹base64 svc:‹password››⟧"}
§§ http-cookie-session | Session cookies give access as a password does
§ tests/requests.http
GET https://intranet.example.com/
Cookie: sessionid=⟦‹lower 32›⟧; theme=dark
§ scrape.py
COOKIES = {"session_token": "⟦‹url64 64›⟧"}
§§ java-properties | Java: passwords in .properties
§ src/main/resources/application.properties
spring.datasource.username=shop
spring.datasource.password=⟦‹password›⟧
§ gradle.properties
signing.keyId=‹HEX 8›
signing.password=⟦‹password›⟧
§ keystore.properties
storeFile=release.jks
storePassword=⟦‹password›⟧
keyAlias=upload
keyPassword=⟦‹password›⟧
§§ jenkins-credentials | Jenkins: encrypted values and plain ones in credentials.xml
§ jenkins/credentials.xml
<username>deploy</username>
<password>{⟦AQAAABAAAAA‹b64 52›=⟧}</password>
§ jenkins/config.xml
<apiToken>⟦11‹hex 32›⟧</apiToken>
§§ markdown-list-credentials | Lists and headings with credentials in Markdown
§ docs/access.md
## Staging

- **URL**: https://staging.example.com
- **User**: admin
- **Password**: ⟦‹password›⟧
§ notes/nas.md
* login: root
* password: `⟦‹password›⟧`
§ ops/router.md
**Admin password:** ⟦‹password›⟧
**IP:** 192.168.0.1
§§ prose-chinese | Chinese sentences that contain a password
§ 笔记/服务器.md
数据库的密码是 ⟦‹password›⟧。
§ docs/zh/login.md
用户名：admin
密码：⟦‹password›⟧
§ 聊天.txt
小王：WiFi密码为⟦‹password›⟧，不要告诉别人
§ docs/zh-tw/nas.md
管理員密碼是「⟦‹password›⟧」
§§ prose-english-other-words | Sentences with other words for a password
§ notes/door.md
Login for the NAS is admin / ⟦‹password›⟧
§ chat/log.txt
[09:12] ana: pwd for the vpn = ⟦‹password›⟧
§ docs/shared.md
Credentials: user `deploy`, pass `⟦‹password›⟧`
§ todo.md
- [ ] change the root pw (now ⟦‹password›⟧)
§§ prose-german | German sentences that contain a password
§ notizen/drucker.md
Das Passwort ist ⟦‹password›⟧.
§ docs/zugang.md
Benutzer: admin
Kennwort: ⟦‹password›⟧
§ protokoll.md
Das WLAN-Passwort lautet „⟦‹password›⟧“, bitte nicht weitergeben.
§ mail.txt
Ihr neues Passwort lautet: ⟦‹password›⟧
§§ prose-spanish | Spanish sentences that contain a password
§ notas/red.md
La contraseña es ⟦‹password›⟧.
§ docs/es/acceso.md
Usuario: admin
Contraseña: ⟦‹password›⟧
§ correo.txt
Su nueva contraseña es: ⟦‹password›⟧
§§ shadow-hash | crypt(3): the hash in /etc/shadow can be attacked
§ backup/etc/shadow
root:⟦$6$‹alnum 16›$‹alnum 86›⟧:19500:0:99999:7:::
daemon:*:19400:0:99999:7:::
§ kickstart.cfg
rootpw --iscrypted ⟦$6$‹alnum 16›$‹alnum 86›⟧
timezone Europe/Berlin
§§ terraform-variable | Terraform: values of variables with a password
§ terraform.tfvars
instance_type = "t3.small"
db_password   = "⟦‹password›⟧"
§ variables.tf
variable "admin_password" {
  type    = string
  default = "⟦‹password›⟧"
}
§ main.tf
resource "aws_db_instance" "main" {
  engine   = "postgres"
  username = "app"
  password = "⟦‹generated 20›⟧"
}
§§ wifi-settings | wpa_supplicant and NetworkManager: the key of a network
§ etc/wpa_supplicant.conf
network={
    ssid="Office"
    psk="⟦‹password›⟧"
}
§ Office.nmconnection
[wifi-security]
key-mgmt=wpa-psk
psk=⟦‹password›⟧
§§ xml-settings | XML settings with a password element or attribute
§ .m2/settings.xml
<server>
  <id>nexus</id>
  <username>deploy</username>
  <password>⟦‹password›⟧</password>
</server>
§ conf/tomcat-users.xml
<tomcat-users>
  <user username="admin" password="⟦‹password›⟧" roles="manager-gui"/>
</tomcat-users>
§ context.xml
<Resource name="jdbc/shop" type="javax.sql.DataSource" username="shop" password="⟦‹password›⟧" url="jdbc:h2:mem"/>
§ res/values/keys.xml
<resources>
    <string name="app_name">Shop</string>
    <string name="client_secret">⟦‹alnum 32›⟧</string>
</resources>
"""
