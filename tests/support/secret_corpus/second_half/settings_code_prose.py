"""Secrets in headers, settings, code and prose."""

TEMPLATE = r"""
§§ ansible-variable | Ansible: passwords in inventories and variables
§ inventory/hosts.ini
[web]
10.0.0.5 ansible_user=root ansible_ssh_pass=⟦‹password›⟧
§ group_vars/db.yml
postgres_version: 16
vault_db_password: "⟦‹password›⟧"
§ inventory.yml
all:
  vars:
    ansible_become_password: ⟦‹password›⟧
§§ cli-flags | Long options that take a secret
§ scripts/deploy.sh
./deploy --user ci --password ⟦‹password›⟧ --region eu
§ docs/cli.md
    acme login --token ⟦‹alnum 40›⟧
§ systemd/app.service
[Service]
ExecStart=/usr/bin/app --port 80 --api-key=⟦‹hex 32›⟧
Restart=always
§§ code-go | Go: secrets in constants and structs
§ cmd/server/main.go
const apiSecret = "⟦‹alnum 40›⟧"
§ internal/db/db.go
cfg := Config{
	User:     "app",
	Password: "⟦‹password›⟧",
}
§ mail.go
auth := smtp.PlainAuth("", "bot@example.com", "⟦‹password›⟧", "smtp.example.com")
§§ code-javascript | JavaScript and TypeScript: secrets in objects and constants
§ src/config.ts
export const config = {
  region: "eu",
  clientSecret: "⟦‹alnum 40›⟧",
};
§ server.js
const DB_PASS = '⟦‹password›⟧';
const pool = new Pool({ user: 'app', password: DB_PASS });
§ test/login.spec.ts
await page.fill('#user', 'ana');
await page.fill('#password', '⟦‹password›⟧');
§§ code-python-arguments | Python: keyword and positional arguments, dictionaries
§ jobs/load.py
connection = psycopg.connect(host="db", user="etl", password="⟦‹password›⟧")
§ mail/send.py
server.login("noreply@example.com", "⟦‹password›⟧")
§ api/client.py
auth = HTTPBasicAuth("svc-report", "⟦‹password›⟧")
§ jobs/options.py
OPTIONS = {"user": "etl", "password": "⟦‹password›⟧", "timeout": 30}
§§ code-ruby | Ruby: secrets in hashes and constants
§ config/initializers/aws.rb
Mail.defaults { delivery_method :smtp, user_name: "mailer", password: "⟦‹password›⟧" }
§ lib/crypt.rb
SECRET_TOKEN = '⟦‹hex 64›⟧'
§ db/seeds.rb
User.create!(email: "admin@example.com", :password => "⟦‹password›⟧")
§§ compose-environment | Docker Compose: environment with passwords
§ docker-compose.yml
services:
  db:
    image: postgres:16
    environment:
      POSTGRES_USER: shop
      POSTGRES_PASSWORD: ⟦‹password›⟧
§ compose.prod.yaml
services:
  db:
    image: mariadb
    environment:
      - MARIADB_DATABASE=blog
      - MARIADB_ROOT_PASSWORD=⟦‹password›⟧
§§ github-actions-env | GitHub Actions: plain values instead of references to secrets
§ .github/workflows/test.yml
jobs:
  test:
    runs-on: ubuntu-latest
    env:
      DB_PASSWORD: ⟦‹password›⟧
      CI: true
§ .github/workflows/release.yml
      - name: Publish
        run: ./publish.sh
        env:
          SIGNING_PASSWORD: "⟦‹generated 20›⟧"
      - uses: actions/upload-artifact@v4
§ .github/workflows/coverage.yml
      - uses: codecov/codecov-action@v4
        with:
          token: ⟦‹uuid›⟧
§§ helm-set-flag | Helm and kubectl: secrets given on the command line
§ docs/helm.md
    helm install db bitnami/postgresql --set auth.postgresPassword=⟦‹password›⟧
§ scripts/secret.sh
kubectl create secret generic db --from-literal=password=⟦‹password›⟧
§§ html-form-value | HTML: a filled password field
§ test/login.html
<input name="user" value="admin">
<input type="password" name="password" value="⟦‹password›⟧">
§ admin/index.html
<input type="hidden" name="api_token" value="⟦‹alnum 40›⟧">
§§ http-api-key-header | X-Api-Key and similar headers
§ scripts/weather.sh
curl -H "X-Api-Key: ⟦‹alnum 32›⟧" https://weather.example.com/now
§ collection.json
{"header": [{"key": "X-API-Key", "value": "⟦‹hex 40›⟧"}]}
§ nginx.conf
location /api/ {
    proxy_set_header X-Auth-Token ⟦‹alnum 40›⟧;
    proxy_pass http://backend;
}
§§ http-bearer-header | RFC 6750: the word after Bearer
§ tests/api.rest
POST https://api.example.com/v1/jobs
Authorization: Bearer ⟦‹alnum 40›⟧
§ src/remote.ts
const headers = { Authorization: "Bearer ⟦‹url64 48›⟧", Accept: "application/json" };
§ logs/proxy.txt
> authorization: bearer ⟦‹hex 64›⟧
> accept: */*
§§ ini-settings | INI files with a password
§ config.ini
[smtp]
host = smtp.example.com
user = mailer
pass = ⟦‹password›⟧
§ setup.cfg
[ldap]
bind_password: ⟦‹password›⟧
§ .my.cnf
[client]
user=root
password="⟦‹wild 16›⟧"
§ php.ini
[mail]
smtp_pass = ⟦‹password›⟧
§§ json-settings | JSON files with secrets
§ config/default.json
{
  "smtp": {"host": "smtp.example.com", "user": "mailer", "pass": "⟦‹password›⟧"}
}
§ secrets.json
{"stripeWebhook": null, "adminPassword": "⟦‹password›⟧", "encryptionKey": "⟦‹hex 64›⟧"}
§ .vscode/sftp.json
{
    "host": "10.0.0.9",
    "username": "www",
    "password": "⟦‹password›⟧"
}
§§ notebook-cell | Jupyter: secrets in the source of a cell
§ analysis.ipynb
{"cells": [{"cell_type": "code", "source": ["api_key = \"⟦‹hex 32›⟧\"\n", "client = Client(api_key)\n"]}]}
§ explore.ipynb
{"cells": [{"cell_type": "code", "source": ["%env DB_PASSWORD=⟦‹password›⟧\n"]}]}
§§ prose-api-key | Sentences that contain an API key or a token
§ notes/weather.md
The API key for the weather service is ⟦‹hex 32›⟧.
§ docs/partner.md
Use the following token for the partner API: ⟦‹alnum 40›⟧
§ chat/dev.txt
jon: my access token is `⟦‹alnum 36›⟧`, try it
§§ prose-english | Sentences that contain a password
§ notes/router.md
The router is in the hall. The password is ⟦‹password›⟧.
§ chat/ops.txt
tom: whats the wifi password?
mia: password is ⟦‹password›⟧
§ docs/demo.md
Log in as demo@example.com with the password "⟦‹password›⟧".
§ mail/welcome.txt
Your temporary password: ⟦‹password›⟧
Please change it soon.
§§ prose-french | French sentences that contain a password
§ notes/serveur.md
Le mot de passe est ⟦‹password›⟧.
§ docs/fr/acces.md
Identifiant : admin
Mot de passe : ⟦‹password›⟧
§ mail.txt
Votre mot de passe temporaire est « ⟦‹password›⟧ ».
§§ prose-japanese | Japanese sentences that contain a password
§ メモ/サーバー.md
サーバーのパスワードは ⟦‹password›⟧ です。
§ docs/ja/login.md
ユーザー名：admin
パスワード：⟦‹password›⟧
§ notes/wifi.md
WiFiのパスワードは「⟦‹password›⟧」です。
§ チャット.txt
田中: APIキーは⟦‹alnum 32›⟧です
§§ rst-and-asciidoc | Credentials in reStructuredText and AsciiDoc
§ docs/install.rst
:User: admin
:Password: ⟦‹password›⟧
§ docs/guide.adoc
Password:: ⟦‹password›⟧
§ docs/server.rst
The default password is ``⟦‹password›⟧``; change it.
§§ sql-create-user | SQL: IDENTIFIED BY, PASSWORD and inserted users
§ db/init.sql
CREATE USER shop WITH PASSWORD '⟦‹password›⟧';
GRANT ALL ON DATABASE shop TO shop;
§ mysql/users.sql
CREATE USER 'app'@'%' IDENTIFIED BY '⟦‹password›⟧';
§ mssql/login.sql
CREATE LOGIN report WITH PASSWORD = '⟦‹password›⟧', CHECK_POLICY = ON;
§ seed.sql
INSERT INTO users (name, password, role) VALUES ('admin', '⟦‹password›⟧', 'admin');
§§ terraform-state | Terraform: the state holds values in plain text
§ terraform.tfstate
{
  "resources": [{
    "type": "random_password",
    "instances": [{"attributes": {"length": 20, "result": "⟦‹generated 20›⟧"}}]
  }]
}
§ env/prod.tfstate
{"outputs": {"db_password": {"value": "⟦‹generated 24›⟧", "type": "string", "sensitive": true}}}
§§ toml-settings | TOML files with secrets
§ config.toml
[database]
user = "app"
password = "⟦‹wild 18›⟧"
§ .streamlit/secrets.toml
[connections.snowflake]
account = "acme"
password = "⟦‹password›⟧"
§ Rocket.toml
[release]
secret_key = "⟦‹bytes64 64›⟧"
"""
