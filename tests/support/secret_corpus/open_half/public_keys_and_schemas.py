"""Look-alikes: public keys, numbers, URLs, schemas, prose and tables."""

TEMPLATE = r"""
§§ csv-column-without-values | CSV files whose password column has no secret
§ fields.csv
name,type,password
email,string,⟦no⟧
secret,string,⟦yes⟧
§ matrix.csv
system,password,token
mail,⟦required⟧,⟦optional⟧
§ users.csv
id,name,password_changed
1,ana,⟦2024-01-02⟧
§ glossary.csv
term;password
de;⟦Passwort⟧
§ tokens.csv
document,token_count
a.md,⟦1532⟧
§§ file-path | Paths with words of secrets
§ config.yaml
password_file: ⟦/run/secrets/db_password⟧
tls_key: ⟦/etc/ssl/private/server.key⟧
§ nginx.conf
ssl_certificate_key ⟦/etc/letsencrypt/live/example.com/privkey.pem⟧;
auth_basic_user_file ⟦/etc/nginx/.htpasswd⟧;
§ app.ini
private_key = ⟦C:\keys\service\private.pem⟧
§ docs/layout.md
- `⟦src/main/java/com/example/security/PasswordResetTokenRepository.java⟧`
§ main.py
KEY_PATH = "⟦~/.ssh/id_rsa⟧"
TOKEN_PATH = "⟦./data/token.json⟧"
§ deploy.sh
ssh -i ⟦~/.ssh/deploy_key.pem⟧ ubuntu@example.com
§§ long-identifier | Long names in camelCase and snake_case
§ Service.java
⟦abstractSingletonProxyFactoryBeanPasswordEncoderProvider⟧.init();
§ api.py
def ⟦create_password_reset_token_for_user_with_expiration⟧(user): ...
§ flags.yml
⟦enable_new_api_key_rotation_flow_for_enterprise_customers⟧: true
§ consts.h
#define ⟦CRYPTO_SECRETBOX_XSALSA20POLY1305_KEYBYTES⟧ 32U
§ metrics.go
const MetricName = "⟦vault_token_create_requests_total_by_namespace⟧"
§ Tests.cs
public void ⟦GivenInvalidPassword_WhenLoggingIn_ThenReturns401Unauthorized⟧() {}
§§ metrics-text | Prometheus metrics and log lines
§ metrics.txt
⟦http_requests_total{handler="/api/token",method="post",code="200"}⟧ 1027
§ rules.yml
expr: ⟦rate(vault_token_lookup_count[5m]) > 100⟧
§ app.log
2024-03-01 12:00:00 INFO ⟦password reset requested for user 4711⟧
§ auth.log
Mar  1 12:00:00 host sshd[811]: ⟦Failed password for invalid user admin from 203.0.113.5 port 51122 ssh2⟧
§ trace.log
DEBUG ⟦token expired, refreshing (attempt 2 of 3)⟧
§ gc.log
[0.012s][info][gc] ⟦Key table resized: 16384 -> 32768⟧
§§ prose-about-passwords-chinese | Chinese prose about passwords
§ docs/zh/security.md
密码是⟦以哈希形式存储的⟧。
§ docs/zh/token.md
令牌⟦从环境变量中读取⟧，密钥⟦不会写入日志⟧。
§ docs/zh/faq.md
如果密码⟦不正确，服务器返回 401⟧。
§ docs/zh/fields.md
密码：⟦必填⟧
§ docs/zh/reset.md
忘记密码时，请⟦点击“重置密码”⟧。
§§ prose-about-passwords-german | German prose about passwords
§ docs/de/sicherheit.md
Das Passwort ist ⟦verschlüsselt gespeichert⟧ und wird ⟦nie angezeigt⟧.
§ docs/de/anmeldung.md
Das Kennwort lautet ⟦für jeden Benutzer anders⟧.
§ hilfe.md
Passwort: ⟦mindestens zwölf Zeichen⟧
§ docs/de/token.md
Der Zugriffstoken wird ⟦aus der Umgebung gelesen⟧.
§ notizen.md
Das Passwort wurde ⟦gestern geändert⟧, der Schlüssel liegt ⟦im Tresor⟧.
§§ public-key-pem | Public keys in PEM
§ keys/public.pem
‹begin PUBLIC KEY›
⟦‹wrap MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA 340›⟧
‹end PUBLIC KEY›
§ config/jwt.py
PUBLIC_KEY = '''‹begin PUBLIC KEY›
⟦‹wrap MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE 80›⟧==
‹end PUBLIC KEY›'''
§ docs/pgp.md
‹begin PGP PUBLIC KEY BLOCK›

⟦‹wrap mQINB 600›⟧
‹end PGP PUBLIC KEY BLOCK›
§ minisign.pub
untrusted comment: minisign public key
⟦RWQ‹b64 53›⟧
§ age.txt
# public key: ⟦age1‹bech32 58›⟧
§ wg-peer.conf
[Peer]
PublicKey = ⟦‹bytes64 32›⟧
AllowedIPs = 10.8.0.0/24
§§ table-column-without-values | Tables whose password column describes
§ docs/api.md
| Field | Type | Required |
|---|---|---|
| password | ⟦string⟧ | ⟦yes⟧ |
| token | ⟦string⟧ | no |
§ docs/roles.md
| Role | Password | Token |
|---|---|---|
| admin | ⟦required⟧ | ⟦optional⟧ |
| guest | ⟦none⟧ | ⟦n/a⟧ |
§ docs/env.md
| Variable | Description |
|---|---|
| `DB_PASSWORD` | ⟦password of the database user⟧ |
| `API_KEY` | ⟦key of the mail service⟧ |
§ docs/policy.md
| Rule | Password |
|---|---|
| length | ⟦12 characters⟧ |
| lifetime | ⟦90 days⟧ |
§ docs/compare.md
| Product | API key |
|---|---|
| A | ⟦not supported⟧ |
| B | ⟦per user⟧ |
§§ url-long-id | URLs with long ids
§ notes/links.md
See https://docs.google.com/document/d/⟦1‹url64 43›⟧/edit
§ docs/design.md
Design: https://www.figma.com/file/⟦‹alnum 22›⟧/Login-page
§ docs/video.md
https://www.youtube.com/watch?v=⟦‹url64 11›⟧
§ notes/notion.md
https://www.notion.so/acme/Password-policy-⟦‹hex 32›⟧
§ refs.bib
url = {https://web.archive.org/web/20200101000000/https://example.com/⟦auth-token-guide-part-two⟧}
§ docs/drive.md
[Sheet](https://docs.google.com/spreadsheets/d/⟦1‹url64 43›⟧/edit#gid=0)
§ notes/cdn.md
https://images.example.com/photo-⟦‹digits 13›-‹hex 12›⟧?w=1200&q=80
"""
