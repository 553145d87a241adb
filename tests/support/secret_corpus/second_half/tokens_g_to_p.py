"""Tokens of providers from G to P."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ github-classic-token | GitHub: personal access tokens are ghp_ and 36 characters with a checksum
§ .env
GITHUB_TOKEN=⟦ghp_‹checksummed›⟧
GITHUB_ORG=acme
§ docs/setup.md
1. Clone with `git clone https://⟦ghp_‹checksummed›⟧@github.com/acme/private.git`.
2. Run `make`.
§ chat/2023-11-04.txt
[10:02] mia: which token does the mirror use?
[10:03] jon: ⟦ghp_‹checksummed›⟧ but please rotate it
§ src/client.go
var token = "⟦ghp_‹checksummed›⟧"
§§ github-oauth-token | GitHub: OAuth tokens are gho_ or ghu_ and 36 characters with a checksum
§ .config/gh/hosts.yml
github.com:
    user: ana
    oauth_token: ⟦gho_‹checksummed›⟧
    git_protocol: https
§ auth.json
{"github-oauth": {"github.com": "⟦ghu_‹checksummed›⟧"}}
§§ gitlab-access-token | GitLab: personal and project access tokens are glpat- and 20 characters
§ .gitlab-ci.yml
variables:
  API_TOKEN: ⟦glpat-‹url64 20›⟧
stages: [build]
§ docs/mirror.md
git remote add mirror https://oauth2:⟦glpat-‹url64 20›⟧@gitlab.com/acme/app.git
§ scripts/issues.py
gl = gitlab.Gitlab("https://gitlab.example.com", private_token="⟦glpat-‹url64 20›⟧")
§§ gitlab-runner-token | GitLab: runner authentication tokens are glrt- and 20 characters
§ etc/gitlab-runner/config.toml
[[runners]]
  name = "build-1"
  url = "https://gitlab.com/"
  token = "⟦glrt-‹url64 20›⟧"
  executor = "docker"
§ docs/runner.md
    gitlab-runner register --url https://gitlab.com --token ⟦glrt-‹url64 20›⟧
§§ google-access-token | Google OAuth 2.0: access tokens begin with ya29.
§ tests/recorded/drive.http
GET /drive/v3/files HTTP/1.1
Host: www.googleapis.com
Authorization: Bearer ⟦ya29.a0‹url64 160›⟧
§ token.json
{"token": "⟦ya29.a0‹url64 160›⟧", "token_uri": "https://oauth2.googleapis.com/token"}
§§ google-client-secret | Google OAuth 2.0: client secrets are GOCSPX- and 28 characters
§ client_secret.json
{"installed": {"client_id": "‹digits 12›-‹lower 32›.apps.googleusercontent.com", "client_secret": "⟦GOCSPX-‹url64 28›⟧"}}
§ config/oauth.rb
provider :google_oauth2, ENV["GOOGLE_ID"], "⟦GOCSPX-‹url64 28›⟧"
§§ google-service-account | Google Cloud: the key file of a service account has a private key in JSON
§ keys/service-account.json
{
  "type": "service_account",
  "project_id": "acme-prod",
  "private_key_id": "‹hex 40›",
  "private_key": "‹begin PRIVATE KEY›\n⟦‹escape ‹wrap MIIEv 1500››⟧\n‹end PRIVATE KEY›\n",
  "client_email": "deploy@acme-prod.iam.gserviceaccount.com"
}
§ functions/firebase.js
admin.initializeApp({ credential: admin.credential.cert({
  clientEmail: 'firebase-adminsdk@acme.iam.gserviceaccount.com',
  privateKey: '‹begin PRIVATE KEY›\n⟦‹escape ‹wrap MIIEv 1500››⟧\n‹end PRIVATE KEY›\n',
}) });
§§ grafana-service-account-token | Grafana: glsa_, 32 characters and a checksum of 8 hexadecimal digits
§ scripts/dashboards.sh
curl -H "Authorization: Bearer ⟦glsa_‹alnum 32›_‹hex 8›⟧" https://grafana.example.com/api/search
§ terraform/grafana.tf
provider "grafana" {
  url  = "https://grafana.example.com"
  auth = "⟦glsa_‹alnum 32›_‹hex 8›⟧"
}
§§ hubspot-token | HubSpot: private app tokens are pat-na1- or pat-eu1- and a UUID
§ crm/client.py
hubspot = HubSpot(access_token="⟦pat-na1-‹uuid›⟧")
§ .env
HUBSPOT_PORTAL=‹digits 8›
HUBSPOT_TOKEN=⟦pat-eu1-‹uuid›⟧
§§ jwt-token | RFC 7519: three parts of base64url, of which the first is a JSON object
§ tests/manual.http
GET https://api.example.com/v1/me
Authorization: Bearer ⟦‹jwt admin›⟧
§ .env.supabase
SUPABASE_URL=https://‹small 20›.supabase.co
SUPABASE_SERVICE_ROLE_KEY=⟦‹jwt service_role›⟧
§ docs/debug.md
The failing request carried this token:

```
⟦‹jwt editor›⟧
```
§ src/api.js
localStorage.setItem("session", "⟦‹jwt user›⟧");
§§ mailchimp-key | Mailchimp: 32 hexadecimal digits and the data centre
§ config/newsletter.yml
mailchimp:
  list: ‹hex 10›
  api_key: ⟦‹hex 32›-us‹number 1 21›⟧
§ subscribe.php
$mc = new MailChimp('⟦‹hex 32›-us‹number 1 21›⟧');
§§ mapbox-secret-token | Mapbox: secret tokens are sk. and a JSON Web Token body
§ map/upload.sh
MAPBOX_ACCESS_TOKEN=⟦sk.‹base64 {"u":"acme","a":"cl‹lower 23›"}›.‹url64 22›⟧ mapbox upload acme.tiles tiles.mbtiles
§ gradle.properties
org.gradle.jvmargs=-Xmx2g
MAPBOX_DOWNLOADS_TOKEN=⟦sk.‹base64 {"u":"acme","a":"ck‹lower 23›"}›.‹url64 22›⟧
§§ netlify-token | Netlify: personal access tokens are nfp_ and 36 characters
§ deploy/netlify.sh
netlify deploy --prod --auth ⟦nfp_‹alnum 36›⟧ --dir public
§ .env
NETLIFY_AUTH_TOKEN=⟦nfp_‹alnum 36›⟧
§§ npm-token | npm: granular and automation tokens are npm_ and 36 characters with a checksum
§ .npmrc
registry=https://registry.npmjs.org/
//registry.npmjs.org/:_authToken=⟦npm_‹checksummed›⟧
§ ci/publish.sh
NPM_TOKEN=⟦npm_‹checksummed›⟧ npm publish --access public
§ docs/publishing.md
If two-factor fails, use the automation token (⟦npm_‹checksummed›⟧).
§§ okta-token | Okta: API tokens are 00 and 40 characters
§ scim/config.yaml
okta:
  org_url: https://acme.okta.com
  api_token: ⟦00‹url64 40›⟧
§ scripts/users.sh
curl -H "Authorization: SSWS ⟦00‹url64 40›⟧" https://acme.okta.com/api/v1/users
§§ openai-key | OpenAI: sk- or sk-proj-, with T3BlbkFJ (base64 of OpenAI) in the middle
§ .env
OPENAI_API_KEY=⟦sk-proj-‹url64 74›T3BlbkFJ‹url64 74›⟧
§ app/chat.py
openai.api_key = "⟦sk-‹alnum 20›T3BlbkFJ‹alnum 20›⟧"
§ docs/assistants.md
Set the key (currently `⟦sk-svcacct-‹url64 58›T3BlbkFJ‹url64 58›⟧`) in the settings.
§§ planetscale-token | PlanetScale: pscale_tkn_ (token) and pscale_pw_ (password) with 43 characters
§ .env
DATABASE_URL=mysql://‹lower 20›:⟦pscale_pw_‹alnum 43›⟧@aws.connect.psdb.cloud/shop?sslaccept=strict
§ ci/migrate.sh
pscale deploy-request create shop dev --service-token-id ‹lower 12› --service-token ⟦pscale_tkn_‹alnum 43›⟧
§§ pulumi-token | Pulumi: pul- and 40 hexadecimal digits
§ ci/env.yaml
env:
  PULUMI_STACK: prod
  PULUMI_ACCESS_TOKEN: ⟦pul-‹hex 40›⟧
§ README.md
Log in with `PULUMI_ACCESS_TOKEN=⟦pul-‹hex 40›⟧ pulumi login`.
§§ pypi-token | PyPI: pypi-AgEIcHlwaS5vcmc and a macaroon in base64url
§ .pypirc
[pypi]
username = __token__
password = ⟦pypi-AgEIcHlwaS5vcmc‹url64 150›⟧
§ Makefile
upload:
	twine upload -u __token__ -p ⟦pypi-AgEIcHlwaS5vcmc‹url64 140›⟧ dist/*
§ notes/release.md
token: ⟦pypi-AgENdGVzdC5weXBpLm9yZw‹url64 150›⟧ (test.pypi.org)
"""
