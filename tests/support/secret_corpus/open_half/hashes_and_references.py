"""Look-alikes: hashes, ids, placeholders, references and names in code."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ cargo-gem-lock | Checksums of Cargo, Bundler, Composer, Nix, Elixir
§ Cargo.lock
[[package]]
name = "secrecy"
version = "0.8.0"
checksum = "⟦‹hex 64›⟧"
§ composer.lock
{"name": "lcobucci/jwt", "dist": {"type": "zip", "reference": "⟦‹hex 40›⟧", "shasum": ""}}
§ flake.lock
{"nodes": {"nixpkgs": {"locked": {"narHash": "⟦sha256-‹bytes64 32›⟧", "rev": "⟦‹hex 40›⟧"}}}}
§ mix.lock
"plug_crypto": {:hex, :plug_crypto, "2.0.0", "⟦‹hex 64›⟧", [:mix], [], "hexpm"},
§ Gemfile.lock
CHECKSUMS
  bcrypt (3.1.20) sha256=⟦‹hex 64›⟧
§ pubspec.lock
  crypto:
    description:
      name: crypto
      sha256: "⟦‹hex 64›⟧"
§§ checksum-file | Files of checksums
§ SHA256SUMS
⟦‹hex 64›⟧  app-1.2.0.tar.gz
⟦‹hex 64›⟧  app-1.2.0.zip
§ dist/app.iso.md5
⟦‹hex 32›⟧  app.iso
§ release.sha512
⟦‹hex 128›⟧ *installer.exe
§ docs/download.md
SHA-256 of the installer: `⟦‹hex 64›⟧`
§ Formula/app.rb
  url "https://example.com/app-1.2.0.tar.gz"
  sha256 "⟦‹hex 64›⟧"
§ PKGBUILD
pkgver=1.2.0
sha256sums=('⟦‹hex 64›⟧')
§§ content-hash-file-name | Names of built files with a hash
§ dist/index.html
<script type="module" src="/assets/index-⟦‹hex 8›⟧.js"></script>
<link rel="stylesheet" href="/static/css/main.⟦‹hex 20›⟧.css">
§ build/asset-manifest.json
{"main.js": "/static/js/⟦main.‹hex 20›.js⟧", "logo.svg": "/static/media/⟦logo.‹hex 32›.svg⟧"}
§ public/mix-manifest.json
{"/js/app.js": "/js/app.js?id=⟦‹hex 32›⟧"}
§ storybook/token-list.html
<script src="./tokens-⟦‹alnum 8›⟧.bundle.js"></script>
§§ docker-digest | Digests of images
§ Dockerfile
FROM python:3.12-slim@sha256:⟦‹hex 64›⟧
§ docker-compose.yml
services:
  vault:
    image: hashicorp/vault@sha256:⟦‹hex 64›⟧
§ k8s/deploy.yaml
containers:
  - name: oauth2-proxy
    image: quay.io/oauth2-proxy/oauth2-proxy@sha256:⟦‹hex 64›⟧
§ docs/images.md
`docker pull acme/app` printed `Digest: sha256:⟦‹hex 64›⟧`.
§ inspect.json
{"Id": "sha256:⟦‹hex 64›⟧", "RepoTags": ["acme/app:1.0"]}
§§ environment-variable-shell | References to variables in shell and settings
§ deploy.sh
docker login -u "$USER" -p "⟦$REGISTRY_PASSWORD⟧"
curl -H "Authorization: Bearer ⟦${API_TOKEN}⟧" https://example.com
§ docker-compose.yml
services:
  db:
    environment:
      POSTGRES_PASSWORD: ⟦${DB_PASSWORD:?missing}⟧
§ application.yml
spring:
  datasource:
    password: ⟦${DB_PASSWORD}⟧
§ .npmrc
//registry.npmjs.org/:_authToken=⟦${NPM_TOKEN}⟧
§ backup.sh
PGPASSWORD=⟦"$(cat /run/secrets/pg)"⟧ pg_dump shop
sshpass -p "⟦$SSH_PASS⟧" ssh host
§ run.ps1
$token = ⟦$env:GITHUB_TOKEN⟧
§ .env
TOKEN_FILE=⟦/run/secrets/api_token⟧
§§ example-key-documented | Example keys of providers' documentation
§ docs/aws.md
aws_access_key_id = ⟦AKIA‹›IOSFODNN7EXAMPLE⟧
§ tests/test_s3.py
SECRET = "⟦wJalrXUtnFEMI/K7MDENG/‹›bPxRfiCYEXAMPLEKEY⟧"
§ docs/sign.md
The examples use the key id `⟦AKIA‹›I44QH8DHBEXAMPLE⟧`.
§ docs/azurite.md
The emulator's well-known account is called ⟦devstoreaccount1⟧.
§ README.md
GITHUB_TOKEN=⟦ghp_EXAMPLETOKENEXAMPLETOKENEXAMPLETOKEN⟧
§ docs/keys.md
    API_KEY=⟦example-api-key⟧
    TOKEN=⟦example_token_1234567890⟧
§§ git-action-pin | GitHub Actions pinned to a commit
§ .github/workflows/ci.yml
steps:
  - uses: actions/checkout@⟦‹hex 40›⟧ # v4.1.1
  - uses: actions/setup-python@⟦‹hex 40›⟧ # v5
§ .github/workflows/scan.yml
jobs:
  scan:
    uses: acme/workflows/.github/workflows/scan.yml@⟦‹hex 40›⟧
§ .github/workflows/token-check.yml
    - name: Check token permissions
      uses: acme/token-permissions@⟦‹hex 40›⟧
§§ go-sum | Module sums of Go
§ go.sum
github.com/golang-jwt/jwt/v5 v5.2.0 h1:⟦‹bytes64 32›⟧
github.com/golang-jwt/jwt/v5 v5.2.0/go.mod h1:⟦‹bytes64 32›⟧
§ tools/go.sum
golang.org/x/oauth2 v0.15.0 h1:⟦‹bytes64 32›⟧
github.com/99designs/keyring v1.2.2/go.mod h1:⟦‹bytes64 32›⟧
§ vendor/modules.sum
k8s.io/client-go v0.29.0 h1:⟦‹bytes64 32›⟧
§ go.mod
require github.com/acme/secret v0.0.0-20240102150405-⟦‹hex 12›⟧
§§ password-parameter-code | password as a parameter or a variable
§ auth.py
def login(user: str, password: str) -> bool:
    return verify(⟦password=password⟧)
§ client.py
session = Session(token=⟦self._token⟧, password=⟦settings.password⟧)
§ auth.js
function login({ user, ⟦password⟧ }) { return api.post('/login', { user, password: ⟦form.password⟧ }); }
§ auth.rb
user.authenticate(⟦params[:password]⟧)
§ Auth.java
this.password = ⟦Objects.requireNonNull(password)⟧;
§ auth.go
req.Header.Set("Authorization", ⟦"Bearer "+token⟧)
§ login.php
$password = ⟦$_POST['password']⟧;
§ token.py
token = ⟦generate_token(user_id)⟧
secret = ⟦secrets.token_urlsafe(32)⟧
§§ password-validation-code | Code that checks passwords
§ validate.ts
if (password.length < 12) throw new Error("⟦Password must be at least 12 characters⟧");
§ forms.py
if password != ⟦confirm_password⟧:
    raise ValueError("⟦Passwords do not match⟧")
§ user.rb
validates :password, ⟦length: { minimum: 8 }⟧, presence: true
§ check.js
const PASSWORD_REGEX = ⟦/^(?=.*[A-Z])(?=.*\d).{8,}$/⟧;
§ schema.json
{"properties": {"password": {"type": "⟦string⟧", "minLength": 12, "format": "⟦password⟧"}}}
§ Policy.java
if (!⟦passwordEncoder.matches(raw, user.getPassword())⟧) { throw new BadCredentialsException("⟦Bad credentials⟧"); }
§ tests/test_auth.py
assert "password" ⟦not in response.json()⟧
§§ placeholder-angle-brackets | Placeholders in angle brackets, braces and percent signs
§ docs/api.md
curl -H "Authorization: Bearer ⟦<token>⟧" https://api.example.com
§ docs/login.md
    docker login -u ⟦<username>⟧ -p ⟦<password>⟧
§ docs/db.md
postgres://⟦<user>:<password>⟧@localhost/db
§ docs/templates.md
password: ⟦{{ db_password }}⟧
§ chart/templates/secret.yaml
  password: ⟦{{ .Values.auth.password | b64enc | quote }}⟧
§ docs/url.md
https://⟦{username}:{password}⟧@host/path
§ run.bat
connect --password ⟦%DB_PASSWORD%⟧
§ docs/header.md
X-Api-Key: ⟦[your key]⟧
§§ placeholder-null-value | Empty and null values
§ config.yaml
password: ⟦null⟧
token: ⟦""⟧
§ settings.py
API_KEY = ⟦None⟧
§ config.json
{"password": ⟦null⟧, "secret": ⟦false⟧}
§ app.rb
@token = ⟦nil⟧
§ values.yaml
auth:
  existingSecret: ""
  passwordEnabled: ⟦true⟧
  tokenTtl: ⟦3600⟧
§§ secret-store-reference | References to vaults and secret managers
§ k8s/deploy.yaml
- name: DB_PASSWORD
  valueFrom:
    secretKeyRef:
      name: ⟦db-credentials⟧
      key: ⟦password⟧
§ main.tf
password = ⟦data.aws_secretsmanager_secret_version.db.secret_string⟧
token    = ⟦var.api_token⟧
§ playbook.yml
db_password: ⟦"{{ lookup('hashi_vault', 'secret=db:password') }}"⟧
§ .env
DB_PASSWORD=⟦op://Production/Database/password⟧
§ serverless.yml
apiKey: ⟦${ssm:/prod/api-key}⟧
§ values.yaml
auth:
  existingSecret: ⟦postgres-credentials⟧
  secretName: ⟦shop-tls-certificate⟧
§§ source-map | Source maps
§ app.js.map
{"version":3,"sources":["token.ts"],"mappings":"⟦AAAA,SAASA,EAAMC,GACb,OAAOA,EAAEC,QAAQ;AAEjB,IAAMC,EAAQ⟧","names":["token","password"]}
§ dist/style.css.map
{"version":3,"mappings":"⟦AACA,gBACE,MAAO,CAAC,OAAQ,CAAC,QAAS⟧","file":"style.css"}
§ lib/index.js
module.exports = {};
//# sourceMappingURL=⟦index.js.map⟧
§ dist/main.js
//# sourceMappingURL=data:application/json;base64,⟦‹base64 {"version":3,"sources":["main.ts"],"names":[],"mappings":"AAAA"}›⟧
§§ sri-html | Subresource integrity in pages
§ index.html
<script src="https://cdn.example.com/jquery.min.js" integrity="⟦sha256-‹bytes64 32›⟧" crossorigin="anonymous"></script>
§ templates/base.html
<link rel="stylesheet" href="/bootstrap.css" integrity="⟦sha384-‹bytes64 48›⟧">
§ nginx/csp.conf
add_header Content-Security-Policy "script-src 'self' '⟦sha256-‹bytes64 32›⟧'";
§ layout.erb
<script defer src="/app.js" integrity="⟦sha512-‹bytes64 64›⟧"></script>
§§ token-format-documentation | Pages that describe the format of a token
§ docs/scanners.md
A personal access token begins with `⟦ghp_⟧` and has 36 characters after it.
§ docs/patterns.md
| Provider | Pattern |
|---|---|
| AWS | `⟦AKIA[0-9A-Z]{16}⟧` |
| Slack | `⟦xox[baprs]-[0-9a-zA-Z-]{10,48}⟧` |
§ scanner/rules.py
GITLAB = re.compile(r"⟦glpat-[\w-]{20}⟧")
§ .gitleaks.toml
regex = '''⟦(?i)api[_-]?key\s*=\s*["'][a-z0-9]{32}["']⟧'''
§ docs/jwt.md
A JWT has three parts: `⟦header.payload.signature⟧`.
§ docs/stripe.md
Keys start with ⟦sk_live_⟧ or ⟦sk_test_⟧, the publishable ones with pk_.
§ docs/pem.md
The file must contain the line ⟦BEGIN PRIVATE KEY⟧ between five hyphens.
§§ ulid-and-object-id | ULIDs, KSUIDs, ObjectIds, snowflakes and nano ids as ids
§ events.json
{"event_id": "⟦01H‹crockford 23›⟧", "type": "order.created"}
§ fixtures/users.json
{"_id": {"$oid": "⟦‹hex 24›⟧"}, "name": "Ana"}
§ docs/tracing.md
traceparent: 00-⟦‹hex 32›⟧-‹hex 16›-01
§ logs/app.log
INFO span=⟦‹hex 16›⟧ trace=⟦‹hex 32›⟧ request finished
§ tests/data.py
ORDER_ID = "⟦ord_‹alnum 24›⟧"
§ messages.json
{"channel_id": "⟦‹digits 18›⟧", "message_id": "⟦‹digits 19›⟧"}
§§ uuid | UUIDs as ids
§ config.yaml
tenant_id: ⟦‹uuid›⟧
client_id: ⟦‹uuid›⟧
§ data/items.json
[{"id": "⟦‹uuid›⟧", "name": "lamp"}]
§ App.sln
Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "App", "App\App.csproj", "{⟦‹uuid›⟧}"
§ docs/errors.md
The request id was ⟦‹uuid›⟧.
§ migrations/seed.sql
INSERT INTO roles (id, name) VALUES ('⟦‹uuid›⟧', 'reader');
§ etc/fstab
UUID=⟦‹uuid›⟧ / ext4 defaults 0 1
§ src/Device.kt
val SERVICE: UUID = UUID.fromString("⟦‹uuid›⟧")
"""
