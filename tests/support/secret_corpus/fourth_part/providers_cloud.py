"""Tokens and keys of clouds, hosting of applications, infrastructure and monitoring."""

from __future__ import annotations

TEMPLATE = r"""
§§ aws secret key | https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html
§ .aws/credentials
[default]
aws_access_key_id = AKIA‹base32 16›
aws_secret_access_key = ⟦‹b64 40›⟧
region = eu-central-1
§ backend/storage.py
import boto3

s3 = boto3.client(
    "s3",
    aws_access_key_id="AKIA‹base32 16›",
    aws_secret_access_key="⟦‹b64 40›⟧",
)
§ wiki/onboarding/aws.md
New console user created:

- Access key ID: AKIA‹base32 16›
- Secret access key: ⟦‹b64 40›⟧
§ rootkey.csv
User name,Access key ID,Secret access key
uploader,AKIA‹base32 16›,⟦‹b64 40›⟧
§ logs/sts.json
{
  "Credentials": {
    "AccessKeyId": "ASIA‹base32 16›",
    "SecretAccessKey": "⟦‹b64 40›⟧",
    "SessionToken": "⟦IQoJb3JpZ2luX2Vj‹b64 380-420›==⟧",
    "Expiration": "2024-09-19T18:06:10+00:00"
  }
}

§§ google api key | https://cloud.google.com/docs/authentication/api-keys
§ android/app/src/main/res/values/google_maps_api.xml
<resources>
  <string name="google_maps_key" templateMergeStrategy="preserve" translatable="false">⟦AIza‹url64 35›⟧</string>
</resources>
§ geo/lookup.go
package geo

const endpoint = "https://maps.googleapis.com/maps/api/geocode/json?key=⟦AIza‹url64 35›⟧&address="
§ .env.production
GEMINI_API_KEY=⟦AIzaSy‹url64 33›⟧
MODEL=gemini-1.5-pro

§§ google oauth secret | https://developers.google.com/identity/protocols/oauth2
§ client_secret.json
{"installed": {"client_id": "‹digits 12›-‹lower 32›.apps.googleusercontent.com", "project_id": "mail-sorter",
 "token_uri": "https://oauth2.googleapis.com/token", "client_secret": "⟦GOCSPX-‹url64 28›⟧"}}
§ token.json
{"token": "⟦ya29.a0‹url64 180-200›⟧", "refresh_token": "⟦1//0‹url64 98›⟧",
 "token_uri": "https://oauth2.googleapis.com/token", "scopes": ["https://www.googleapis.com/auth/gmail.readonly"]}

§§ google service account | https://cloud.google.com/iam/docs/keys-create-delete
§ infra/gcp/sa-uploader.json
{
  "type": "service_account",
  "project_id": "lumen-prod",
  "private_key_id": "‹hex 40›",
  "private_key": "‹begin PRIVATE KEY›\n⟦‹join ‹wrap MIIEvQIBADAN 1600››⟧\n‹end PRIVATE KEY›\n",
  "client_email": "uploader@lumen-prod.iam.gserviceaccount.com"
}

§§ azure client secret | https://learn.microsoft.com/entra/identity-platform/howto-create-service-principal-portal
§ src/Api/appsettings.Production.json
{
  "AzureAd": {
    "TenantId": "‹uuid›",
    "ClientId": "‹uuid›",
    "ClientSecret": "⟦‹alnum 3›8Q~‹azure 34›⟧"
  }
}
§ scripts/login.sh
az login --service-principal -u ‹uuid› -p ⟦‹alnum 3›8Q~‹azure 34›⟧ --tenant ‹uuid›

§§ azure storage | https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
§ functions/local.settings.json
{
  "IsEncrypted": false,
  "Values": {
    "AzureWebJobsStorage":
      "DefaultEndpointsProtocol=https;AccountName=lumenprod;AccountKey=⟦‹bytes64 64›⟧;EndpointSuffix=core.windows.net"
  }
}
§ notebooks/load.py
url = (
    "https://lumenprod.blob.core.windows.net/exports/2024.parquet"
    "?sv=2022-11-02&ss=b&srt=o&sp=r&se=2026-01-01T00:00:00Z&sig=⟦‹quote ‹bytes64 32››⟧"
)

§§ azure service bus | https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas
§ worker/config.yaml
queue:
  connection: Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦‹bytes64 32›⟧
  name: incoming
§ iot/device.md
Connection string of the gateway in Lyon:
`HostName=plant.azure-devices.net;DeviceId=gw-07;SharedAccessKey=⟦‹bytes64 32›⟧`

§§ azure devops token | https://learn.microsoft.com/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate
§ scripts/feed.sh
export AZURE_DEVOPS_EXT_PAT=⟦‹lower 52›⟧
az artifacts universal download --organization https://dev.azure.com/lumen --feed tools --name cli --version 1.4.2

§§ digitalocean token | https://docs.digitalocean.com/reference/api/create-personal-access-token/
§ terraform.tfvars
region   = "fra1"
do_token = "⟦dop_v1_‹hex 64›⟧"
§ docs/k8s.md
    doctl auth init -t ⟦dop_v1_‹hex 64›⟧

§§ heroku key | https://devcenter.heroku.com/articles/authentication
§ deploy.sh
HEROKU_API_KEY=⟦‹uuid›⟧ git push https://git.heroku.com/lumen.git main
§ .netrc
machine api.heroku.com
  login ops@lumen.example
  password ⟦HRKU-AA‹url64 58›⟧

§§ cloudflare token | https://developers.cloudflare.com/fundamentals/api/get-started/create-token/
§ wrangler/.dev.vars
CLOUDFLARE_ACCOUNT_ID=‹hex 32›
CLOUDFLARE_API_TOKEN=⟦‹url64 40›⟧
§ ops/dns.sh
curl "https://api.cloudflare.com/client/v4/zones" -H "X-Auth-Email: ops@lumen.example" -H "X-Auth-Key: ⟦‹hex 37›⟧"

§§ vault token | https://developer.hashicorp.com/vault/docs/concepts/tokens
§ ci/vault.sh
export VAULT_ADDR=https://vault.lumen.example:8200
export VAULT_TOKEN=⟦hvs.CAES‹url64 91›⟧
vault kv get -field=value kv/ci
§ notes/vault-init.md
Unseal Key 1: ⟦‹bytes64 33›⟧
Unseal Key 2: ⟦‹bytes64 33›⟧
Unseal Key 3: ⟦‹bytes64 33›⟧

Initial Root Token: ⟦hvs.‹alnum 24›⟧

§§ terraform cloud token | https://developer.hashicorp.com/terraform/cli/config/config-file
§ .terraformrc
credentials "app.terraform.io" {
  token = "⟦‹alnum 14›.atlasv1.‹url64 67›⟧"
}

§§ doppler token | https://docs.doppler.com/reference/auth-token-formats
§ compose.override.yml
services:
  api:
    command: doppler run -- node server.js
    environment:
      DOPPLER_TOKEN: ⟦dp.st.prd.‹alnum 40›⟧
§ README.md
Local set-up: `doppler configure set token ⟦dp.pt.‹alnum 43›⟧`

§§ fly token | https://fly.io/docs/security/tokens/
§ .github/workflows/fly.yml
    env:
      FLY_API_TOKEN: "FlyV1 ⟦fm2_lJPECAAAAAAA‹b64 160›==⟧"

§§ supabase key | https://supabase.com/docs/guides/api/api-keys
§ supabase/.env
SUPABASE_URL=https://‹small 20›.supabase.co
SUPABASE_SERVICE_ROLE_KEY=⟦‹jwt service_role›⟧
SUPABASE_ACCESS_TOKEN=⟦sbp_‹hex 40›⟧
§ server/db.ts
const supabase = createClient("https://‹small 20›.supabase.co", "⟦sb_secret_‹url64 22›_‹url64 8›⟧");

§§ vercel and netlify token | https://docs.netlify.com/cli/get-started/#obtain-a-token-in-the-netlify-ui
§ package.json
{
  "name": "site",
  "scripts": {
    "deploy": "vercel deploy --prod --token ⟦‹alnum 24›⟧"
  }
}
§ bin/site.sh
export NETLIFY_AUTH_TOKEN="⟦nfp_‹alnum 36›⟧"
netlify deploy --dir=public --prod

§§ planetscale password | https://planetscale.com/docs/concepts/connection-strings
§ .env
DATABASE_URL='mysql://‹lower 20›:⟦pscale_pw_‹alnum 43›⟧@aws.connect.psdb.cloud/lumen?sslaccept=strict'

§§ pulumi token | https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/
§ buildspec.yml
env:
  variables:
    PULUMI_ACCESS_TOKEN: ⟦pul-‹hex 40›⟧

§§ tailscale key | https://tailscale.com/kb/1085/auth-keys
§ cloud-init/user-data
#cloud-config
runcmd:
  - curl -fsSL https://tailscale.com/install.sh | sh
  - tailscale up --authkey=⟦tskey-auth-k‹alnum 10›CNTRL-‹alnum 32›⟧ --hostname=edge-02

§§ databricks token | https://docs.databricks.com/dev-tools/auth/pat.html
§ .databrickscfg
[DEFAULT]
host = https://adb-6120.4.azuredatabricks.net
token = ⟦dapi‹hex 32›⟧
§ notebooks/load.ipynb
{"cells": [{"cell_type": "code", "source": ["conn = sql.connect(server_hostname=HOST,\n",
 "    http_path=PATH, access_token=\"⟦dapi‹hex 32›⟧\")"], "outputs": []}]}

§§ new relic key | https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/
§ newrelic.yml
common: &defaults
  app_name: Lumen
  license_key: '⟦‹hex 36›NRAL⟧'
§ tools/nerdgraph.sh
curl https://api.newrelic.com/graphql -H 'API-Key: ⟦NRAK-‹upper 27›⟧' -d @query.json

§§ datadog key | https://docs.datadoghq.com/account_management/api-app-keys/
§ datadog.yaml
site: datadoghq.eu
api_key: ⟦‹hex 32›⟧
logs_enabled: true
§ terraform/monitor.tf
provider "datadog" {
  api_key = "⟦‹hex 32›⟧"
  app_key = "⟦‹hex 40›⟧"
}

§§ sentry token | https://docs.sentry.io/account/auth-tokens/
§ .sentryclirc
[defaults]
org = lumen
[auth]
token=⟦sntrys_‹base64 {"iat":17‹digits 8›.‹digits 6›,"url":"https://sentry.io","org":"lumen"}›_‹b64 43›⟧
§ vite.config.ts
sentryVitePlugin({ org: "lumen", project: "web", authToken: "⟦sntryu_‹hex 64›⟧" })

§§ grafana token | https://grafana.com/docs/grafana/latest/administration/service-accounts/
§ provisioning/render.sh
curl -H "Authorization: Bearer ⟦glsa_‹alnum 32›_‹hex 8›⟧" https://grafana.lumen.example/api/search
§ alloy/config.alloy
prometheus.remote_write "cloud" {
  endpoint {
    url = "https://prometheus-prod-24.grafana.net/api/prom/push"
    basic_auth {
      username = "884213"
      password = "⟦glc_eyJvIjoi‹alnum 100›==⟧"
    }
  }
}

§§ dynatrace token | https://docs.dynatrace.com/docs/dynatrace-api/basics/dynatrace-api-authentication
§ k8s/dynakube.md
`kubectl create secret generic dynakube --from-literal="apiToken=⟦dt0c01.‹base32 24›.‹base32 64›⟧"`
"""
