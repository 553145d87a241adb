"""Look-alikes in data: hashes, lock files, identifiers, encoded data, certificates and public keys."""

TEMPLATE = r"""
§§ lock files of javascript | checksums of packages
§ package-lock.json
{
  "name": "web", "lockfileVersion": 3,
  "packages": {
    "node_modules/jsonwebtoken": {
      "version": "9.0.2",
      "resolved": "https://registry.npmjs.org/jsonwebtoken/-/jsonwebtoken-9.0.2.tgz",
      "integrity": "⟦sha512-‹bytes64 64›⟧"
    },
    "node_modules/password-prompt": {
      "version": "1.1.3",
      "integrity": "⟦sha512-‹bytes64 64›⟧"
    }
  }
}
§ yarn.lock
"@types/passport@^1.0.16":
  version "1.0.16"
  resolved "https://registry.yarnpkg.com/@types/passport/-/passport-1.0.16.tgz#⟦‹hex 40›⟧"
  integrity ⟦sha512-‹bytes64 64›⟧
§ pnpm-lock.yaml
  /csrf-token@3.1.0:
    resolution: {integrity: ⟦sha512-‹bytes64 64›⟧}
    engines: {node: '>= 0.8'}
§ bun.lock
    "secretlint": ["secretlint@8.2.4", "", { "bin": "bin/secretlint.js" }, "⟦sha512-‹bytes64 64›⟧"],
§§ lock files of other languages | checksums of packages
§ poetry.lock
[[package]]
name = "keyring"
version = "25.2.1"
files = [
    {file = "keyring-25.2.1-py3-none-any.whl", hash = "sha256:⟦‹hex 64›⟧"},
    {file = "keyring-25.2.1.tar.gz", hash = "sha256:⟦‹hex 64›⟧"},
]
§ Cargo.lock
[[package]]
name = "secrecy"
version = "0.8.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "⟦‹hex 64›⟧"
§ go.sum
github.com/golang-jwt/jwt/v5 v5.2.1 h1:⟦‹bytes64 32›⟧
github.com/golang-jwt/jwt/v5 v5.2.1/go.mod h1:⟦‹bytes64 32›⟧
§ requirements.txt
pyjwt==2.8.0 \
    --hash=sha256:⟦‹hex 64›⟧ \
    --hash=sha256:⟦‹hex 64›⟧
§ Podfile.lock
SPEC CHECKSUMS:
  KeychainAccess: ⟦‹hex 40›⟧
  FirebaseAuth: ⟦‹hex 40›⟧
§ flake.lock
{"nodes": {"nixpkgs": {"locked": {"lastModified": 1714253743, "narHash": "⟦sha256-‹bytes64 32›⟧",
 "owner": "NixOS", "repo": "nixpkgs", "rev": "⟦‹hex 40›⟧", "type": "github"}}}}
§§ checksum lists | files that list hashes of files
§ SHA256SUMS
⟦‹hex 64›⟧  harvester_0.4.1_linux_amd64.tar.gz
⟦‹hex 64›⟧  harvester_0.4.1_darwin_arm64.tar.gz
§ dist/app.js.md5
⟦‹hex 32›⟧  app.js
§ Formula/harvester.rb
class Harvester < Formula
  url "https://github.com/lumen-labs/harvester/archive/v0.4.1.tar.gz"
  sha256 "⟦‹hex 64›⟧"
end
§ PKGBUILD
source=("https://example.org/$pkgname-$pkgver.tar.gz")
sha256sums=('⟦‹hex 64›⟧')
validpgpkeys=('⟦‹HEX 40›⟧')
§§ commits and revisions | identifiers of version control
§ .git-blame-ignore-revs
# reformat with black
⟦‹hex 40›⟧
# sort imports
⟦‹hex 40›⟧
§ CHANGELOG.md
- rotate session token on login (⟦‹hex 40›⟧)
- **auth:** reset password by mail ([⟦‹x=hex 7›⟧](https://github.com/acme/web/commit/⟦‹hex 40›⟧))
§ .github/workflows/lint.yml
    steps:
      - uses: actions/checkout@⟦‹hex 40›⟧ # v4.1.7
      - uses: actions/create-github-app-token@⟦‹hex 40›⟧ # v1.10
§ .gitmodules.status
 ⟦‹hex 40›⟧ vendor/libsecret (0.21.4)
§§ identifiers | UUIDs and ids that are not secret
§ fixtures/users.json
[{"id": "⟦‹uuid›⟧", "name": "Kim", "session_count": 4}, {"id": "⟦‹uuid›⟧", "name": "Lee"}]
§ App.csproj
<PropertyGroup>
  <UserSecretsId>⟦‹uuid›⟧</UserSecretsId>
  <ProjectGuid>{⟦‹uuid›⟧}</ProjectGuid>
</PropertyGroup>
§ azure.env
AZURE_TENANT_ID=⟦‹uuid›⟧
AZURE_CLIENT_ID=⟦‹uuid›⟧
AZURE_SUBSCRIPTION_ID=⟦‹uuid›⟧
§ traces.log
2025-03-01T10:00:00Z INFO request_id=⟦‹uuid›⟧ trace_id=⟦‹hex 32›⟧ span_id=⟦‹hex 16›⟧ token refreshed
§ orders.csv
order_id,customer,etag
⟦ord_‹alnum 24›⟧,⟦cus_‹alnum 14›⟧,⟦‹hex 32›⟧
§§ resource names of clouds | ARNs, project and account ids
§ iam.json
{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "secretsmanager:GetSecretValue",
 "Resource": "⟦arn:aws:secretsmanager:eu-west-1:‹digits 12›:secret:prod/db/password-‹alnum 6›⟧"}]}
§ kms.tf
kms_key_id = "⟦arn:aws:kms:eu-central-1:‹digits 12›:key/‹uuid›⟧"
vpc_id     = "⟦vpc-‹hex 17›⟧"
§ gcp.yaml
serviceAccount: ⟦builder@harvester-‹digits 6›.iam.gserviceaccount.com⟧
secret: ⟦projects/‹digits 12›/secrets/db-password/versions/latest⟧
§ azure.bicep
var vaultId = '⟦/subscriptions/‹uuid›/resourceGroups/rg-prod/providers/Microsoft.KeyVault/vaults/kv-prod⟧'
§§ certificates | public certificates
§ certs/ca.pem
-----BEGIN CERTIFICATE-----
⟦‹wrap MIIDdzCCAl+gAwIBAgIE 700›⟧
-----END CERTIFICATE-----
§ k8s/webhook.yaml
webhooks:
  - name: policy.example.org
    clientConfig:
      caBundle: ⟦‹pem64 MIIC 400 CERTIFICATE›⟧
§ saml/metadata.xml
<ds:X509Data>
  <ds:X509Certificate>⟦MIIC‹b64 300›⟧</ds:X509Certificate>
</ds:X509Data>
§ fingerprints.md
SHA-1 fingerprint of the signing certificate: ⟦‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›⟧
§ csr.txt
-----BEGIN CERTIFICATE REQUEST-----
⟦‹wrap MIICijCCAXICAQAw 500›⟧
-----END CERTIFICATE REQUEST-----
§§ public keys | keys that are meant to be published
§ authorized_keys
ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧ kim@laptop
ssh-rsa ⟦AAAAB3NzaC1yc2EAAAADAQABAAAB‹b64 340›⟧ build@ci
§ ~/.ssh/known_hosts
github.com ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧
§ keys/jwt.pub
-----BEGIN PUBLIC KEY-----
⟦‹wrap MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A 390›⟧
-----END PUBLIC KEY-----
§ .sops.yaml
creation_rules:
  - path_regex: secrets/.*\.yaml
    age: ⟦age1‹bech32 58›⟧
§ dkim.zone
mail._domainkey IN TXT "v=DKIM1; k=rsa; p=⟦MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ‹b64 170›⟧"
§ minisign.pub
untrusted comment: minisign public key ‹HEX 16›
⟦RW‹b64 54›⟧
§§ keys for browsers | keys of web pages that are public by design
§ web/config.js
export const posthogKey = "⟦phc_‹alnum 43›⟧";
export const stripePublishableKey = "⟦pk_live_51‹alnum 97›⟧";
§ index.html
<script src="https://www.google.com/recaptcha/api.js"></script>
<div class="g-recaptcha" data-sitekey="⟦6L‹url64 38›⟧"></div>
<link rel="stylesheet" href="/app.css" integrity="⟦sha384-‹bytes64 48›⟧" crossorigin="anonymous">
<script>gtag('config', '⟦G-‹upper 10›⟧');</script>
§ sentry.ts
Sentry.init({ dsn: "⟦https://‹hex 32›@o‹digits 6›.ingest.sentry.io/‹digits 7›⟧" });
§ map.js
mapboxgl.accessToken = '⟦pk.eyJ1Ijoi‹alnum 60›.‹url64 22›⟧';
§§ encoded data | images, fonts and other data in base64
§ icons.css
.lock { background: url("⟦data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA‹b64 240›==⟧") }
@font-face { src: url(⟦data:font/woff2;base64,d09GMgABAAAAA‹b64 300›⟧) }
§ plot.ipynb
{"cells": [{"cell_type": "code", "metadata": {}, "execution_count": 2, "source": ["plot()"], "outputs": [
 {"data": {"image/png": "⟦iVBORw0KGgoAAAANSUhEUgAA‹b64 400›⟧"}, "metadata": {}, "output_type": "display_data"}]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
§ bundle.js.map
{"version":3,"sources":["auth.ts"],"names":["password","token"],"mappings":"⟦AAAA,‹alnum 6›;‹alnum 8›,SAASA⟧"}
§ mail.eml
Content-Type: application/pdf; name="invoice.pdf"
Content-Transfer-Encoding: base64

⟦‹wrap JVBERi0xLjQKJ 500›⟧
§ dump.txt
⟦‹dump 4›⟧
§§ minified code | built files with random-looking names
§ dist/main.‹hex 8›.js
!function(e,t){⟦"use strict";var n=t(‹number 100 999›),a=e.password||"",o=e.token?e.token:null⟧;return o}(this,n);
§ dist/manifest.json
{"main.js": "⟦/static/main.‹hex 20›.js⟧", "auth.css": "⟦/static/auth.‹hex 20›.css⟧"}
§ vendor/jquery.min.js
⟦a.ajaxSetup({username:null,password:null,headers:{}}),a.fn.extend({val:function(e){return e}})⟧
§ public/assets/⟦passwords-‹hex 64›⟧.js
export{};
§ static/js/⟦token-refresh.‹hex 20›.chunk⟧.js
export{};
§§ addresses and hashes of networks | public addresses of chains, devices and content
§ contracts/deployed.json
{"token": "⟦0x‹hex 40›⟧", "deployTx": "⟦0x‹hex 64›⟧", "chainId": 1}
§ ipfs.md
The dataset is pinned as ⟦Qm‹base58 44›⟧.
§ dhcp.conf
host printer { hardware ethernet ⟦‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›⟧; fixed-address 10.0.0.20; }
§ btc.md
Donations: ⟦bc1q‹bech32 38›⟧
§§ cache keys and entity tags | keys that name stored data
§ .github/workflows/cache.yml
      - uses: actions/cache@v4
        with:
          key: ⟦npm-${{ runner.os }}-${{ hashFiles('**/package-lock.json') }}⟧
          restore-keys: ⟦npm-${{ runner.os }}-⟧
§ cache.log
cache hit key=⟦user:‹digits 5›:profile:v3⟧ ttl=300
cache miss key=⟦thumb:‹hex 32›⟧
§ response.txt
HTTP/1.1 200 OK
ETag: "⟦‹hex 32›⟧"
X-Amz-Request-Id: ⟦‹upper 16›⟧
X-Cache-Key: ⟦/img/logo.png?v=‹hex 8›⟧
"""
