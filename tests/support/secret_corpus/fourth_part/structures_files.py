"""Secrets in settings files, cloud and CI files."""

from __future__ import annotations

TEMPLATE = r"""
§§ environment file | The name says what the value is.
§ .env.staging
APP_ENV=staging
DB_HOST=db-02.lumen.example
DB_PASSWORD=⟦‹password›⟧
REDIS_PASSWORD='⟦‹generated›⟧'
SESSION_SECRET="⟦‹alnum 48›⟧"
§ docker/db.env
POSTGRES_USER=lumen
POSTGRES_PASSWORD=⟦‹password›⟧
POSTGRES_DB=lumen
§ laravel/.env
APP_NAME=Shop
APP_KEY=base64:⟦‹bytes64 32›⟧
MAIL_PASSWORD=⟦‹password›⟧
§ etc/default/mailer
# read by mailer.service
SMTP_USER=robot@lumen.example
SMTP_PASS=⟦‹password›⟧

§§ application yaml | Spring, Rails and similar settings
§ src/main/resources/application-prod.yml
spring:
  datasource:
    url: jdbc:postgresql://db:5432/orders
    username: orders
    password: ⟦‹password›⟧
  mail:
    host: smtp.lumen.example
    password: "⟦‹password›⟧"
§ config/database.yml
production:
  adapter: mysql2
  username: shop
  password: ⟦‹password›⟧
  host: 10.0.3.17
§ config/secrets.yml
production:
  secret_key_base: ⟦‹hex 128›⟧
§ homeassistant/secrets.yaml
wifi_ssid: Villa
wifi_password: ⟦‹password›⟧
mqtt_user: hass
mqtt_pass: ⟦‹password›⟧
§ mkdocs/hooks.yaml
search:
  cluster: https://es.lumen.example
  admin_password: >-
    ⟦‹generated 24›⟧
  retries: 3

§§ toml settings | A key that names a password or key
§ settings.toml
[server]
port = 8080
cookie_secret = "⟦‹url64 43›⟧"

[database]
user = "app"
password = "⟦‹password›⟧"
§ .streamlit/secrets.toml
[connections.snowflake]
account = "xy12345.eu-central-1"
user = "REPORTS"
password = "⟦‹password›⟧"
warehouse = "WH_S"

§§ ini and conf file | Settings of common servers and tools
§ etc/grafana.ini
[security]
admin_user = admin
admin_password = ⟦‹password›⟧
secret_key = ⟦‹alnum 20›⟧
§ odoo.conf
[options]
admin_passwd = ⟦‹password›⟧
db_user = odoo
db_password = ⟦‹password›⟧
§ rclone.conf
[nas]
type = webdav
url = https://nas.lumen.example
user = backup
pass = ⟦‹url64 38›⟧
§ etc/msmtprc
account work
host smtp.lumen.example
user nora
password ⟦‹password›⟧
§ etc/redis/redis.conf
bind 127.0.0.1
port 6379
requirepass ⟦‹generated 24›⟧
§ etc/ppp/chap-secrets
# client  server  secret  IP addresses
branch1   *       ⟦‹generated 16›⟧   *

§§ properties file | Java properties
§ config/kafka-client.properties
security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="⟦‹password›⟧";
ssl.truststore.password=⟦‹password›⟧
§ keystore.properties
storeFile=release.jks
storePassword=⟦‹password›⟧
keyAlias=upload
keyPassword=⟦‹password›⟧

§§ json settings | Settings of applications as JSON
§ appsettings.json
{
  "ConnectionStrings": {
    "Main": "Server=tcp:sql01.lumen.example,1433;Database=Orders;User ID=app;Password=⟦‹password›⟧;Encrypt=True;"
  },
  "Jwt": {"Issuer": "lumen", "SigningKey": "⟦‹alnum 48›⟧"}
}
§ config/default.json
{"smtp": {"host": "smtp.lumen.example", "auth": {"user": "robot", "pass": "⟦‹password›⟧"}},
 "session": {"secret": "⟦‹generated 32›⟧", "maxAge": 86400}}
§ .docker/config.json
{"auths": {"registry.lumen.example": {"auth": "⟦‹base64 deploy:‹generated 24››⟧"}}}
§ composer-auth.json
{"http-basic": {"repo.magento.com": {"username": "‹hex 32›", "password": "⟦‹hex 32›⟧"}}}
§ sftp.json
{"host": "ftp.lumen.example", "protocol": "sftp", "username": "web12", "password": "⟦‹password›⟧", "uploadOnSave": true}

§§ xml settings | Settings of Maven, .NET, Tomcat and Jenkins
§ .m2/settings.xml
<settings>
  <servers>
    <server>
      <id>nexus</id>
      <username>deployer</username>
      <password>⟦‹password›⟧</password>
    </server>
  </servers>
</settings>
§ Web.config
<connectionStrings>
  <add name="Main" connectionString="Data Source=SQL7;Initial Catalog=Crm;User Id=crm;Pwd=⟦‹password›⟧" />
</connectionStrings>
§ conf/tomcat-users.xml
<tomcat-users>
  <user username="ops" password="⟦‹password›⟧" roles="manager-gui"/>
</tomcat-users>
§ WEB-INF/context.xml
<Resource name="jdbc/main" type="javax.sql.DataSource" username="crm" password="⟦‹password›⟧"
          url="jdbc:oracle:thin:@ora1:1521/CRM" maxTotal="20"/>

§§ compose file | https://docs.docker.com/reference/compose-file/
§ docker-compose.yml
services:
  db:
    image: mariadb:11
    environment:
      - MARIADB_ROOT_PASSWORD=⟦‹password›⟧
      - MARIADB_DATABASE=shop
  minio:
    image: minio/minio
    environment:
      MINIO_ROOT_USER: storage
      MINIO_ROOT_PASSWORD: ⟦‹password›⟧
§ Dockerfile
FROM python:3.12-slim
ENV DJANGO_SECRET_KEY="⟦‹generated 50›⟧"
ARG SENTRY_TOKEN=⟦‹hex 64›⟧
CMD ["gunicorn", "shop.wsgi"]

§§ ci file | A value in plain text where a reference belongs
§ .gitlab-ci.yml
variables:
  DEPLOY_HOST: web3.lumen.example
  DEPLOY_PASSWORD: "⟦‹password›⟧"
deploy:
  script: [./deploy.sh]
§ Jenkinsfile
pipeline {
  agent any
  environment {
    NEXUS_USER = 'ci'
    NEXUS_PASSWORD = '⟦‹password›⟧'
  }
}
§ azure-pipelines.yml
variables:
  - name: buildConfiguration
    value: Release
  - name: signingPassword
    value: ⟦‹password›⟧
§ .travis.yml
env:
  global:
    - ARTIFACTS_REGION=eu-west-1
    - ARTIFACTS_SECRET=⟦‹b64 40›⟧

§§ terraform file | https://developer.hashicorp.com/terraform/language/values/variables
§ modules/db/main.tf
resource "aws_db_instance" "main" {
  engine   = "postgres"
  username = "root"
  password = "⟦‹password›⟧"
}
§ variables.tf
variable "admin_password" {
  type      = string
  sensitive = true
  default   = "⟦‹password›⟧"
}
§ terraform.tfstate
{"resources": [{"type": "random_password", "name": "db", "instances": [{"attributes":
 {"length": 20, "result": "⟦‹generated 20›⟧", "special": true}}]}]}

§§ ansible file | https://docs.ansible.com/ansible/latest/inventory_guide/intro_inventory.html
§ inventory/hosts.ini
[web]
web1 ansible_host=10.2.0.11 ansible_user=root ansible_ssh_pass=⟦‹password›⟧
[db]
db1 ansible_host=10.2.0.21 ansible_become_password=⟦‹password›⟧
§ group_vars/all.yml
mysql_root_password: ⟦‹password›⟧
keepalived_auth_pass: "⟦‹alnum 14›⟧"

§§ kubernetes secret | https://kubernetes.io/docs/concepts/configuration/secret/
§ k8s/secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: api
type: Opaque
data:
  password: ⟦‹base64 ‹generated 20››⟧
  api-token: ⟦‹base64 ‹alnum 32››⟧
§ k8s/mail-secret.yaml
apiVersion: v1
kind: Secret
metadata: {name: mail}
stringData:
  SMTP_PASSWORD: ⟦‹password›⟧
§ chart/values.yaml
image:
  tag: 1.4.2
postgresql:
  auth:
    username: app
    postgresPassword: ⟦‹password›⟧
§ .kube/config
apiVersion: v1
kind: Config
users:
  - name: admin
    user:
      client-certificate-data: ‹pem64 MIIDITCCAgmgAwIBAgII 900 CERTIFICATE›
      client-key-data: ⟦‹pem64 MIIEowIBAAKCAQEA 1500 RSA PRIVATE KEY›⟧
  - name: reader
    user:
      token: ⟦‹jwt reader›⟧

§§ password file | https://www.postgresql.org/docs/current/libpq-pgpass.html and others
§ .pgpass
db1.lumen.example:5432:orders:app:⟦‹password›⟧
*:5432:*:readonly:⟦‹password›⟧
§ .my.cnf
[client]
user=root
password=⟦‹password›⟧
§ .authinfo
machine imap.lumen.example login nora port 993 password ⟦‹password›⟧
§ .git-credentials
https://nora:⟦‹password›⟧@git.lumen.example

§§ network device | Settings of routers and wireless networks
§ etc/wpa_supplicant.conf
network={
    ssid="Atelier"
    psk="⟦‹password›⟧"
}
§ backup/router-lyon.cfg
hostname lyon-gw
enable password ⟦‹alnum 14›⟧
username admin privilege 15 password 0 ⟦‹alnum 14›⟧
interface GigabitEthernet0/0
§ nodes/sensor.yaml
wifi:
  ssid: "IoT"
  password: "⟦‹password›⟧"
api:
  encryption:
    key: "⟦‹bytes64 32›⟧"
"""
