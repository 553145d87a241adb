"""Look-alikes in settings: references, placeholders, templates, names of things."""

from __future__ import annotations

TEMPLATE = r"""
§§ variable reference | A reference to a variable is no value
§ docker-compose.yml
services:
  db:
    environment:
      POSTGRES_PASSWORD: ⟦${DB_PASSWORD:?missing}⟧
      PGADMIN_PASSWORD: ⟦${PGADMIN_PASSWORD}⟧
§ application.yml
spring:
  datasource:
    password: ⟦${DB_PASS}⟧
jwt:
  secret: ⟦${JWT_SECRET:#{null}}⟧
§ .npmrc
//registry.npmjs.org/:_authToken=⟦${NPM_TOKEN}⟧
§ deploy.sh
curl -H "Authorization: Bearer ⟦$API_TOKEN⟧" "$URL"
mysql -u root -p"⟦$MYSQL_ROOT_PASSWORD⟧" < schema.sql
docker login -u ci -p "⟦$(cat /run/secrets/registry)⟧"
§ build.ps1
dotnet nuget push *.nupkg --api-key ⟦$env:NUGET_API_KEY⟧
§ win.bat
set DB_PASSWORD=⟦%VAULT_DB_PASSWORD%⟧

§§ ci secret reference | References to the secrets of a CI
§ .github/workflows/deploy.yml
    env:
      AWS_SECRET_ACCESS_KEY: ⟦${{ secrets.AWS_SECRET_ACCESS_KEY }}⟧
      GITHUB_TOKEN: ⟦${{ github.token }}⟧
    steps:
      - uses: docker/login-action@v3
        with:
          password: ⟦${{ secrets.DOCKERHUB_TOKEN }}⟧
§ azure-pipelines.yml
steps:
  - script: ./deploy.sh
    env:
      CLIENT_SECRET: ⟦$(clientSecret)⟧
§ Jenkinsfile
withCredentials([string(credentialsId: '⟦sonar-token-prod⟧', variable: '⟦SONAR_TOKEN⟧')]) { sh 'make scan' }
§ .gitlab-ci.yml
deploy:
  id_tokens:
    VAULT_ID_TOKEN: {aud: https://vault.lumen.example}
  secrets:
    DB_PASSWORD: {vault: ⟦production/db/password@kv⟧}

§§ secret store reference | References to vaults and managers of secrets
§ .env.op
DB_PASSWORD=⟦op://Production/postgres/password⟧
STRIPE_KEY=⟦op://Production/stripe/secret-key⟧
§ task-definition.json
{"secrets": [{"name": "DB_PASSWORD", "valueFrom": "⟦/prod/db/password⟧"}]}
§ external-secret.yaml
spec:
  data:
    - secretKey: ⟦password⟧
      remoteRef:
        key: ⟦secret/data/prod/postgres⟧
        property: ⟦root_password⟧
§ deployment.yaml
          env:
            - name: DB_PASSWORD
              valueFrom:
                secretKeyRef: {name: ⟦postgres-credentials⟧, key: ⟦password⟧}
§ appsettings.json
{"Jwt:Key": "⟦@Microsoft.KeyVault(SecretUri=https://lumen-kv.vault.azure.net/secrets/jwt/)⟧"}
§ cloudformation.yaml
      MasterUserPassword: ⟦'{{resolve:secretsmanager:prod/db:SecretString:password}}'⟧
§ compose.yaml
    environment:
      POSTGRES_PASSWORD_FILE: ⟦/run/secrets/pg_password⟧
secrets:
  pg_password:
    file: ⟦./secrets/pg_password.txt⟧

§§ terraform reference | Expressions instead of values
§ main.tf
resource "aws_db_instance" "db" {
  username = var.db_user
  password = ⟦random_password.db.result⟧
}
provider "github" { token = ⟦var.github_token⟧ }
§ data.tf
locals {
  api_key = ⟦data.aws_secretsmanager_secret_version.api.secret_string⟧
  token   = ⟦jsondecode(data.vault_generic_secret.ci.data_json)["token"]⟧
}
§ variables.tf
variable "db_password" {
  description = "⟦Password of the master user, at least 16 characters⟧"
  type        = ⟦string⟧
  sensitive   = true
}

§§ template expression | Helm, Jinja, Ansible and ERB
§ templates/secret.yaml
stringData:
  password: ⟦{{ .Values.db.password | quote }}⟧
  token: ⟦{{ randAlphaNum 32 | b64enc }}⟧
§ roles/db/tasks/main.yml
- name: Set password
  postgresql_user:
    name: app
    password: "⟦{{ lookup('env', 'APP_DB_PASSWORD') }}⟧"
- set_fact:
    admin_token: "⟦{{ login.json.access_token }}⟧"
§ config/database.yml
production:
  password: ⟦<%= ENV["SHOP_DATABASE_PASSWORD"] %>⟧
§ emails/reset.html
<p>Your token: <code>⟦{{ reset_token }}⟧</code></p>

§§ placeholder | A text that says: put yours here
§ .env.example
OPENAI_API_KEY=⟦your-openai-api-key⟧
DB_PASSWORD=⟦changeme⟧
JWT_SECRET=⟦<generate-with-openssl-rand>⟧
SLACK_TOKEN=⟦xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx⟧
SENTRY_AUTH_TOKEN=⟦REPLACE_ME⟧
§ docs/config.md
```yaml
api_key: ⟦YOUR_API_KEY⟧
password: ⟦<your password here>⟧
client_secret: ⟦...⟧
```
§ README.md
Run `export GITHUB_TOKEN=⟦<token>⟧`, then `tool login --password ⟦YOUR_PASSWORD⟧`.
Use `postgres://⟦user:password@localhost⟧:5432/app` as the address.
§ config.sample.ini
[smtp]
password = ⟦********⟧
token = ⟦XXXXXXXXXXXXXXXXXXXX⟧
§ beispiel.env
DB_PASSWORT=⟦hier-passwort-eintragen⟧
API_TOKEN=⟦dein_token⟧

§§ documented example key | Keys that documentation gives as examples
§ docs/aws.md
    aws_access_key_id = ⟦AKIA‹›IOSFODNN7‹›EXAMPLE⟧
    aws_secret_access_key = ⟦wJalrXUtnFEMI/‹›K7MDENG/‹›bPxRfiCYEXAMPLEKEY⟧
§ docs/api.md
Keys begin with a prefix, such as `⟦sk_test_⟧`, `⟦ghp_⟧` or `⟦xoxb-⟧`.
The header is `Authorization: Bearer ⟦<access_token>⟧`.

§§ redacted value | Someone has masked it already
§ logs/app.log
INFO config db_password=⟦[REDACTED]⟧ api_key=⟦sk-****************⟧
INFO header Authorization: ⟦***⟧
§ support/ticket.md
password: ⟦(removed)⟧
token: ⟦<redacted>⟧
secret: ⟦••••••••⟧

§§ empty and boolean | A setting about passwords that is no password
§ server.conf
password_authentication = ⟦false⟧
require_password = ⟦yes⟧
token_ttl = ⟦3600⟧
password_min_length = ⟦12⟧
secret_rotation_days = ⟦90⟧
§ sshd_config
PasswordAuthentication ⟦no⟧
PermitEmptyPasswords ⟦no⟧
HostKey ⟦/etc/ssh/ssh_host_ed25519_key⟧
§ keycloak.json
{"accessTokenLifespan": ⟦300⟧, "resetPasswordAllowed": ⟦true⟧, "passwordPolicy": "⟦length(12) and notUsername⟧"}
§ model.yaml
max_tokens: ⟦4096⟧
tokenizer: ⟦cl100k_base⟧
pad_token: ⟦<|endoftext|>⟧
special_tokens: ⟦[CLS]⟧

§§ path to a key | The file holds the secret, not its name
§ nginx.conf
ssl_certificate     /etc/letsencrypt/live/lumen.example/fullchain.pem;
ssl_certificate_key ⟦/etc/letsencrypt/live/lumen.example/privkey.pem⟧;
auth_basic_user_file ⟦/etc/nginx/.htpasswd⟧;
§ .env
GOOGLE_APPLICATION_CREDENTIALS=⟦./keys/service-account.json⟧
SSH_KEY_PATH=⟦~/.ssh/id_ed25519⟧
PASSWORD_FILE=⟦/run/secrets/db_password⟧
§ restic.sh
restic --password-file ⟦/root/.restic-pass⟧ backup /srv
gpg --passphrase-file ⟦/etc/backup/phrase⟧ -d a.gpg

§§ address without secret | Addresses with words such as token in them
§ oauth.yml
token_url: ⟦https://login.microsoftonline.com/common/oauth2/v2.0/token⟧
password_reset_url: ⟦https://id.lumen.example/reset-password⟧
jwks: ⟦https://id.lumen.example/.well-known/jwks.json⟧
§ links.md
See ⟦https://docs.github.com/en/authentication/managing-your-personal-access-tokens⟧ and
⟦https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#bcrypt⟧.
§ remotes.txt
⟦git@github.com:lumen/secret-santa.git⟧
⟦ssh://deploy@git.lumen.example:2222/infra/vault.git⟧
⟦postgres://app@db.lumen.example:5432/app⟧

§§ names of keys | Settings whose names hold the word key
§ keyboard.json
{"key": "⟦ctrl+shift+alt+p⟧", "command": "⟦workbench.action.showCommands⟧"}
§ schema.prisma
model Token {
  id        String @id @default(⟦cuid()⟧)
  key       ⟦String⟧ @unique
  password  ⟦String?⟧
}
§ i18n.ini
primary_key = ⟦customer_id⟧
foreign_key = ⟦fk_orders_customer_2⟧
partition_key = ⟦tenant#2024-01⟧
sort_key = ⟦created_at_desc⟧
§ dynamo.json
{"KeySchema": [{"AttributeName": "⟦refresh_token_id⟧", "KeyType": "⟦HASH⟧"}]}
"""
