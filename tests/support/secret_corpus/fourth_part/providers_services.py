"""Tokens of messaging, payment, mail, model and business services."""

from __future__ import annotations

TEMPLATE = r"""
§§ slack token | https://api.slack.com/concepts/token-types
§ bot/app.py
from slack_bolt import App

app = App(token="⟦xoxb-‹digits 12›-‹digits 13›-‹alnum 24›⟧", signing_secret="⟦‹hex 32›⟧")
§ bot/.env
SLACK_APP_TOKEN=⟦xapp-1-A‹upper 10›-‹digits 13›-‹hex 64›⟧
SLACK_CHANNEL=C‹upper 10›
§ notes/slack-export.md
Export used Mara's user token ⟦xoxp-‹digits 12›-‹digits 12›-‹digits 13›-‹hex 32›⟧, revoke it afterwards.
§ alertmanager.yml
receivers:
  - name: ops
    slack_configs:
      - api_url: https://hooks.slack.com/services/⟦T‹upper 10›/B‹upper 10›/‹alnum 24›⟧
        channel: '#ops'

§§ discord token | https://discord.com/developers/docs/reference#authentication
§ index.js
const { Client } = require("discord.js");
const client = new Client({ intents: [1] });
client.login("⟦‹base64 1‹digits 17››.G‹alnum 5›.‹url64 38›⟧");
§ config.json
{"prefix": "!", "token": "⟦‹base64 1‹digits 17››.G‹alnum 5›.‹url64 38›⟧", "owner": "1‹digits 17›"}
§ scripts/notify.sh
curl -H 'Content-Type: application/json' -d '{"content":"deployed"}' \
  https://discord.com/api/webhooks/1‹digits 18›/⟦‹url64 68›⟧

§§ telegram token | https://core.telegram.org/bots/api#authorizing-your-bot
§ alerts/telegram.yaml
telegram:
  chat_id: -100‹digits 10›
  bot_token: "⟦7‹digits 9›:AA‹url64 33›⟧"
§ cron/backup.sh
curl -s "https://api.telegram.org/bot⟦6‹digits 9›:AA‹url64 33›⟧/sendMessage" -d chat_id=8841 -d text="backup done"

§§ teams webhook | https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/
§ monitoring/teams.md
Alerts go to https://lumen.webhook.office.com/webhookb2/‹uuid›@‹uuid›/IncomingWebhook/⟦‹hex 32›⟧/‹uuid›

§§ stripe key | https://docs.stripe.com/keys
§ config/stripe.php
<?php
return [
    'publishable' => 'pk_live_‹alnum 24›',
    'secret' => '⟦sk_live_51‹alnum 97›⟧',
    'webhook' => '⟦whsec_‹alnum 32›⟧',
];
§ docs/refunds.md
```sh
curl https://api.stripe.com/v1/refunds -u ⟦rk_live_51‹alnum 97›⟧: -d charge=ch_‹alnum 24›
```

§§ shopify token | https://shopify.dev/docs/apps/build/authentication-authorization
§ shop/sync.rb
session = ShopifyAPI::Auth::Session.new(shop: "lumen.myshopify.com", access_token: "⟦shpat_‹hex 32›⟧")
§ shop/.env
SHOPIFY_API_KEY=‹hex 32›
SHOPIFY_API_SECRET=⟦shpss_‹hex 32›⟧

§§ square and paypal | https://developer.squareup.com/docs/build-basics/access-tokens
§ pos/settings.py
SQUARE_LOCATION = "L‹upper 12›"
SQUARE_ACCESS_TOKEN = "⟦EAAA‹url64 60›⟧"
§ pos/application.properties
paypal.mode=live
paypal.client.secret=⟦E‹url64 79›⟧

§§ sendgrid key | https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
§ mailer/Program.cs
var client = new SendGridClient("⟦SG.‹url64 22›.‹url64 43›⟧");
§ config/initializers/mail.rb
ActionMailer::Base.smtp_settings = {
  user_name: "apikey", password: "⟦SG.‹url64 22›.‹url64 43›⟧",
  address: "smtp.sendgrid.net", port: 587
}

§§ mailgun key | https://documentation.mailgun.com/docs/mailgun/user-manual/api-key-mgmt
§ scripts/mail.sh
curl -s --user 'api:⟦key-‹hex 32›⟧' https://api.mailgun.net/v3/mg.lumen.example/messages -F to=ops@lumen.example
§ app/.env
MAILGUN_DOMAIN=mg.lumen.example
MAILGUN_API_KEY=⟦‹hex 32›-‹hex 8›-‹hex 8›⟧

§§ mailchimp and brevo | https://mailchimp.com/developer/marketing/guides/quick-start/
§ newsletter/client.js
mailchimp.setConfig({ apiKey: "⟦‹hex 32›-us14⟧", server: "us14" });
§ newsletter/brevo.yml
brevo:
  key: ⟦xkeysib-‹hex 64›-‹alnum 16›⟧

§§ resend key | https://resend.com/docs/api-reference/introduction
§ emails/send.ts
const resend = new Resend("⟦re_‹alnum 8›_‹alnum 24›⟧");

§§ twilio token | https://www.twilio.com/docs/iam/api-keys
§ sms/send.py
from twilio.rest import Client

account_sid = "AC‹hex 32›"
auth_token = "⟦‹hex 32›⟧"
client = Client(account_sid, auth_token)
§ sms/README.md
Send by hand:

    curl -X POST https://api.twilio.com/2010-04-01/Accounts/AC‹x=hex 32›/Messages.json -u AC‹x›:⟦‹hex 32›⟧

§§ openai key | https://platform.openai.com/docs/api-reference/authentication
§ .env.development
OPENAI_API_KEY=⟦sk-proj-‹url64 74›T3BlbkFJ‹url64 74›⟧
OPENAI_MODEL=gpt-4o-mini
§ notebooks/demo.ipynb
{"cells": [{"cell_type": "code", "execution_count": 3, "source": [
  "os.environ['OPENAI_API_KEY'] = '⟦sk-‹alnum 20›T3BlbkFJ‹alnum 20›⟧'\n"]}]}
§ journal/2024-03-02.md
Played with the API. Key for the weekend project: ⟦sk-svcacct-‹url64 60›T3BlbkFJ‹url64 60›⟧ (limit 5 €)

§§ anthropic key | https://docs.anthropic.com/en/api/overview
§ tools/summarise.sh
curl https://api.anthropic.com/v1/messages -H "x-api-key: ⟦sk-ant-api03-‹url64 93›AA⟧" -d @request.json
§ aider.conf.yml
model: sonnet
anthropic-api-key: ⟦sk-ant-api03-‹url64 93›AA⟧

§§ hugging face token | https://huggingface.co/docs/hub/security-tokens
§ train.py
from huggingface_hub import login

login(token="⟦hf_‹letters 34›⟧")
§ slurm/job.sbatch
#SBATCH --gres=gpu:2
export HF_TOKEN=⟦hf_‹letters 34›⟧
srun python train.py

§§ model services | https://console.groq.com/docs/quickstart
§ litellm.yaml
model_list:
  - model_name: fast
    litellm_params:
      model: groq/llama-3.1-8b
      api_key: ⟦gsk_‹alnum 52›⟧
  - model_name: routed
    litellm_params:
      model: openrouter/auto
      api_key: ⟦sk-or-v1-‹hex 64›⟧
§ scripts/flux.py
import os

os.environ["REPLICATE_API_TOKEN"] = "⟦r8_‹alnum 37›⟧"
os.environ["PPLX_KEY"] = "⟦pplx-‹alnum 48›⟧"
§ tracing/.env
LANGSMITH_TRACING=true
LANGSMITH_API_KEY=⟦lsv2_pt_‹hex 32›_‹hex 10›⟧
LANGFUSE_SECRET_KEY=⟦sk-lf-‹uuid›⟧
§ train/run.sh
WANDB_API_KEY=⟦‹hex 40›⟧ python -m train --epochs 12

§§ meta token | https://developers.facebook.com/docs/facebook-login/guides/access-tokens
§ social/post.py
GRAPH = "https://graph.facebook.com/v19.0/me/feed?access_token=⟦EAA‹alnum 180›⟧"
§ social/ids.md
- page id: ‹digits 15›
- page access token: ⟦EAAG‹alnum 190›ZD⟧

§§ twitter bearer | https://developer.x.com/en/docs/authentication/oauth-2-0/bearer-tokens
§ feeds/collect.R
headers <- c(`Authorization` = "Bearer ⟦AAAAAAAAAAAAAAAAAAAAA‹alnum 80›⟧")

§§ contentful token | https://www.contentful.com/developers/docs/references/authentication/
§ scripts/import.mjs
const client = contentful.createClient({ accessToken: "⟦CFPAT-‹url64 43›⟧" });

§§ algolia admin key | https://www.algolia.com/doc/guides/security/api-keys/
§ search/config.yml
algolia:
  application_id: ‹upper 10›
  index: docs
  admin_api_key: ⟦‹hex 32›⟧
§ bin/reindex
ALGOLIA_ADMIN_KEY=⟦‹hex 32›⟧ node reindex.js

§§ okta token | https://developer.okta.com/docs/guides/create-an-api-token/main/
§ iam/list.sh
curl -H "Authorization: SSWS ⟦00‹url64 40›⟧" "https://lumen.okta.com/api/v1/users?limit=25"

§§ launchdarkly key | https://docs.launchdarkly.com/home/account/environment/keys
§ flags/src/main.rs
let client = Client::build(ConfigBuilder::new("⟦sdk-‹uuid›⟧").build()?)?;
§ flags/terraform.tfvars
launchdarkly_access_token = "⟦api-‹uuid›⟧"

§§ firebase server key | https://firebase.google.com/docs/cloud-messaging/auth-server
§ push/send.php
<?php
define('FCM_SERVER_KEY', '⟦AAAA‹url64 7›:APA91b‹url64 134›⟧');

§§ elastic api key | https://www.elastic.co/guide/en/elasticsearch/reference/current/security-api-create-api-key.html
§ shipper/filebeat.yml
output.elasticsearch:
  hosts: ["https://es.lumen.example:9200"]
  api_key: "‹url64 20›:⟦‹url64 22›⟧"
§ docs/search.md
    curl -H "Authorization: ApiKey ⟦‹base64 ‹url64 20›:‹url64 22››⟧" https://es.lumen.example:9200/_cat/indices

§§ token in a file name | A reader of a directory listing sees it.
§ downloads/⟦ghp_‹checksummed›⟧.txt
token of the old build account
§ keys/stripe-⟦sk_live_‹alnum 24›⟧.md
do not use, only for the shop in Graz
"""
