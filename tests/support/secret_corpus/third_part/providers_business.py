"""Tokens of payment, messaging, mail, identity and office services."""

TEMPLATE = r"""
§§ slack tokens and hooks | api.slack.com: xoxb-, xoxp-, xapp-, hooks.slack.com/services
§ bot/config.json
{"slack": {"bot_token": "⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧",
 "app_token": "⟦xapp-1-A‹upper 10›-‹digits 13›-‹hex 64›⟧"}}
§ alertmanager.yml
receivers:
  - name: ops
    slack_configs:
      - api_url: https://hooks.slack.com/services/T‹upper 8›/B‹upper 10›/⟦‹alnum 24›⟧
        channel: '#alerts'
§ export_history.pl
my $token = '⟦xoxp-‹digits 12›-‹digits 12›-‹digits 13›-‹hex 32›⟧';
my $url = "https://slack.com/api/conversations.list?token=$token";
§§ chat bots and hooks | docs of Telegram, Discord, Teams, Mattermost
§ notify.py
import telebot
bot = telebot.TeleBot("⟦‹digits 10›:AA‹url64 33›⟧")
bot.send_message(-100‹digits 10›, "backup finished")
§ index.js
client.once('ready', () => console.log('up'));
client.login('⟦MT‹alnum 24›.G‹alnum 5›.‹url64 38›⟧');
§ hooks.env
DISCORD_WEBHOOK=https://discord.com/api/webhooks/‹digits 18›/⟦‹url64 68›⟧
TEAMS_WEBHOOK=https://acme.webhook.office.com/webhookb2/‹uuid›@‹uuid›/IncomingWebhook/⟦‹hex 32›⟧/‹uuid›
§ wiki/Telegram.md
Test the bot by hand:
`curl "https://api.telegram.org/bot⟦‹digits 9›:AA‹url64 33›⟧/getMe"`
§§ mail service keys | docs of SendGrid, Mailgun, Postmark, Resend, Brevo, Mailchimp
§ config/mail.php
return [
    'driver' => 'sendgrid',
    'key' => env('SENDGRID_KEY', '⟦SG.‹url64 22›.‹url64 43›⟧'),
    'from' => 'noreply@example.org',
];
§ lib/mailer.ex
config :app, App.Mailer,
  adapter: Swoosh.Adapters.Mailgun,
  api_key: "⟦key-‹hex 32›⟧",
  domain: "mg.example.org"
§ send.sh
curl https://api.postmarkapp.com/email -H "X-Postmark-Server-Token: ⟦‹uuid›⟧" -d @mail.json
§ newsletter/settings.toml
[brevo]
api_key = "⟦xkeysib-‹hex 64›-‹alnum 16›⟧"
[mailchimp]
key = "⟦‹hex 32›-us‹number 1 21›⟧"
[resend]
key = "⟦re_‹alnum 8›_‹alnum 24›⟧"
§§ telephone and text message keys | docs of Twilio, Vonage, MessageBird
§ sms.rb
client = Twilio::REST::Client.new('AC‹hex 32›', '⟦‹hex 32›⟧')
client.messages.create(from: '+15005550006', to: number, body: text)
§ .env.staging
TWILIO_ACCOUNT_SID=AC‹hex 32›
TWILIO_API_KEY=SK‹hex 32›
TWILIO_API_SECRET=⟦‹alnum 32›⟧
VONAGE_API_SECRET=⟦‹alnum 16›⟧
§§ payment keys | docs of Stripe, Square, Braintree, PayPal, Razorpay, Flutterwave
§ app/payments.py
import stripe
stripe.api_key = "⟦sk_live_51‹alnum 97›⟧"
WEBHOOK_SECRET = "⟦whsec_‹alnum 32›⟧"
§ checkout.go
gateway := braintree.New(braintree.Production, "‹lower 16›", "‹lower 16›", "⟦‹hex 32›⟧") // public, private key
restricted := "⟦rk_live_‹alnum 99›⟧"
§ paypal.properties
clientId=A‹url64 79›
clientSecret=⟦E‹url64 79›⟧
mode=live
§ razor.env
RAZORPAY_KEY_ID=rzp_live_‹alnum 14›
RAZORPAY_KEY_SECRET=⟦‹alnum 24›⟧
FLW_SECRET=⟦FLWSECK-‹hex 32›-X⟧
§ square.cs
var square = new SquareClient(accessToken: "⟦EAAA‹url64 60›⟧", environment: Environment.Production);
var appSecret = "⟦sq0csp-‹url64 43›⟧";
§§ shop and shipping keys | docs of Shopify, Shippo, EasyPost, Lob
§ shopify.app.env
SHOPIFY_API_SECRET=⟦shpss_‹hex 32›⟧
SHOPIFY_ACCESS_TOKEN=⟦shpat_‹hex 32›⟧
SHOP=acme-tea.myshopify.com
§ labels.ts
const shippo = new Shippo({ apiKeyHeader: "ShippoToken ⟦shippo_live_‹hex 40›⟧" });
const lob = Lob({ apiKey: "⟦live_‹hex 35›⟧" });
§ ship.sh
curl https://api.easypost.com/v2/parcels -u "⟦EZAK‹hex 32›‹alnum 22›⟧:" -d 'parcel[weight]=21.9'
§§ office and planning services | docs of Notion, Airtable, Linear, Asana, Figma, Typeform
§ sync/config.yaml
notion:
  token: ⟦ntn_‹alnum 46›⟧
airtable:
  token: ⟦pat‹alnum 14›.‹hex 64›⟧
  base: app‹alnum 14›
§ triage.js
const linear = new LinearClient({ apiKey: '⟦lin_api_‹alnum 40›⟧' });
const asana = Asana.Client.create().useAccessToken('⟦1/‹digits 16›:‹hex 32›⟧');
§ design/README.md
Icons are exported with `FIGMA_TOKEN=⟦figd_‹url64 40›⟧ npm run icons`.
§ forms.http
GET https://api.typeform.com/forms
Authorization: Bearer ⟦tfp_‹alnum 44›_‹alnum 14›⟧
§§ customer and marketing services | docs of HubSpot, Zendesk, Intercom, Contentful
§ crm/HubSpot.kt
object HubSpot {
    private const val TOKEN = "⟦pat-eu1-‹uuid›⟧"
    fun client() = HttpClient { defaultRequest { bearerAuth(TOKEN) } }
}
§ zendesk_export.sh
curl -u "anna@example.com/token:⟦‹alnum 40›⟧" https://acme.zendesk.com/api/v2/tickets.json
§ contentful.json
{"spaceId": "‹lower 12›", "managementToken": "⟦CFPAT-‹url64 43›⟧", "environmentId": "master"}
§§ identity providers | docs of Okta, Auth0, Keycloak
§ okta.yaml
okta:
  client:
    orgUrl: https://dev-‹digits 6›.okta.com
    token: ⟦00‹url64 40›⟧
§ auth/.env
AUTH0_DOMAIN=acme.eu.auth0.com
AUTH0_CLIENT_ID=‹alnum 32›
AUTH0_CLIENT_SECRET=⟦‹url64 64›⟧
§ WEB-INF/keycloak.json
{"realm": "acme", "resource": "portal", "auth-server-url": "https://sso.example.org/", "ssl-required": "external",
 "credentials": {"secret": "⟦‹uuid›⟧"}, "confidential-port": 0}
§ users.http
GET https://dev-‹digits 6›.okta.com/api/v1/users
Authorization: SSWS ⟦00‹url64 40›⟧
§§ social networks and media | docs of Meta, X, Spotify, Twitch, Mapbox, Cloudinary
§ post.py
GRAPH = "https://graph.facebook.com/v19.0/me/feed"
requests.post(GRAPH, data={"message": text, "access_token": "⟦EAA‹alnum 180›⟧"}, timeout=10)
§ twitter.ini
[x]
consumer_key = ‹alnum 25›
consumer_secret = ⟦‹alnum 50›⟧
bearer_token = ⟦AAAAAAAAAAAAAAAAAAAAA‹alnum 80›⟧
access_token_secret = ⟦‹alnum 45›⟧
§ playlist.R
Sys.setenv(SPOTIFY_CLIENT_ID = "‹hex 32›")
Sys.setenv(SPOTIFY_CLIENT_SECRET = "⟦‹hex 32›⟧")
§ media.env
CLOUDINARY_URL=cloudinary://‹digits 15›:⟦‹url64 27›⟧@acme-media
MAPBOX_UPLOAD_TOKEN=⟦sk.eyJ1Ijoi‹alnum 70›.‹url64 22›⟧
"""
