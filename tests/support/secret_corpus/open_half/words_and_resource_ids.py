"""Look-alikes: ordinary words, settings, ids of resources and encoded text."""

TEMPLATE = r"""
§§ analytics-and-public-id | Ids that pages show to everybody
§ index.html
<script async src="https://www.googletagmanager.com/gtag/js?id=⟦G-‹upper 10›⟧"></script>
§ app.js
Sentry.init({ dsn: "https://example.ingest.sentry.io/⟦‹digits 16›⟧" });
§ verify.html
<meta name="google-site-verification" content="⟦‹url64 43›⟧">
§ ads.txt
google.com, ⟦pub-‹digits 16›⟧, DIRECT, ⟦f08c47fec0942fa0⟧
§ dns.zone
@ IN TXT "⟦v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB‹b64 160›⟧"
§§ command-line-usage | Help texts and options without a value
§ docs/usage.md
  --password ⟦PASSWORD⟧   password of the user
  --token ⟦TOKEN⟧         access token
§ cli.py
parser.add_argument("--api-key", ⟦help="key of the service"⟧)
§ man.txt
mysql -u root -p ⟦shop⟧
       asks for the password
§ docs/ssh.md
ssh -p ⟦2222⟧ ana@example.com
mkdir -p ⟦/srv/app/releases⟧
§ docs/docker.md
docker run -p ⟦8080:80⟧ -u ⟦1000:1000⟧ acme/app
§ docs/stdin.md
cat token.txt | docker login -u acme ⟦--password-stdin⟧
§ docs/curl.md
curl -u ⟦"$USER:$PASS"⟧ https://example.com
§§ crypto-address-and-hash | Addresses, transactions and contracts of chains
§ docs/contract.md
The contract is at ⟦0x‹hex 40›⟧.
§ deployments.json
{"address": "⟦0x‹hex 40›⟧", "transactionHash": "⟦0x‹hex 64›⟧"}
§ notes/tx.md
https://etherscan.io/tx/⟦0x‹hex 64›⟧
§ donate.md
Bitcoin: ⟦bc1q‹bech32 38›⟧
§ genesis.go
var GenesisHash = common.HexToHash("⟦0x‹hex 64›⟧")
§ abi.json
{"bytecode": "⟦0x6080604052348015‹hex 300›⟧"}
§ ipfs.md
ipfs://⟦Qm‹base58 44›⟧
§§ email-and-names | Addresses, names and handles
§ AUTHORS
Ana Password <⟦ana.maria.gonzalez-lopez@subdomain.example.com⟧>
§ CODEOWNERS
/src/auth/ ⟦@acme/identity-and-access-management⟧
§ package.json
{"author": "⟦Tokyo Tools <info@tokyo-tools.example>⟧"}
§ chat.txt
ana: ask ⟦@tom_2024⟧ about the token
§ login.md
User name: ⟦svc-build-agent-07⟧
§§ encrypted-by-tool | Values that a tool has encrypted to be shared
§ group_vars/vault.yml
$ANSIBLE_VAULT;1.1;AES256
⟦‹hex 80›⟧
⟦‹hex 80›⟧
§ message.asc
‹begin PGP MESSAGE›

⟦‹wrap hQIMA 300›⟧
‹end PGP MESSAGE›
§ release.sig.asc
‹begin PGP SIGNATURE›

⟦‹wrap iQIzBAABCAAdFiEE 300›⟧
‹end PGP SIGNATURE›
§§ http-header-description | Headers in documentation and code without a value
§ docs/api.md
Send `Authorization: Bearer ⟦YOUR_TOKEN⟧` with each request.
§ cors.js
allowedHeaders: ['⟦Authorization⟧', '⟦X-Api-Key⟧', 'Content-Type']
§ openapi.yaml
securitySchemes:
  key:
    type: ⟦apiKey⟧
    name: ⟦X-API-Key⟧
    in: header
§ middleware.go
token := ⟦strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")⟧
§ proxy.conf
proxy_set_header Authorization ⟦$http_authorization⟧;
§ docs/basic.md
WWW-Authenticate: Basic ⟦realm="Access to the staging site"⟧
§§ key-as-name-of-field | key as the key of a map, of music, of a table
§ data.json
{"key": "⟦customer-address-line⟧", "value": "Main street"}
§ list.tsx
<li key={⟦item.id⟧}>{item.name}</li>
§ song.md
Key: ⟦B flat minor⟧
§ map.yaml
sort_key: ⟦created_at⟧
partition_key: ⟦customer_id⟧
§ keys.py
cache_key = f"⟦user:{user_id}:profile:v2⟧"
primary_key = ⟦True⟧
§ shortcuts.md
| Key | Action |
|---|---|
| ⟦Ctrl+Shift+K⟧ | delete the line |
§ i18n.js
t({ key: '⟦settings.security.apiKeys.emptyState.title⟧' })
§§ product-and-model-code | Product codes, serial formats and part numbers
§ parts.csv
part,description
⟦RES-0805-10K-1%⟧,resistor
§ manual.md
Model ⟦WH-1000XM4⟧, firmware ⟦2.5.1⟧
§ catalog.json
{"sku": "⟦TSHIRT-BLK-XL-2024⟧", "ean": "⟦40‹digits 11›⟧"}
§ hw.txt
MAC ⟦‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›:‹hex 2›⟧ IPv6 ⟦2001:db8:85a3::8a2e:370:‹hex 4›⟧
§ cve.md
⟦CVE-2024-‹digits 5›⟧ and ⟦GHSA-‹small 4›-‹small 4›-‹small 4›⟧ are fixed.
§§ regular-expression | Regular expressions and format strings
§ rules.js
const re = ⟦/^([A-Za-z0-9+\/]{4})*={0,2}$/⟧;
§ log.conf
log_format main '⟦$remote_addr - $remote_user [$time_local] "$request"⟧';
§ parse.py
TOKEN = re.compile(r"⟦(?P<name>[A-Z_][A-Z0-9_]*)=(?P<value>.+)⟧")
§ date.java
new SimpleDateFormat("⟦yyyy-MM-dd'T'HH:mm:ss.SSSXXX⟧");
§ sudoers
Defaults passprompt="⟦[sudo] password for %p: ⟧"
§§ storage-class-names | Names of classes, packages and modules with words of secrets
§ pom.xml
<class>⟦org.springframework.security.crypto.password.DelegatingPasswordEncoder⟧</class>
§ settings.py
AUTH_PASSWORD_VALIDATORS = [{"NAME": "⟦django.contrib.auth.password_validation.MinimumLengthValidator⟧"}]
§ import.ts
import { ⟦TokenInterceptor⟧ } from '@app/core/interceptors/⟦token.interceptor⟧';
§ spring.xml
<bean id="⟦passwordEncoder⟧" class="org.example.BCrypt"/>
§ requirements.txt
⟦django-rest-passwordreset⟧==1.3.0
⟦python-secrets-manager⟧==2.0
§ build.gradle
implementation "⟦com.google.android.gms:play-services-auth-api-phone⟧:18.0.1"
§§ toml-and-ini-sections | Section and property names with words of secrets
§ app.ini
[⟦password_policy⟧]
min_length = ⟦12⟧
§ setup.cfg
[⟦tool:secrets-checker⟧]
exclude = ⟦tests/fixtures⟧
§ pyproject.toml
[tool.detect-secrets]
exclude_files = "⟦.*\.lock$⟧"
§ .editorconfig
[*.⟦secret.yaml⟧]
indent_size = 2
§ mkdocs.yml
nav:
  - API keys: ⟦guide/api-keys.md⟧
  - Password reset: ⟦guide/reset.md⟧
§§ wiki-and-markdown-link | Links and headings with words of secrets
§ index.md
- [[⟦Password manager comparison⟧]]
- [Reset the password](⟦docs/how-to/reset-the-password.md#forgotten-password⟧)
§ toc.md
* [API keys](⟦#api-keys-and-access-tokens⟧)
§ notes/today.md
## Password: ⟦Ideas for the new policy⟧
§ tags.md
tags: ⟦security, passwords, tokens⟧
§ glossary.md
**Token**: ⟦a string that identifies a session⟧
**Secret key**: ⟦the private half of a key pair⟧
§ todo.md
- [ ] password: ⟦ask Tom how the rotation works⟧
"""
