"""Tokens of providers from R to Z, private keys and signing secrets."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ jwk-private-key | RFC 7517: the d member of a JSON Web Key is private
§ keys/jwks.json
{"keys": [{"kty": "EC", "crv": "P-256", "kid": "2024-01", "x": "‹url64 43›", "y": "‹url64 43›", "d": "⟦‹url64 43›⟧"}]}
§ config/jwk.json
{
  "kty": "oct",
  "alg": "HS256",
  "k": "⟦‹url64 86›⟧"
}
§§ path-token-in-file-name | A token in the name of a file
§ exports/dump-⟦ghp_‹checksummed›⟧.json
{"rows": 12}
§ notes/slack ⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧.md
The bot's channel is #builds.
§ keys/⟦AKIA‹base32 16›⟧.txt
rotated in March
§§ pem-private-key-encrypted | RFC 1421: an encrypted PEM key is still a secret
§ ssl/signing.pem
‹begin RSA PRIVATE KEY›
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,‹HEX 32›

⟦‹wrap M 1500›==⟧
‹end RSA PRIVATE KEY›
§ ssl/ca.pem
‹begin ENCRYPTED PRIVATE KEY›
⟦‹wrap MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI 1500›⟧
‹end ENCRYPTED PRIVATE KEY›
§§ pgp-private-key | RFC 9580: armoured private key block
§ keys/release.asc
‹begin PGP PRIVATE KEY BLOCK›

⟦‹wrap lQdGB 1800›⟧
=‹b64 4›
‹end PGP PRIVATE KEY BLOCK›
§ docs/signing.md
Import this key:

‹begin PGP PRIVATE KEY BLOCK›
Version: GnuPG v2

⟦‹wrap lQOYB 1200›⟧
=‹b64 4›
‹end PGP PRIVATE KEY BLOCK›
§§ putty-private-key | PuTTY: the lines after Private-Lines of a .ppk file
§ keys/login.ppk
PuTTY-User-Key-File-3: ssh-ed25519
Encryption: none
Comment: ana@laptop
Public-Lines: 2
AAAAC3NzaC1lZDI1NTE5AAAAI‹b64 39›
‹b64 16›
Private-Lines: 1
⟦AAAAI‹b64 42›=⟧
Private-MAC: ‹hex 64›
§ keys/old.ppk
PuTTY-User-Key-File-2: ssh-rsa
Encryption: none
Comment: imported
Private-Lines: 3
⟦‹b64 64›
‹b64 64›
‹b64 44›⟧
Private-MAC: ‹hex 40›
§§ rails-secret-key-base | Rails: secret_key_base of 128 and master.key of 32 hexadecimal digits
§ config/secrets.yml
production:
  secret_key_base: ⟦‹hex 128›⟧
§ deploy/env.sh
export RAILS_ENV=production
export RAILS_MASTER_KEY=⟦‹hex 32›⟧
§§ rubygems-key | RubyGems: rubygems_ and 48 hexadecimal digits
§ .gem/credentials
---
:rubygems_api_key: ⟦rubygems_‹hex 48›⟧
§ docs/gems.md
GEM_HOST_API_KEY=⟦rubygems_‹hex 48›⟧ gem push acme-1.2.0.gem
§§ sendgrid-key | SendGrid: SG., 22 characters, a full stop and 43 characters
§ config/mail.json
{"provider": "sendgrid", "key": "⟦SG.‹url64 22›.‹url64 43›⟧", "from": "noreply@example.com"}
§ mailer.rb
ActionMailer::Base.smtp_settings = { user_name: 'apikey', password: '⟦SG.‹url64 22›.‹url64 43›⟧' }
§ docs/email.md
Key of staging: ⟦SG.‹url64 22›.‹url64 43›⟧
§§ sentry-auth-token | Sentry: organisation tokens are sntrys_ and base64 of JSON, user tokens sntryu_ and 64 hexadecimal digits
§ .sentryclirc
[auth]
token=⟦sntrys_‹base64 {"iat":17‹digits 8›.‹digits 5›,"url":"https://sentry.io","org":"acme"}›_‹b64 43›⟧
§ ci/sourcemaps.sh
export SENTRY_AUTH_TOKEN=⟦sntryu_‹hex 64›⟧
sentry-cli releases files "$VERSION" upload-sourcemaps dist
§ docs/errors.md
Upload source maps with ⟦sntrys_‹base64 {"iat":17‹digits 8›.‹digits 5›,"url":"https://sentry.io","org":"shop"}›_‹b64 43›⟧.
§§ slack-app-token | Slack: app-level tokens are xapp-1-, the app, a number and 64 hexadecimal digits
§ bolt/app.js
const app = new App({ socketMode: true, appToken: '⟦xapp-1-A0‹upper 9›-‹digits 13›-‹hex 64›⟧' });
§ .env
SLACK_APP_TOKEN=⟦xapp-1-A0‹upper 9›-‹digits 13›-‹hex 64›⟧
§§ slack-user-token | Slack: user tokens are xoxp-, three numbers and 32 hexadecimal digits
§ export/run.sh
slack-export --token ⟦xoxp-‹digits 12›-‹digits 12›-‹digits 13›-‹hex 32›⟧ --out archive
§ config.yaml
slack:
  user_token: ⟦xoxp-‹digits 12›-‹digits 12›-‹digits 13›-‹hex 32›⟧
§§ sonar-token | SonarQube: squ_, sqp_ or sqa_ and 40 hexadecimal digits
§ sonar-project.properties
sonar.projectKey=acme_app
sonar.token=⟦sqp_‹hex 40›⟧
§ ci/scan.sh
sonar-scanner -Dsonar.host.url=https://sonar.example.com -Dsonar.login=⟦squ_‹hex 40›⟧
§§ square-token | Square: access tokens begin with EAAA and have 64 characters, secrets with sq0csp-
§ shop/.env
SQUARE_LOCATION=L‹upper 12›
SQUARE_ACCESS_TOKEN=⟦EAAAE‹url64 59›⟧
§ oauth/square.py
APPLICATION_SECRET = "⟦sq0csp-‹url64 43›⟧"
§§ stripe-live-key | Stripe: secret keys are sk_live_ and 24 or 99 characters
§ billing/config.py
stripe.api_key = "⟦sk_live_51‹alnum 97›⟧"
§ .env.production
STRIPE_PUBLISHABLE_KEY=pk_live_‹alnum 24›
STRIPE_SECRET_KEY=⟦sk_live_‹alnum 24›⟧
§ docs/refunds.md
    curl https://api.stripe.com/v1/refunds -u ⟦sk_live_51‹alnum 97›⟧: -d charge=ch_‹alnum 24›
§§ stripe-webhook-secret | Stripe: signing secrets of webhooks are whsec_ and 32 characters
§ server/webhook.js
const endpointSecret = "⟦whsec_‹alnum 32›⟧";
§ docker-compose.override.yml
services:
  api:
    environment:
      - STRIPE_WEBHOOK_SECRET=⟦whsec_‹alnum 32›⟧
§§ tailscale-key | Tailscale: tskey-auth- or tskey-api-, an id and a secret
§ cloud-init.yaml
runcmd:
  - tailscale up --authkey=⟦tskey-auth-k‹alnum 11›CNTRL-‹alnum 32›⟧
§ .env
TS_API_KEY=⟦tskey-api-k‹alnum 11›CNTRL-‹alnum 32›⟧
§§ terraform-cloud-token | Terraform Cloud: 14 characters, .atlasv1. and 67 characters
§ .terraformrc
credentials "app.terraform.io" {
  token = "⟦‹alnum 14›.atlasv1.‹alnum 67›⟧"
}
§ ci/plan.sh
export TF_TOKEN_app_terraform_io=⟦‹alnum 14›.atlasv1.‹alnum 67›⟧
§§ totp-secret | RFC 6238 and otpauth URLs: the shared secret in base32
§ docs/mfa.md
otpauth://totp/Acme:ana@example.com?secret=⟦‹base32 32›⟧&issuer=Acme
§ scripts/login.py
TOTP_SECRET = "⟦‹base32 32›⟧"
print(pyotp.TOTP(TOTP_SECRET).now())
§§ twilio-auth-token | Twilio: the auth token has 32 hexadecimal digits
§ sms/config.py
TWILIO_ACCOUNT_SID = "AC‹hex 32›"
TWILIO_AUTH_TOKEN = "⟦‹hex 32›⟧"
§ send.js
const client = require('twilio')('AC‹hex 32›', '⟦‹hex 32›⟧');
§ docs/sms.md
    curl -u AC‹hex 32›:⟦‹hex 32›⟧ https://api.twilio.com/2010-04-01/Accounts.json
§§ vault-token | HashiCorp Vault: service tokens are hvs. and 90 or more characters, older ones s. and 24
§ vault/init.txt
Unseal Key 1: ⟦‹bytes64 33›⟧
Initial Root Token: ⟦hvs.‹alnum 24›⟧
§ scripts/read.sh
export VAULT_ADDR=https://vault.example.com:8200
export VAULT_TOKEN=⟦hvs.CAES‹url64 91›⟧
§ docs/vault.md
`vault login ⟦hvs.‹alnum 24›⟧`
"""
