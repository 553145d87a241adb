"""Secrets known by the structure around them: manifests, tables, commands, URLs."""

TEMPLATE = r"""
§§ csv-token-column | CSV files with a column of tokens or keys
§ ops/tenants.csv
tenant,api_key,plan
acme,⟦‹hex 40›⟧,gold
globex,⟦‹hex 40›⟧,free
§ ops/bots.csv
bot,token
alarm,⟦‹alnum 36›⟧
report,⟦‹alnum 36›⟧
§§ jdbc-password | JDBC: password as a parameter of the URL
§ hibernate.properties
hibernate.connection.url=jdbc:mysql://db/shop?user=shop&password=⟦‹password›⟧&useSSL=true
§ docs/report.md
jdbc:sqlserver://sql.example.com:1433;databaseName=erp;user=report;password=⟦‹password›⟧;encrypt=true
§ Main.java
Connection c = DriverManager.getConnection("jdbc:oracle:thin:scott/⟦‹password›⟧@//ora:1521/XE");
§§ kubeconfig-token | Kubernetes: the token of a user in a kubeconfig
§ kube/ci.yaml
users:
- name: gitlab
  user:
    token: ⟦‹jwt system›⟧
§ kube/bootstrap.yaml
apiVersion: v1
kind: Config
users:
- name: kubelet-bootstrap
  user:
    token: ⟦‹lower 6›.‹lower 16›⟧
§§ kubernetes-secret-opaque-name | Kubernetes: every value of a Secret is secret, whatever its name
§ k8s/app-secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: app
data:
  config.json: ⟦‹base64 {"dsn":"‹alnum 32›","level":"info"}›⟧
  hmac: ⟦‹base64 ‹generated 40››⟧
§ manifests/tls.yaml
apiVersion: v1
kind: Secret
type: kubernetes.io/tls
metadata:
  name: tls
data:
  tls.key: ⟦‹pem64 MIIEvQIBADANBgkqhkiG9w0B 1500 PRIVATE KEY›⟧
§§ markdown-table-key-value | Tables with one setting in each row
§ docs/staging.md
| Setting | Value |
|---|---|
| Host | staging.example.com |
| User | deploy |
| Password | ⟦‹password›⟧ |
§ docs/smtp.md
| Parameter | Wert |
|---|---|
| Server | smtp.example.com |
| Kennwort | ⟦‹password›⟧ |
§§ netrc-in-markdown | netrc lines quoted in documentation
§ docs/download.md
Add this line to `~/.netrc`:

    machine data.example.com login reader password ⟦‹password›⟧
§ README.md
For the mirror:

```
machine mirror.example.com
  login ci
  password ⟦‹password›⟧
```
§ notes/setup.md
- netrc: `machine repo.example.com login tom password ⟦‹password›⟧`
§§ npm-auth-basic | npm: _auth is base64 of user and password, _password the password in base64
§ .npmrc
registry=https://npm.example.com/
_auth=⟦‹base64 publisher:‹password››⟧
always-auth=true
§ packages/web/.npmrc
//npm.example.com/:_auth="⟦‹base64 build:‹generated 18››⟧"
§ docs/registry.md
```ini
//npm.example.com/:username=ana
//npm.example.com/:_password=⟦‹base64 ‹password››⟧
```
§§ passphrase-with-spaces | Passphrases are several words with spaces
§ .env
BACKUP_PASSPHRASE="⟦‹passphrase 5›⟧"
BACKUP_TARGET=/mnt/backup
§ config/wifi.yaml
ssid: Office
passphrase: ⟦‹passphrase 4›⟧
country: DE
§ restic/settings.ini
[repository]
path = /srv/restic
password = ⟦‹passphrase 6›⟧
§ src/vault.py
PASSPHRASE = "⟦‹passphrase 5›⟧"
§§ shell-curl-user | curl: -u takes user and password
§ scripts/health.sh
curl -sf -u monitor:⟦‹password›⟧ https://example.com/health
§ docs/api.md
```sh
curl --user 'ana:⟦‹password›⟧' https://api.example.com/v1/items
```
§ Jenkinsfile
sh "curl -u admin:⟦‹generated 18›⟧ -T app.war http://tomcat:8080/manager/text/deploy"
§§ shell-export-password | Shell variables with a password
§ .bashrc
export EDITOR=vim
export LDAP_PASSWORD='⟦‹wild 16›⟧'
§ bin/env.fish
set -x DB_PASS ⟦‹password›⟧
set -x DB_HOST localhost
§ setup.ps1
$env:ADMIN_PASSWORD = "⟦‹password›⟧"
§ run.bat
set SMTP_PASSWORD=⟦‹password›⟧
java -jar app.jar
§§ shell-openssl-pass | OpenSSL: pass: takes the password
§ scripts/encrypt.sh
openssl enc -aes-256-cbc -pbkdf2 -in a.tar -out a.enc -pass pass:⟦‹password›⟧
§ Makefile
cert:
	openssl pkcs12 -export -in c.pem -out c.p12 -passout pass:⟦‹password›⟧
§§ shell-redis-cli | Redis: -a takes the password, requirepass sets it
§ scripts/flush.sh
redis-cli -h cache.example.com -a ⟦‹generated 24›⟧ FLUSHDB
§ redis.conf
bind 127.0.0.1
requirepass ⟦‹generated 32›⟧
maxmemory 1gb
§§ shell-sshpass | sshpass: -p takes the password
§ scripts/deploy.sh
sshpass -p '⟦‹password›⟧' rsync -a dist/ web@10.0.0.4:/var/www
§ docs/servers.md
Log in with `sshpass -p ⟦‹password›⟧ ssh root@192.168.1.20`.
§ ansible/run.sh
sshpass -p"⟦‹generated 16›⟧" ansible-playbook -k site.yml
§§ url-amqp | The password stands in the connection URL
§ worker/config.toml
broker = "amqp://jobs:⟦‹password›⟧@rabbit.example.com:5672/jobs"
§ docker-compose.yml
services:
  worker:
    environment:
      AMQP_URL: amqps://jobs:⟦‹password›⟧@rabbit/%2f
§§ url-mongodb | The password stands in the connection URL
§ server/db.ts
await mongoose.connect("mongodb+srv://admin:⟦‹password›⟧@cluster0.ab1cd.mongodb.net/shop");
§ docs/mongo.md
    mongosh "mongodb://root:⟦‹generated 20›⟧@mongo1,mongo2/?replicaSet=rs0"
§§ url-postgres | libpq: the password stands in the connection URL
§ .env
DATABASE_URL=postgres://shop:⟦‹password›⟧@db.example.com:5432/shop
§ alembic.ini
[alembic]
sqlalchemy.url = postgresql+psycopg://app:⟦‹alnum 20›⟧@localhost/app
§ docs/psql.md
Connect with `psql postgresql://reader:⟦‹password›⟧@10.2.0.5/warehouse?sslmode=require`.
§§ url-redis | The password stands in the connection URL, with or without a user
§ settings.py
CACHE_URL = "redis://:⟦‹generated 24›⟧@redis.example.com:6379/0"
§ celery.env
CELERY_BROKER_URL=rediss://default:⟦‹alnum 32›⟧@cache.example.com:6380/1
§§ yaml-folded-block | YAML: a folded block of a secret key
§ config/app.yaml
service: billing
api_key: >-
  ⟦‹alnum 32›
  ‹alnum 32›⟧
port: 8080
§ helm/values.yaml
auth:
  password: >
    ⟦‹generated 24›⟧
  user: admin
§ settings/prod.yml
signing_secret: >-
    ⟦‹b64 64›
    ‹b64 64›
    ‹b64 22›==⟧
debug: false
§§ yaml-literal-block | YAML: a literal block of a secret key
§ group_vars/all.yml
db_password: |
  ⟦‹generated 20›⟧
db_host: db.internal
§ conf/service.yaml
credentials:
  client_secret: |-
    ⟦‹alnum 40›⟧
  client_id: web
"""
