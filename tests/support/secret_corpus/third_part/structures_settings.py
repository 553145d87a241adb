"""Secrets in settings files of many formats."""

TEMPLATE = r"""
§§ properties and ini files | a value of a password setting
§ src/main/resources/application-prod.properties
spring.datasource.url=jdbc:postgresql://db1.internal:5432/orders
spring.datasource.username=orders
spring.datasource.password=⟦‹password›⟧
server.ssl.key-store-password=⟦‹generated›⟧
§ config/odoo.conf
[options]
addons_path = /mnt/extra-addons
admin_passwd = ⟦‹password›⟧
db_host = db
db_password = ⟦‹generated›⟧
§ php/app.ini
; staging
[database]
driver   = "pdo_mysql"
user     = "shop"
pwd      = "⟦‹password›⟧"
§ superset.cfg
SECRET_KEY : ⟦‹alnum 50›⟧
ROW_LIMIT : 5000
§§ yaml settings | a value of a secret setting, quoted, plain or folded
§ config/database.yml
production:
  adapter: postgresql
  database: forum
  username: forum
  password: ⟦‹password›⟧
  pool: 10
§ config/secrets.yml
production:
  secret_key_base: ⟦‹hex 128›⟧
  devise_pepper: ⟦‹hex 128›⟧
§ group_vars/all.yml
mysql_root_password: "⟦‹generated›⟧"
mysql_databases:
  - name: wiki
mysql_users:
  - {name: wiki, host: localhost, password: '⟦‹password›⟧', priv: 'wiki.*:ALL'}
§ homeassistant/secrets.yaml
wifi_password: ⟦‹password›⟧
mqtt_pass: ⟦‹alnum 16›⟧
latitude: 48.1372
§ app.yaml
service: api
session:
  # rotated in March
  signing_secret: >-
    ⟦‹alnum 48›⟧
  ttl: 3600
§§ toml settings | a value of a secret setting
§ .streamlit/secrets.toml
[connections.warehouse]
dialect = "postgresql"
host = "10.2.0.14"
username = "dash"
password = "⟦‹password›⟧"
§ config.toml
[server]
port = 8080
cookie_secret = "⟦‹bytes64 32›⟧"
[smtp]
host = "smtp.example.org"
user = "robot"
pass = '⟦‹generated›⟧'
§ lnd/aperture.toml
[authenticator]
macaroonhex = "⟦0201036c6e64‹hex 200›⟧"
§§ json settings | a value of a secret setting
§ config/default.json
{
  "jwt": { "issuer": "portal", "secret": "⟦‹alnum 32›⟧", "expiresIn": "2h" },
  "mongo": { "host": "localhost", "user": "portal", "password": "⟦‹password›⟧" }
}
§ .vscode/sftp.json
{"name": "web01", "host": "web01.example.com", "protocol": "sftp", "port": 22, "username": "deploy",
 "password": "⟦‹password›⟧", "remotePath": "/var/www", "uploadOnSave": true}
§ appsettings.json
{
  "ConnectionStrings": {
    "Main": "Server=sql01;Database=Crm;User Id=crm_app;Password=⟦‹password›⟧;TrustServerCertificate=True"
  },
  "Jwt": { "Key": "⟦‹alnum 64›⟧" }
}
§ .docker/config.json
{"auths": {"registry.example.org": {"auth": "⟦‹base64 builder:‹alnum 20››⟧"}}}
§ composer/auth.json
{"http-basic": {"repo.example.com": {"username": "‹hex 32›", "password": "⟦‹hex 32›⟧"}}}
§§ environment files | dotenv files with secret variables
§ .env.production
APP_NAME=Forum
APP_KEY=base64:⟦‹bytes64 32›⟧
DB_PASSWORD="⟦‹password›⟧"
REDIS_PASSWORD=⟦‹alnum 24›⟧
MAIL_ENCRYPTION=tls
§ deploy/env.list
POSTGRES_USER=app
POSTGRES_PASSWORD=⟦‹generated›⟧
PGADMIN_DEFAULT_PASSWORD=⟦‹password›⟧
§ .envrc
export DJANGO_SECRET_KEY='⟦‹wild 50›⟧'
export SENTRY_ENVIRONMENT=dev
export BASIC_AUTH_PW=⟦‹alnum 14›⟧
§ backend/.env.bak
NODE_ENV=production
NEXTAUTH_SECRET=⟦‹bytes64 32›⟧
ENCRYPTION_KEY=⟦‹hex 64›⟧
§§ xml settings | attributes and elements that hold passwords
§ conf/tomcat-users.xml
<tomcat-users>
  <role rolename="manager-gui"/>
  <user username="admin" password="⟦‹password›⟧" roles="manager-gui"/>
</tomcat-users>
§ ~/.m2/settings.xml
<settings>
  <servers>
    <server>
      <id>releases</id>
      <username>deployer</username>
      <password>⟦‹generated›⟧</password>
    </server>
  </servers>
</settings>
§ Web.config
<configuration>
  <appSettings>
    <add key="SmtpPassword" value="⟦‹password›⟧" />
    <add key="PageSize" value="25" />
  </appSettings>
  <connectionStrings>
    <add name="Main" connectionString="Data Source=sql;Initial Catalog=crm;User ID=crm;Password=⟦‹alnum 18›⟧" />
  </connectionStrings>
</configuration>
§ context.xml
<Resource name="jdbc/wiki" type="javax.sql.DataSource" driverClassName="org.mariadb.jdbc.Driver"
          url="jdbc:mariadb://db:3306/wiki" username="wiki" password="⟦‹password›⟧" maxTotal="20"/>
§ Info.plist
<dict>
  <key>ApiSecret</key>
  <string>⟦‹alnum 40›⟧</string>
  <key>CFBundleVersion</key>
  <string>142</string>
</dict>
§§ mail server settings | mail programs need a password to send
§ ~/.msmtprc
account work
host smtp.example.com
port 587
user jana@example.com
password ⟦‹password›⟧
§ ~/.mbsyncrc
IMAPAccount private
Host imap.example.net
User paul
Pass "⟦‹generated›⟧"
TLSType IMAPS
§ /etc/postfix/sasl_passwd
[smtp.relay.example]:587 relay-user:⟦‹alnum 22›⟧
§ ~/.muttrc
set imap_user = "erik@example.org"
set imap_pass = "⟦‹password›⟧"
set folder = "imaps://imap.example.org/"
§ ~/.fetchmailrc
poll pop.example.net protocol pop3 user "erik" password "⟦‹password›⟧" is erik here ssl
§§ network device settings | routers, wireless networks and directory servers
§ switch-03.cfg
hostname sw-03
snmp-server community ⟦‹alnum 14›⟧ RW
username netadmin privilege 15 password 0 ⟦‹alnum 14›⟧
tacacs-server key ⟦‹alnum 18›⟧
§ /etc/wpa_supplicant/wpa_supplicant.conf
network={
    ssid="Werkstatt-5G"
    psk="⟦‹password›⟧"
    key_mgmt=WPA-PSK
}
§ /etc/ppp/chap-secrets
# client   server   secret   IP
"office-gw"   *   "⟦‹password›⟧"   *
§ /etc/ipsec.secrets
203.0.113.5 198.51.100.9 : PSK "⟦‹alnum 32›⟧"
§ freeradius/clients.conf
client ap-floor2 {
    ipaddr = 10.20.0.12
    secret = ⟦‹alnum 20›⟧
    shortname = ap2
}
§ /etc/netplan/50-wifi.yaml
network:
  wifis:
    wlan0:
      access-points:
        "Hinterhof":
          password: "⟦‹password›⟧"
§§ directory and file service settings | bind passwords and mount credentials
§ /etc/sssd/sssd.conf
[domain/example.org]
ldap_default_bind_dn = cn=reader,dc=example,dc=org
ldap_default_authtok = ⟦‹password›⟧
§ /root/.smbcredentials
username=backup
password=⟦‹password›⟧
domain=OFFICE
§ nslcd.conf
uri ldaps://ldap.example.org
binddn cn=proxy,dc=example,dc=org
bindpw ⟦‹alnum 16›⟧
§ rclone.env
RCLONE_CONFIG_NAS_TYPE=webdav
RCLONE_CONFIG_NAS_USER=sync
RCLONE_CONFIG_PASS=⟦‹password›⟧
§§ database client files | password files of database programs
§ ~/.pgpass
db1.example.org:5432:orders:orders_ro:⟦‹alnum 20›⟧
*:*:*:postgres:⟦‹alnum 16›⟧
§ ~/.my.cnf
[client]
user=backup
password="⟦‹password›⟧"
host=127.0.0.1
§ odbc.ini
[Warehouse]
Driver = ODBC Driver 18 for SQL Server
Server = wh.example.org
UID = loader
PWD = ⟦‹password›⟧
§ redis.conf
bind 127.0.0.1
requirepass ⟦‹alnum 32›⟧
masterauth ⟦‹alnum 32›⟧
maxmemory 512mb
§§ key files | private keys in their usual forms
§ deploy_key
‹begin OPENSSH PRIVATE KEY›
⟦‹wrap b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ 1500›⟧
‹end OPENSSH PRIVATE KEY›
§ tls/server.yaml
tls:
  minVersion: "1.2"
  key: |
    ‹begin EC PRIVATE KEY›
    ⟦‹wrap MHcCAQEEI 160›⟧
    ‹end EC PRIVATE KEY›
§ putty.ppk
PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: eddsa-key-20240311
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 39›
‹b64 11›=
Private-Lines: 1
⟦AAAAI‹b64 38›=⟧
Private-MAC: ‹hex 64›
§ jwk.json
{"kty": "EC", "crv": "P-256", "kid": "2024-07", "x": "‹url64 43›", "y": "‹url64 43›", "d": "⟦‹url64 43›⟧"}
§§ monitoring and queue settings | basic authentication and mail passwords of servers
§ prometheus.yml
scrape_configs:
  - job_name: node
    basic_auth:
      username: scrape
      password: ⟦‹password›⟧
    static_configs: [{targets: ['10.0.0.9:9100']}]
§ grafana.ini
[security]
admin_user = admin
admin_password = ⟦‹password›⟧
secret_key = ⟦‹alnum 20›⟧
§ telegraf.conf
[[outputs.influxdb_v2]]
  urls = ["http://influx:8086"]
  token = "⟦‹url64 86›==⟧"
  organization = "plant"
§ zabbix_server.conf
DBName=zabbix
DBUser=zabbix
DBPassword=⟦‹password›⟧
§ turnserver.conf
realm=turn.example.org
static-auth-secret=⟦‹hex 64›⟧
§§ signing settings of applications | passwords of key stores and signing services
§ android/key.properties
storeFile=/home/kim/upload.jks
storePassword=⟦‹password›⟧
keyAlias=upload
keyPassword=⟦‹password›⟧
§ app/build.gradle
signingConfigs {
    release {
        storeFile file('release.jks')
        storePassword '⟦‹password›⟧'
        keyAlias 'release'
        keyPassword '⟦‹alnum 14›⟧'
    }
}
§ fastlane/.env
FASTLANE_USER=apps@example.org
MATCH_PASSWORD=⟦‹password›⟧
FASTLANE_APPLE_APPLICATION_SPECIFIC_PASSWORD=⟦‹small 4›-‹small 4›-‹small 4›-‹small 4›⟧
"""
