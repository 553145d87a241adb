"""Look-alikes in settings: placeholders, templates, references to secret stores, limits and switches."""

TEMPLATE = r"""
§§ placeholders in example files | values that ask to be replaced
§ .env.example
APP_KEY=⟦your-app-key-here⟧
DB_PASSWORD=⟦changeme⟧
STRIPE_SECRET_KEY=⟦sk_test_xxxxxxxxxxxxxxxxxxxxxxxx⟧
GITHUB_TOKEN=⟦<your token>⟧
SENTRY_AUTH_TOKEN=
§ config.sample.yml
smtp:
  user: robot@example.org
  password: ⟦REPLACE_ME⟧
api_token: ⟦"INSERT-TOKEN-HERE"⟧
§ terraform.tfvars.example
hcloud_token = "⟦XXXXXXXXXXXXXXXX⟧"
db_password  = "⟦<fill in>⟧"
§ README.md
export OPENAI_API_KEY=⟦sk-...⟧
export ANTHROPIC_API_KEY="⟦your_api_key⟧"
docker login -u ⟦<user>⟧ -p ⟦<password>⟧
§ env.template
JWT_SECRET=⟦please-change-this-secret⟧
MAIL_PASSWORD=⟦********⟧
§§ documented example keys | examples that the providers print in their manuals
§ docs/s3.md
    aws_access_key_id = ⟦AKIAIOSF‹›ODNN7EXAMPLE⟧
    aws_secret_access_key = ⟦wJalrXUtnFEMI/‹›K7MDENG/bPxRfiCYEXAMPLEKEY⟧
§ docs/example.http
GET https://api.example.com/v1/me
Authorization: Bearer ⟦YOUR_ACCESS_TOKEN⟧
§ docs/basic.md
Authorization: Basic ⟦QWxhZGRpbjpv‹›cGVuIHNlc2FtZQ==⟧
§ docs/urls.md
postgresql://⟦user:password@localhost:5432/mydatabase⟧
mongodb://⟦<username>:<password>@cluster0.example.mongodb.net⟧
https://⟦username:password@example.com⟧/path
§§ templates | places that a tool fills in
§ templates/secret.yaml
apiVersion: v1
kind: Secret
data:
  password: ⟦{{ .Values.db.password | b64enc | quote }}⟧
  token: ⟦{{ include "app.token" . }}⟧
§ roles/db/templates/my.cnf.j2
[client]
user={{ db_user }}
password=⟦{{ db_password }}⟧
§ config.php.dist
$password = '⟦%%DB_PASSWORD%%⟧';
$token = '⟦@API_TOKEN@⟧';
§ nginx.conf.erb
proxy_set_header Authorization "Basic ⟦<%= @basic_auth %>⟧";
proxy_set_header X-Token ⟦$http_x_token⟧;
§ compose.yaml
    environment:
      POSTGRES_PASSWORD: ⟦${POSTGRES_PASSWORD:?missing}⟧
      DATABASE_URL: postgres://app:⟦${POSTGRES_PASSWORD}⟧@db/app
      API_KEY: ⟦$API_KEY⟧
§§ references in pipelines | names of secrets that the service keeps
§ .github/workflows/release.yml
        env:
          NODE_AUTH_TOKEN: ⟦${{ secrets.NPM_TOKEN }}⟧
          GH_TOKEN: ⟦${{ github.token }}⟧
        with:
          password: ⟦${{ secrets.DOCKERHUB_TOKEN }}⟧
    permissions:
      id-token: ⟦write⟧
§ azure-pipelines.yml
  env:
    SYSTEM_ACCESSTOKEN: ⟦$(System.AccessToken)⟧
    DB_PASSWORD: ⟦$(dbPassword)⟧
§ Jenkinsfile
withCredentials([usernamePassword(credentialsId: '⟦nexus-deployer⟧', passwordVariable: '⟦NEXUS_PASSWORD⟧')]) {
    sh '⟦curl -u $NEXUS_USER:$NEXUS_PASSWORD $URL⟧'
}
§ .gitlab-ci.yml
  script:
    - docker login -u "$CI_REGISTRY_USER" -p ⟦"$CI_REGISTRY_PASSWORD"⟧ $CI_REGISTRY
    - curl -H "JOB-TOKEN: ⟦$CI_JOB_TOKEN⟧" "$CI_API_V4_URL/projects"
§§ references to secret stores | paths in Vault, 1Password, Key Vault and cluster secrets
§ deploy.yaml
        env:
          - name: DB_PASSWORD
            valueFrom:
              secretKeyRef: {name: ⟦shop-db⟧, key: ⟦password⟧}
        imagePullSecrets:
          - name: ⟦registry-credentials⟧
§ external.yaml
kind: ExternalSecret
spec:
  secretStoreRef: {kind: ClusterSecretStore, name: ⟦vault-backend⟧}
  data:
    - secretKey: ⟦smtp-password⟧
      remoteRef: {key: ⟦kv/data/mail/production⟧, property: ⟦password⟧}
§ op.env
DB_PASSWORD=⟦op://Production/database/password⟧
API_TOKEN=⟦vault:secret/data/api#token⟧
APP_SECRET=⟦@Microsoft.KeyVault(SecretUri=https://kv.example.net/secrets/app)⟧
§ app.toml
password_file = "⟦/run/secrets/db_password⟧"
private_key_path = "⟦/etc/ssl/private/server.key⟧"
password_command = "⟦pass show mail/work⟧"
§ serverless.yml
    environment:
      STRIPE_KEY: ⟦${ssm:/prod/stripe/secret_key}⟧
      DB_SECRET: ⟦'{{resolve:secretsmanager:prod/db:SecretString:password}}'⟧
§ values.yaml
auth:
  existingSecret: ⟦postgres-credentials⟧
  secretKeys:
    adminPasswordKey: ⟦postgres-password⟧
§§ switches and limits of authentication | settings about passwords that hold none
§ sshd_config
PasswordAuthentication ⟦no⟧
PermitRootLogin ⟦prohibit-password⟧
AuthorizedKeysFile ⟦.ssh/authorized_keys⟧
§ auth.yml
password_min_length: ⟦12⟧
token_lifetime: ⟦3600s⟧
token_endpoint: ⟦https://sso.example.org/oauth2/token⟧
secret_rotation: ⟦enabled⟧
api_key_required: ⟦true⟧
§ application.properties
security.password.encoder=⟦bcrypt⟧
jwt.token.issuer=⟦https://sso.example.org/realms/acme⟧
jwt.token.expiration-seconds=⟦900⟧
server.ssl.key-store=⟦classpath:keystore.p12⟧
§ pam.conf
password    requisite    ⟦pam_pwquality.so retry=3⟧
password    required     ⟦pam_unix.so sha512 shadow use_authtok⟧
§ my.cnf
default_authentication_plugin=⟦caching_sha2_password⟧
validate_password.policy=⟦MEDIUM⟧
§§ encrypted values | values that only the holder of a key can read
§ secrets.enc.yaml
db_password: ⟦ENC[AES256_GCM,data:‹b64 24›,iv:‹b64 43›=,tag:‹b64 22›==,type:str]⟧
sops:
  mac: ⟦ENC[AES256_GCM,data:‹b64 80›,iv:‹b64 43›=,tag:‹b64 22›==,type:str]⟧
§ sealed.yaml
kind: SealedSecret
spec:
  encryptedData:
    password: ⟦AgB‹b64 300›==⟧
§ group_vars/vault.yml
$ANSIBLE_VAULT;1.1;AES256
⟦‹digits 80›
‹digits 80›⟧
§ note.asc
-----BEGIN PGP MESSAGE-----

⟦‹wrap hQEMA 300›⟧
-----END PGP MESSAGE-----
§§ versions and images | digests and numbers of releases
§ deploy.yaml
      containers:
        - image: registry.example.org/token-service@sha256:⟦‹hex 64›⟧
        - image: ⟦quay.io/keycloak/keycloak:24.0.5-0⟧
§ Dockerfile
FROM python:3.12-slim@sha256:⟦‹hex 64›⟧
ARG SECRETS_VERSION=⟦2.14.0-rc.3+build.‹number 100 999›⟧
§ gradle.properties
jwtVersion=⟦0.12.5⟧
distributionSha256Sum=⟦‹hex 64›⟧
§ .pre-commit-config.yaml
  - repo: https://github.com/Yelp/detect-secrets
    rev: ⟦v1.5.0⟧
    hooks: [{id: detect-secrets, args: ['--baseline', ⟦'.secrets.baseline'⟧]}]
§§ metrics and dashboards | queries and names that contain token or password
§ alerts.yml
- alert: TokenErrors
  expr: ⟦sum(rate(auth_token_errors_total{job="api"}[5m])) > 0.05⟧
  annotations: {summary: ⟦"Password logins fail"⟧}
§ metrics.txt
auth_password_resets_total{tenant="⟦acme⟧"} ⟦1842⟧
llm_tokens_total{model="⟦gpt-4o-mini⟧"} ⟦98231412⟧
§ dashboard.json
{"uid": "⟦‹alnum 14›⟧", "title": "⟦Token usage⟧", "targets": [{"expr": "⟦vault_token_count⟧", "refId": "A"}]}
§§ addresses with long parts | URLs that hold ids, not secrets
§ links.md
- ⟦https://docs.google.com/document/d/1‹url64 43›/edit⟧
- ⟦https://www.figma.com/file/‹alnum 22›/Login-and-password-reset⟧
- ⟦https://www.youtube.com/watch?v=‹url64 11›⟧
- ⟦https://console.aws.amazon.com/secretsmanager/secret?name=prod%2Fdb⟧
§ docs/oauth.md
Discovery: ⟦https://login.microsoftonline.com/‹uuid›/v2.0/.well-known/openid-configuration⟧
Image: ⟦https://images.example.org/‹hex 2›/‹hex 40›_640x480.jpg⟧
§ remotes.txt
origin	⟦git@github.com:acme/password-store.git⟧ (fetch)
upstream	⟦https://github.com/acme/token-service.git⟧ (fetch)
§§ shell commands without secrets | commands that mention passwords only
§ create-user.sh
adduser --disabled-password --gecos ⟦"Build agent"⟧ builder
mysql -u root -p ⟦shop⟧ < schema.sql
ssh -o PasswordAuthentication=⟦no⟧ deploy@web01
docker login --password-stdin ⟦registry.example.org⟧ < token.txt
mkdir -p ⟦/srv/data/archive2024⟧
§ secrets.sh
kubectl create secret generic app --from-file=⟦tls.key=./certs/server.key⟧
vault kv get -field=⟦password⟧ secret/db
gh secret set ⟦NPM_TOKEN⟧ --body ⟦"$NPM_TOKEN"⟧
pass generate ⟦mail/work⟧ 24
§ Makefile
token:
	@test -n "$(TOKEN)" || (echo "⟦TOKEN is not set⟧" && exit 1)
	curl -H "Authorization: Bearer ⟦$(TOKEN)⟧" $(URL)
"""
