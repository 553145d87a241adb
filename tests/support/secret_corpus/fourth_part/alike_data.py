"""Look-alikes in data: hashes, lock files, ids, encodings, certificates, addresses."""

from __future__ import annotations

TEMPLATE = r"""
§§ npm lock file | package-lock.json, yarn.lock, pnpm-lock.yaml
§ package-lock.json
{
  "node_modules/token-types": {
    "version": "5.0.1",
    "resolved": "https://registry.npmjs.org/token-types/-/token-types-5.0.1.tgz",
    "integrity": "⟦sha512-‹bytes64 64›⟧",
    "engines": {"node": ">=14.16"}
  },
  "node_modules/password-prompt": {
    "version": "1.1.3",
    "integrity": "⟦sha512-‹bytes64 64›⟧"
  }
}
§ yarn.lock
"@smithy/credential-provider-imds@^4.0.1":
  version "4.0.1"
  resolved "https://registry.yarnpkg.com/@smithy/credential-provider-imds/-/imds-4.0.1.tgz#⟦‹hex 40›⟧"
  integrity ⟦sha512-‹bytes64 64›⟧
§ pnpm-lock.yaml
packages:
  js-tokens@4.0.0:
    resolution: {integrity: ⟦sha512-‹bytes64 64›⟧}
  keytar@7.9.0:
    resolution: {integrity: ⟦sha512-‹bytes64 64›⟧}

§§ other lock files | Cargo.lock, poetry.lock, go.sum, flake.lock, composer.lock
§ Cargo.lock
[[package]]
name = "secrecy"
version = "0.8.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "⟦‹hex 64›⟧"
§ poetry.lock
[[package]]
name = "keyring"
version = "25.2.1"
files = [
    {file = "keyring-25.2.1-py3-none-any.whl", hash = "⟦sha256:‹hex 64›⟧"},
]
§ go.sum
github.com/golang-jwt/jwt/v5 v5.2.1 ⟦h1:‹bytes64 32›⟧
github.com/zalando/go-keyring v0.2.5 ⟦h1:‹bytes64 32›⟧
§ flake.lock
{"nodes": {"agenix": {"locked": {"lastModified": 1716561646, "narHash": "⟦sha256-‹bytes64 32›⟧",
 "rev": "⟦‹hex 40›⟧", "type": "github"}}}}
§ requirements.txt
passlib==1.7.4 \
    --hash=sha256:⟦‹hex 64›⟧

§§ commit hash | Ids of commits in notes, logs and settings
§ CHANGELOG.md
- **auth:** rotate refresh tokens on use ([⟦‹hex 7›⟧](https://github.com/lumen/engine/commit/⟦‹hex 40›⟧))
§ .git-blame-ignore-revs
# Rename password field
⟦‹hex 40›⟧
§ .pre-commit-config.yaml
repos:
  - repo: https://github.com/Yelp/detect-secrets
    rev: ⟦‹hex 40›⟧
§ .github/workflows/scan.yml
      - uses: trufflesecurity/trufflehog@⟦‹hex 40›⟧ # v3.82.6
      - uses: hashicorp/vault-action@⟦‹hex 40›⟧

§§ checksums | Hashes of files and images
§ SHA256SUMS
⟦‹hex 64›⟧  secret-tool-1.2.0-linux-amd64.tar.gz
⟦‹hex 64›⟧  secret-tool-1.2.0-darwin-arm64.tar.gz
§ Formula/vaultctl.rb
class Vaultctl < Formula
  url "https://github.com/lumen/vaultctl/archive/v1.3.0.tar.gz"
  sha256 "⟦‹hex 64›⟧"
end
§ k8s/api.yaml
      containers:
        - name: token-service
          image: registry.lumen.example/token-service@sha256:⟦‹hex 64›⟧
§ public/index.html
<script src="https://cdn.lumen.example/auth.min.js" integrity="⟦sha384-‹bytes64 48›⟧" crossorigin="anonymous"></script>
§ dist/meta.txt
md5: ⟦‹hex 32›⟧
sha1: ⟦‹hex 40›⟧

§§ uuids | Ids of records, tenants and objects
§ fixtures/users.json
[{"id": "⟦‹uuid›⟧", "name": "Nora", "tenant_id": "⟦‹uuid›⟧"}]
§ infra/roles.bicep
// Key Vault Secrets User
var roleId = '⟦‹uuid›⟧'
§ App.sln
Project("{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}") = "Auth.Tokens", "Auth.Tokens.csproj", "{⟦‹uuid›⟧}"
§ logs/request.log
2024-03-01T10:00:01Z INFO request_id=⟦‹uuid›⟧ path=/oauth/token status=200 trace=⟦‹hex 32›⟧

§§ record ids | Ids of services which are public by themselves
§ notes/stripe.md
Refund for charge ⟦ch_3‹alnum 23›⟧ of customer ⟦cus_‹alnum 14›⟧ was sent.
§ docs/ids.md
Spreadsheet: https://docs.google.com/spreadsheets/d/⟦1‹url64 43›⟧/edit
Video: https://www.youtube.com/watch?v=⟦‹url64 11›⟧
§ db/export.csv
id,customer,created
⟦01H‹crockford 23›⟧,17,2024-01-01
⟦01J‹crockford 23›⟧,18,2024-01-02
§ seeds/mongo.js
db.users.insertOne({ _id: ObjectId("⟦‹hex 24›⟧"), name: "Ana" });
§ slack/channels.yml
alerts: ⟦C0‹upper 9›⟧
team: ⟦T0‹upper 9›⟧

§§ arns and resource names | Names of resources in clouds
§ infra/output.json
{"secret_arn": "⟦arn:aws:secretsmanager:eu-west-1:‹digits 12›:secret:prod/db-AbCdEf⟧",
 "key": "⟦arn:aws:kms:eu-west-1:‹digits 12›:key/‹uuid›⟧"}
§ serverless.yml
provider:
  environment:
    TOKEN_TABLE: ⟦arn:aws:dynamodb:us-east-1:‹digits 12›:table/refresh-tokens⟧
§ docs/gcp.md
The function reads ⟦projects/lumen-prod/secrets/db-password/versions/latest⟧ at start.
§ azure/params.md
Vault: ⟦/subscriptions/‹uuid›/resourceGroups/prod/providers/Microsoft.KeyVault/vaults/lumen-kv⟧

§§ certificate | RFC 7468: a certificate is public
§ certs/ca.pem
-----BEGIN CERTIFICATE-----
⟦‹wrap MIIDdzCCAl+gAwIBAgIE 900›⟧
-----END CERTIFICATE-----
§ k8s/webhook.yaml
webhooks:
  - name: secrets.lumen.example
    clientConfig:
      caBundle: ⟦‹pem64 MIIDITCCAgmgAwIBAgII 800 CERTIFICATE›⟧
§ docs/tls.md
SHA-256 fingerprint: ⟦‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›⟧

§§ public key | Public halves of keys
§ .ssh/authorized_keys
ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧ nora@laptop
ssh-rsa ⟦AAAAB3NzaC1yc2EAAAADAQABAAABgQ‹b64 320›⟧ deploy@ci
§ keys/jwt.pub
-----BEGIN PUBLIC KEY-----
⟦‹wrap MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA 340›⟧
-----END PUBLIC KEY-----
§ .sops.yaml
creation_rules:
  - path_regex: secrets/.*\.yaml$
    age: ⟦age1‹bech32 58›⟧
§ wg/peer.conf
[Peer]
PublicKey = ⟦‹bytes64 32›⟧
AllowedIPs = 10.7.0.0/24
§ .ssh/known_hosts
git.lumen.example ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧
§ jwks.json
{"keys": [{"kty": "RSA", "use": "sig", "kid": "⟦‹url64 27›⟧", "e": "AQAB", "n": "⟦‹url64 342›⟧"}]}

§§ base64 data | Images, fonts and source maps
§ css/icons.css
.key-icon { background: url("data:image/png;base64,⟦iVBORw0KGgoAAAANSUhEUgAA‹b64 200›⟧"); }
§ notebooks/plot.ipynb
{"output_type": "display_data", "data": {"image/png": "⟦iVBORw0KGgoAAAANSUhEUgAA‹b64 300›⟧"}}
§ js/app.js
//# sourceMappingURL=data:application/json;base64,⟦eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb‹b64 160›⟧

§§ minified code | Bundles with short names
§ static/login.min.js
⟦function p(t,e){return t.password===e.password?null:{mismatch:!0}}var k=t=>t.token||t.get("token");⟧export{p as v};
§ static/vendor.min.js
⟦!function(e,t){"object"==typeof exports?module.exports=t():e.Auth=t()}(this,function(){var token=null,secret=void 0⟧});
§ dist/main.8f3a.js
⟦const r={apiKey:e.apiKey,authToken:n.authToken,password:o.value};⟧i(r).then(s=>s.json())

§§ cache keys and bundle names | Names with hashes in them
§ .github/workflows/build.yml
      - uses: actions/cache@v4
        with:
          path: ~/.npm
          key: ⟦${{ runner.os }}-node-${{ hashFiles('**/package-lock.json') }}⟧
          restore-keys: ⟦${{ runner.os }}-node-⟧
§ asset-manifest.json
{"main.js": "⟦/static/js/main.‹hex 8›.js⟧", "auth.css": "⟦/static/css/auth.‹hex 20›.css⟧"}
§ .circleci/config.yml
      - restore_cache:
          key: ⟦v3-gems-{{ checksum "Gemfile.lock" }}⟧
§ redis/keys.txt
⟦session:user:48121:prefs:v2⟧
⟦token-bucket:ip:10.0.4.17:60s⟧

§§ blockchain address | Addresses and transaction ids are public
§ deployments/mainnet.json
{"Token": "⟦0x‹hex 40›⟧", "txHash": "⟦0x‹hex 64›⟧", "block": 19384411}
§ DONATE.md
Bitcoin: `⟦bc1q‹bech32 38›⟧`

§§ hex dump and colours | Bytes in text
§ docs/protocol.md
```
⟦‹dump 3›⟧
```
§ theme/tokens.json
{"color": {"token": {"keyword": "⟦#d73a49⟧", "string": "⟦#032f62⟧"}}}

§§ versions and hosts | Names of products, hosts and versions with digits
§ inventory.md
| Host | Model | OS |
|---|---|---|
| ⟦srv-fra1-k8s-node-07⟧ | ⟦PowerEdge-R740xd2⟧ | Ubuntu 22.04.4 |
| ⟦auth-tok-svc-7d9c6b5f4-x2lqz⟧ | pod | ⟦v1.29.4+k3s1⟧ |
§ logs/k8s.txt
pod/⟦password-reset-worker-‹hex 10›-‹lower 5›⟧ Running
job/⟦rotate-secrets-28571040⟧ Completed
§ firmware.md
Key switch ⟦MX1A-E1NW⟧, token reader ⟦ACR122U-A9⟧, lock ⟦KX-TG6812GB⟧.
"""
