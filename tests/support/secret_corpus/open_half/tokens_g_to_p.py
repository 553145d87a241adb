"""Tokens of providers from G to P."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ github-app-token | GitHub: installation tokens are ghs_ and 36 characters with a checksum
§ logs/action.txt
2024-02-01T08:00:11Z Cloning with x-access-token
2024-02-01T08:00:12Z git clone https://x-access-token:⟦ghs_‹checksummed›⟧@github.com/acme/app.git
§ scripts/release.rb
client = Octokit::Client.new(access_token: "⟦ghs_‹checksummed›⟧")
§§ github-fine-grained-token | GitHub: github_pat_, 22 characters, an underscore and 59 characters
§ renovate/config.js
module.exports = {
  platform: "github",
  token: "⟦github_pat_‹alnum 22›_‹alnum 59›⟧",
};
§ ansible/group_vars/all.yml
deploy_user: deploy
github_token: ⟦github_pat_‹alnum 22›_‹alnum 59›⟧
§ notes.txt
token for the wiki bot ⟦github_pat_‹alnum 22›_‹alnum 59›⟧ (read only)
§§ github-refresh-token | GitHub: refresh tokens are ghr_ and 76 characters
§ cache/oauth.json
{"token_type": "bearer", "refresh_token": "⟦ghr_‹alnum 76›⟧", "expires_in": 28800}
§ debug.log
refreshing with ⟦ghr_‹alnum 76›⟧
§§ gitlab-deploy-token | GitLab: deploy tokens are gldt- and 20 characters
§ k8s/pull.sh
kubectl create secret docker-registry gl --docker-server=registry.gitlab.com --docker-username=deploy --docker-password=⟦gldt-‹url64 20›⟧
§ .env.registry
CI_DEPLOY_USER=gitlab+deploy-token-12
CI_DEPLOY_PASSWORD=⟦gldt-‹url64 20›⟧
§§ gitlab-trigger-token | GitLab: pipeline triggers are glptt- and 40 hexadecimal digits
§ scripts/trigger.sh
curl -X POST -F token=⟦glptt-‹hex 40›⟧ -F ref=main https://gitlab.com/api/v4/projects/123/trigger/pipeline
§ webhooks.yaml
downstream:
  project: 4711
  trigger_token: ⟦glptt-‹hex 40›⟧
§§ google-api-key | Google Cloud: API keys are AIza and 35 characters
§ app/src/main/AndroidManifest.xml
<application>
  <meta-data android:name="com.google.android.geo.API_KEY" android:value="⟦AIzaSy‹url64 33›⟧"/>
</application>
§ server/geocode.py
URL = "https://maps.googleapis.com/maps/api/geocode/json?address=Bern&key=⟦AIzaSy‹url64 33›⟧"
§ .env
GEMINI_API_KEY=⟦AIzaSy‹url64 33›⟧
§§ google-refresh-token | Google OAuth 2.0: refresh tokens begin with 1//
§ application_default_credentials.json
{
  "client_id": "‹digits 12›-‹lower 32›.apps.googleusercontent.com",
  "refresh_token": "⟦1//0‹url64 100›⟧",
  "type": "authorized_user"
}
§ google-ads.yaml
developer_token: ⟦‹url64 22›⟧
refresh_token: ⟦1//0‹url64 98›⟧
§§ grafana-cloud-token | Grafana Cloud: access policy tokens are glc_ and base64 of JSON
§ agent/config.river
prometheus.remote_write "default" {
  endpoint {
    basic_auth {
      username = "‹digits 6›"
      password = "⟦glc_‹base64 {"o":"‹digits 6›","n":"push","k":"‹alnum 24›","m":{"r":"eu"}}›⟧"
    }
  }
}
§ .env.metrics
GRAFANA_CLOUD_TOKEN=⟦glc_‹base64 {"o":"‹digits 6›","n":"stack-write","k":"‹alnum 24›","m":{"r":"us"}}›⟧
§§ groq-api-key | Groq: gsk_ and 52 characters
§ .env
GROQ_API_KEY=⟦gsk_‹alnum 52›⟧
§ lib/llm.ts
const groq = new Groq({ apiKey: '⟦gsk_‹alnum 52›⟧' });
§§ heroku-api-key | Heroku: API keys are a UUID, or HRKU- and a UUID or 60 characters
§ deploy.sh
export HEROKU_API_KEY=⟦‹uuid›⟧
git push heroku main
§ docs/heroku.md
The CI account uses ⟦HRKU-‹uuid›⟧ as its key.
§ .netrc
machine api.heroku.com
  login ops@example.com
  password ⟦‹uuid›⟧
§§ huggingface-token | Hugging Face: hf_ and 34 letters
§ train/run.sh
huggingface-cli login --token ⟦hf_‹letters 34›⟧
python train.py --push
§ notebook.py
model = AutoModel.from_pretrained("acme/private", token="⟦hf_‹letters 34›⟧")
§ docs/models.md
Downloads need `HF_TOKEN=⟦hf_‹letters 34›⟧`.
§§ linear-api-key | Linear: lin_api_ and 40 characters
§ tools/linear.ts
const linear = new LinearClient({ apiKey: "⟦lin_api_‹alnum 40›⟧" });
§ .env
LINEAR_TEAM=ENG
LINEAR_API_KEY=⟦lin_api_‹alnum 40›⟧
§§ mailgun-key | Mailgun: key- and 32 hexadecimal digits
§ mail.py
requests.post(url, auth=("api", "⟦key-‹hex 32›⟧"), data=data)
§ .env
MAILGUN_DOMAIN=mg.example.com
MAILGUN_API_KEY=⟦key-‹hex 32›⟧
§ docs/mail.md
Send a test message:

    curl -s --user 'api:⟦key-‹hex 32›⟧' https://api.mailgun.net/v3/mg.example.com/messages
§§ new-relic-key | New Relic: user keys are NRAK- and 27 characters, licence keys 36 hexadecimal digits and NRAL
§ newrelic.yml
common: &default
  app_name: shop
  license_key: ⟦‹hex 36›NRAL⟧
§ scripts/deploy_marker.sh
curl -H "Api-Key: ⟦NRAK-‹upper 27›⟧" https://api.newrelic.com/graphql
§ docs/monitoring.md
Queries use the key ⟦NRAK-‹upper 27›⟧ (owner: platform team).
§§ notion-token | Notion: integration tokens are secret_ and 43 characters, newer ones ntn_ and 46
§ sync/notion.js
const notion = new Client({ auth: "⟦secret_‹alnum 43›⟧" });
§ .env
NOTION_DATABASE=‹hex 32›
NOTION_KEY=⟦ntn_‹digits 11›‹alnum 35›⟧
§§ nuget-api-key | NuGet: API keys are oy2 and 43 characters
§ build.ps1
dotnet nuget push bin/Release/*.nupkg --api-key ⟦oy2‹lower 43›⟧ --source https://api.nuget.org/v3/index.json
§ nuget.props
<PropertyGroup>
  <NuGetApiKey>⟦oy2‹lower 43›⟧</NuGetApiKey>
</PropertyGroup>
§§ onepassword-secret-key | 1Password: A3 and groups of capital letters and digits
§ docs/recovery.md
Emergency kit of the shared vault

Secret Key: ⟦A3-‹upper 6›-‹upper 6›-‹upper 5›-‹upper 5›-‹upper 5›⟧
§ notes/1password.txt
sign-in address https://acme.1password.com
secret key ⟦A3-‹upper 6›-‹upper 6›-‹upper 5›-‹upper 5›-‹upper 5›⟧
§§ pagerduty-key | PagerDuty: REST keys have 20 characters, integration keys 32 hexadecimal digits
§ alerting.yml
receivers:
  - name: oncall
    pagerduty_configs:
      - service_key: ⟦‹hex 32›⟧
§ oncall.py
PAGERDUTY_TOKEN = "⟦u+‹url64 18›⟧"
§§ postman-key | Postman: PMAK-, 24 and 34 hexadecimal digits
§ .env.test
POSTMAN_API_KEY=⟦PMAK-‹hex 24›-‹hex 34›⟧
§ docs/api-tests.md
```
newman run "https://api.getpostman.com/collections/‹digits 8›?apikey=⟦PMAK-‹hex 24›-‹hex 34›⟧"
```
"""
