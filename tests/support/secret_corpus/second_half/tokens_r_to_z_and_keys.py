"""Tokens of providers from R to Z, private keys and signing secrets."""

TEMPLATE = r"""
§§ django-secret-key | Django: SECRET_KEY of 50 characters
§ mysite/settings.py
DEBUG = False
SECRET_KEY = "django-insecure-⟦‹wild 50›⟧"
ALLOWED_HOSTS = ["example.com"]
§ config/settings/production.py
SECRET_KEY = '⟦‹wild 50›⟧'
§§ laravel-app-key | Laravel: APP_KEY is base64: and 32 bytes
§ .env
APP_NAME=Shop
APP_KEY=base64:⟦‹bytes64 32›⟧
APP_DEBUG=false
§ docker/app.env
APP_ENV=production
APP_KEY="base64:⟦‹bytes64 32›⟧"
§§ path-token-in-folder-name | A token in the name of a folder
§ cache/⟦glpat-‹url64 20›⟧/projects.json
[]
§ sessions/⟦‹jwt user›⟧/state.json
{"page": 2}
§ backup/⟦sk_live_51‹alnum 97›⟧/charges.csv
id,amount
1,20
§§ pem-private-key-rsa | RFC 7468: PEM text of a private key
§ certs/server.key
‹begin RSA PRIVATE KEY›
⟦‹wrap MIIEpAIBAAKCAQEA 1560›==⟧
‹end RSA PRIVATE KEY›
§ values.yaml
tls:
  key: |
    ‹begin PRIVATE KEY›
    ⟦‹wrap MIIEvQIBADANBgkqhkiG9w0BAQEFAASC 1560›⟧
    ‹end PRIVATE KEY›
§ docs/tls.md
Old key, for the archive:

```
‹begin EC PRIVATE KEY›
⟦‹wrap MHcCAQEEI 150›==⟧
‹end EC PRIVATE KEY›
```
§§ seed-phrase-bip39 | BIP-39: 12 or 24 words of the list, the last with a checksum
§ docs/testnet.md
Wallet of the testnet

mnemonic: ⟦‹mnemonic 12›⟧
§ hardhat.config.ts
networks: {
  goerli: { accounts: { mnemonic: "⟦‹mnemonic 12›⟧" } },
},
§ notes/ledger.txt
recovery phrase
⟦‹mnemonic 24›⟧
§ .env
CHAIN_ID=11155111
SEED_PHRASE="⟦‹mnemonic 12›⟧"
§§ sendinblue-key | Brevo: xkeysib-, 64 hexadecimal digits and 16 characters
§ .env
BREVO_KEY=⟦xkeysib-‹hex 64›-‹alnum 16›⟧
§ src/newsletter.php
$config->setApiKey('api-key', '⟦xkeysib-‹hex 64›-‹alnum 16›⟧');
§§ session-signing-secret | Express, Flask and others: the string that signs sessions
§ app.js
app.use(session({ secret: '⟦‹generated 32›⟧', resave: false }));
§ api/settings.yaml
jwt:
  issuer: acme
  signing_secret: ⟦‹alnum 48›⟧
§ app/__init__.py
app.config["SECRET_KEY"] = "⟦‹hex 48›⟧"
§ config.toml
[auth]
jwt_secret = "⟦‹bytes64 48›⟧"
§§ shopify-token | Shopify: shpat_, shpca_, shppa_ or shpss_ and 32 hexadecimal digits
§ app/shopify.env
SHOPIFY_SHOP=acme.myshopify.com
SHOPIFY_ACCESS_TOKEN=⟦shpat_‹hex 32›⟧
§ themes/deploy.yml
store: acme.myshopify.com
password: ⟦shppa_‹hex 32›⟧
§ src/webhook.ts
const secret = '⟦shpss_‹hex 32›⟧';
verify(request.body, secret);
§§ slack-bot-token | Slack: bot tokens are xoxb-, two numbers and 24 characters
§ bot/settings.toml
[slack]
channel = "#builds"
token = "⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧"
§ deploy/notify.py
client = WebClient(token="⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧")
§ wiki/slack.md
The bot posts with ⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧.
§§ slack-webhook | Slack: the path of an incoming webhook lets anybody post
§ alertmanager.yml
global:
  slack_api_url: https://hooks.slack.com/services/⟦T‹upper 10›/B‹upper 10›/‹alnum 24›⟧
§ scripts/say.sh
curl -X POST --data '{"text":"deployed"}' https://hooks.slack.com/services/⟦T‹upper 8›/B‹upper 10›/‹alnum 24›⟧
§ docs/alerts.md
Alerts go to <https://hooks.slack.com/services/⟦T‹upper 10›/B‹upper 10›/‹alnum 24›⟧>.
§§ ssh-private-key | OpenSSH: private keys begin with openssh-key-v1 in base64
§ .ssh/id_ed25519
‹begin OPENSSH PRIVATE KEY›
⟦‹wrap b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAAC 280›==⟧
‹end OPENSSH PRIVATE KEY›
§ .github/workflows/deploy.yml
jobs:
  deploy:
    env:
      SSH_KEY: |
        ‹begin OPENSSH PRIVATE KEY›
        ⟦‹wrap b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB 1500›⟧
        ‹end OPENSSH PRIVATE KEY›
§ provision/keys.py
DEPLOY_KEY = '''‹begin OPENSSH PRIVATE KEY›
⟦‹wrap b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ 1500›⟧
‹end OPENSSH PRIVATE KEY›
'''
§§ stripe-restricted-key | Stripe: restricted keys are rk_live_ or rk_test_, test keys sk_test_
§ reports/pull.rb
Stripe.api_key = '⟦rk_live_51‹alnum 97›⟧'
§ tests/.env
STRIPE_SECRET_KEY=⟦sk_test_51‹alnum 97›⟧
§§ supabase-token | Supabase: access tokens are sbp_ and 40 hexadecimal digits
§ supabase/deploy.sh
SUPABASE_ACCESS_TOKEN=⟦sbp_‹hex 40›⟧ supabase functions deploy hello
§ docs/edge.md
Use token `⟦sbp_‹hex 40›⟧`, it belongs to the CI account.
§§ telegram-bot-token | Telegram: the bot's number, a colon, AA and 33 characters
§ bot.py
updater = Updater("⟦‹digits 10›:AA‹url64 33›⟧")
§ scripts/notify.sh
curl "https://api.telegram.org/bot⟦‹digits 10›:AA‹url64 33›⟧/sendMessage?chat_id=-100‹digits 10›&text=done"
§ docs/alarm.md
Bot: @acme_alarm_bot, Token: ⟦‹digits 10›:AA‹url64 33›⟧
§§ twilio-api-key | Twilio: API keys are SK and 32 hexadecimal digits
§ voice/.env
TWILIO_API_KEY=⟦SK‹hex 32›⟧
TWILIO_API_SECRET=⟦‹alnum 32›⟧
§ docs/voice.md
The video service signs with ⟦SK‹hex 32›⟧.
§§ vercel-token | Vercel: access tokens have 24 characters
§ deploy.sh
vercel --prod --token ⟦‹alnum 24›⟧ --yes
§ .env
VERCEL_TOKEN=⟦‹alnum 24›⟧
VERCEL_ORG_ID=team_‹alnum 24›
§§ wireguard-private-key | WireGuard: 32 bytes in base64 after PrivateKey or PresharedKey
§ wg0.conf
[Interface]
Address = 10.8.0.2/24
PrivateKey = ⟦‹bytes64 32›⟧

[Peer]
PublicKey = ‹bytes64 32›
PresharedKey = ⟦‹bytes64 32›⟧
§ docs/vpn.md
My client:

    PrivateKey = ⟦‹bytes64 32›⟧
    DNS = 10.8.0.1
"""
