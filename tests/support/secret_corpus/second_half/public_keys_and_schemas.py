"""Look-alikes: public keys, numbers, URLs, schemas, prose and tables."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ certificate | Certificates
§ certs/ca.crt
‹begin CERTIFICATE›
⟦‹wrap MIID 1000›⟧
‹end CERTIFICATE›
§ kube/config
clusters:
- cluster:
    certificate-authority-data: ⟦‹pem64 MIIC 900 CERTIFICATE›⟧
    server: https://10.0.0.1:6443
§ saml/idp.xml
<ds:X509Certificate>⟦MIIC‹b64 500›⟧</ds:X509Certificate>
§ csr/request.csr
‹begin CERTIFICATE REQUEST›
⟦‹wrap MIIC 500›⟧
‹end CERTIFICATE REQUEST›
§ dh.pem
‹begin DH PARAMETERS›
⟦‹wrap MIIBCAKCAQEA 340›⟧
‹end DH PARAMETERS›
§§ doi-and-isbn | DOI, ISBN, ISSN, arXiv
§ refs.bib
doi = {⟦10.1145/3318464.3389‹digits 3›⟧}, isbn = {⟦978-3-16-148410-‹digits 1›⟧}
§ paper.md
[1] Password guessing. https://doi.org/⟦10.1109/SP.2012.‹digits 2›⟧
§ notes/book.md
ISBN ⟦9780131103‹digits 3›⟧, ISSN ⟦1234-567X⟧
§ reading.md
arXiv:⟦2005.‹digits 5›⟧ on secret sharing
§ refs.ris
DO  - ⟦10.1007/978-3-030-12345-6_‹digits 2›⟧
§§ fingerprint | Fingerprints of keys and certificates
§ docs/ssh.md
The server's key is ⟦SHA256:‹b64 43›⟧ (ED25519).
§ keys/README.md
Key fingerprint = ⟦‹HEX 4› ‹HEX 4› ‹HEX 4› ‹HEX 4› ‹HEX 4›  ‹HEX 4› ‹HEX 4› ‹HEX 4› ‹HEX 4› ‹HEX 4›⟧
§ docs/android.md
SHA1: ⟦‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›:‹HEX 2›⟧
§ SECURITY.md
Encrypt mails with the key ⟦0x‹HEX 16›⟧.
§ apt.sh
gpg --recv-keys ⟦‹HEX 40›⟧
§§ hex-dump | Hex dumps and byte arrays
§ docs/protocol.md
```
⟦‹dump 4›⟧
```
§ firmware/table.c
static const uint8_t sbox[16] = { ⟦0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›, 0x‹hex 2›⟧ };
§ packet.txt
0000   ⟦‹hex 2› ‹hex 2› ‹hex 2› ‹hex 2› ‹hex 2› ‹hex 2› ‹hex 2› ‹hex 2›⟧
§ core.asm
    mov rax, ⟦0x‹hex 16›⟧
§ regs.md
The register at ⟦0x4002‹hex 4›⟧ holds the key index.
§§ licence-text | Licence headers and notices
§ LICENSE
⟦THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED⟧
§ src/a.c
/* ⟦SPDX-License-Identifier: GPL-2.0-or-later WITH Classpath-exception-2.0⟧ */
§ NOTICE
⟦This product includes software developed for password hashing (http://www.example.org/bcrypt).⟧
§ COPYING
⟦You may convey a covered work under sections 3 and 4 without disclosing any secret key.⟧
§§ phone-and-account-number | Numbers of phones, orders, accounts
§ contact.md
Phone: ⟦+49 30 ‹digits 4› ‹digits 4›⟧, fax ⟦+49 30 ‹digits 7›⟧
§ orders.csv
order,customer,total
⟦‹digits 12›⟧,ana,20.00
§ invoice.txt
IBAN of the shop: ⟦DE‹digits 2› ‹digits 4› ‹digits 4› ‹digits 4› ‹digits 4› ‹digits 2›⟧
§ shipping.md
Tracking number ⟦1Z‹upper 16›⟧
§ aws.md
Account ⟦‹digits 12›⟧, role ⟦arn:aws:iam::‹digits 12›:role/deploy⟧
§ dates.log
⟦1709‹digits 9›⟧ started
§§ prose-about-passwords | English prose about passwords
§ docs/security.md
The password is ⟦stored as a hash⟧ with bcrypt.
§ docs/auth.md
⟦The token is read from the environment.⟧ The password must ⟦not be logged⟧.
§ README.md
If the password is ⟦wrong, the server answers with 401⟧.
§ docs/policy.md
A password is ⟦required⟧ and must have ⟦twelve characters⟧.
§ docs/faq.md
Your password is ⟦never sent to us⟧; the secret is ⟦derived from it on your machine⟧.
§ docs/tokens.md
Each access token is ⟦valid for one hour⟧. The API key is ⟦passed in a header⟧.
§ notes/meeting.md
Tom asked whether the password was ⟦changed after the incident⟧.
§§ prose-about-passwords-french-spanish | French and Spanish prose about passwords
§ docs/fr/securite.md
Le mot de passe est ⟦chiffré avant d'être enregistré⟧.
§ docs/es/seguridad.md
La contraseña es ⟦obligatoria⟧ y se guarda ⟦cifrada⟧.
§ docs/fr/aide.md
Mot de passe : ⟦obligatoire⟧
§ docs/es/token.md
El token se lee ⟦de una variable de entorno⟧.
§§ prose-about-passwords-japanese | Japanese prose about passwords
§ docs/ja/security.md
パスワードは⟦ハッシュとして保存されます⟧。
§ docs/ja/token.md
トークンは⟦環境変数から読み込まれます⟧。
§ docs/ja/faq.md
パスワードを⟦忘れた場合は管理者に連絡してください⟧。
§ docs/ja/policy.md
パスワード：⟦必須⟧
§ docs/ja/key.md
APIキーは⟦設定画面で発行できます⟧。
§§ public-key-ssh | Public SSH keys
§ .ssh/id_ed25519.pub
ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧ ana@laptop
§ authorized_keys
ssh-rsa ⟦AAAAB3NzaC1yc2EAAAADAQABAAABAQ‹b64 340›⟧ deploy
§ known_hosts
github.com ssh-ed25519 ⟦AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧
§ terraform/key.tf
resource "aws_key_pair" "ana" {
  public_key = "⟦ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 43›⟧"
}
§ cloud-init.yml
ssh_authorized_keys:
  - ⟦ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB‹b64 87›=⟧ tom
§§ sql-schema | Schemas with a password column and no values
§ schema.sql
CREATE TABLE users (
    id serial PRIMARY KEY,
    password ⟦varchar(255) NOT NULL⟧,
    api_token ⟦char(40) UNIQUE⟧
);
§ migrate.sql
ALTER TABLE users ADD COLUMN ⟦password_hash text DEFAULT NULL⟧;
§ query.sql
SELECT id FROM users WHERE password = ⟦crypt($1, password)⟧;
UPDATE users SET token = ⟦NULL⟧ WHERE id = ?;
§ migration.rb
t.string :password_digest, ⟦null: false, limit: 60⟧
§ models.py
password = ⟦models.CharField(max_length=128)⟧
token = ⟦Column(String(64), unique=True)⟧
§ insert.sql
INSERT INTO users (name, password) VALUES (⟦:name, :password⟧);
§§ test-name | Names of tests and messages in them
§ tests/test_token.py
def ⟦test_token_is_refreshed_when_it_expires_in_less_than_a_minute⟧() -> None: ...
§ login.spec.js
it('⟦shows an error when the password is wrong⟧', () => {});
§ auth_test.go
func ⟦TestPasswordHasher_RejectsEmptyPassword⟧(t *testing.T) {}
§ spec/user_spec.rb
describe "⟦#reset_password_token⟧" do; end
§ junit.xml
<testcase name="⟦passwordShouldBeHashedBeforeSaving⟧" classname="⟦com.example.security.UserServiceTest⟧" time="0.12"/>
§§ url-commit | URLs of commits and of code
§ CHANGELOG.md
- fix login ([⟦‹hex 7›⟧](https://github.com/acme/app/commit/⟦‹hex 40›⟧))
§ docs/permalink.md
https://github.com/acme/app/blob/⟦‹hex 40›⟧/src/auth/token.ts#L10-L24
§ docs/compare.md
https://gitlab.com/acme/app/-/compare/⟦‹hex 40›...‹hex 40›⟧
§ deps.txt
git+https://github.com/acme/passwords.git@⟦‹hex 40›⟧#egg=passwords
§ notes/gist.md
https://gist.github.com/ana/⟦‹hex 32›⟧
§§ url-without-password | URLs with a user or a port and no password
§ README.md
git clone ⟦ssh://git@github.com:22/acme/app.git⟧
§ docs/db.md
Connect to ⟦postgres://localhost:5432/shop⟧ without a password.
§ .env.test
DATABASE_URL=⟦postgresql://shop@localhost/shop_test⟧
REDIS_URL=⟦redis://localhost:6379/0⟧
§ docs/at.md
Profile: ⟦https://mastodon.social/@ana⟧ and ⟦https://medium.com/@ana/passwords-explained-‹hex 12›⟧
§ broker.yml
url: ⟦amqp://rabbitmq:5672⟧
§§ version-string | Versions, builds and dates
§ package.json
{"name": "token-tools", "version": "⟦2.14.0-beta.3+build.20240301⟧"}
§ pom.xml
<artifactId>spring-security-oauth2</artifactId><version>⟦6.2.1.RELEASE⟧</version>
§ CHANGELOG.md
## ⟦1.9.0rc2.dev14+g‹hex 7›⟧ - 2024-03-01
§ requirements.txt
passlib==⟦1.7.4.post1⟧
secretstorage>=⟦3.3.3⟧
§ version.txt
⟦v0.0.0-20240102150405-‹hex 12›⟧
§ wheel.txt
⟦cryptography-42.0.5-cp39-abi3-manylinux_2_28_x86_64.whl⟧
"""
