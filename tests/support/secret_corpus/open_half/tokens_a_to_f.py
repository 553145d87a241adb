"""Tokens of providers from A to F."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ airtable-token | Airtable: personal access tokens are pat, 14 characters, a full stop and 64 hexadecimal digits
§ scripts/sync_base.py
import requests

AIRTABLE_TOKEN = "⟦pat‹alnum 14›.‹hex 64›⟧"
BASE = "app‹alnum 14›"
§ .env.production
NODE_ENV=production
AIRTABLE_PAT=⟦pat‹alnum 14›.‹hex 64›⟧
AIRTABLE_TABLE=Orders
§§ alibaba-access-key | Alibaba Cloud: key ids begin with LTAI, secrets have 30 characters
§ deploy/aliyun.yaml
region: cn-hangzhou
access_key_id: ⟦LTAI‹alnum 20›⟧
access_key_secret: ⟦‹alnum 30›⟧
§ tools/oss_upload.py
import oss2

auth = oss2.Auth("⟦LTAI‹alnum 20›⟧", "⟦‹alnum 30›⟧")
bucket = oss2.Bucket(auth, "https://oss-cn-beijing.aliyuncs.com", "assets")
§§ anthropic-api-key | Anthropic: sk-ant-api03- and 93 characters, ending in AA
§ .env.local
# model access
ANTHROPIC_API_KEY=⟦sk-ant-api03-‹url64 93›AA⟧
MODEL=claude
§ notebooks/summarise.py
client = anthropic.Anthropic(api_key="⟦sk-ant-api03-‹url64 93›AA⟧")
print(client.messages.create(model="claude", max_tokens=100, messages=[]))
§ notes/2024-05-03.md
## Keys for the demo

- Claude: `⟦sk-ant-api03-‹url64 93›AA⟧` (expires in June)
§§ asana-token | Asana: personal access tokens are 1/ or 2/, the user's number, a colon and 32 hexadecimal digits
§ config/integrations.json
{
  "asana": {
    "workspace": "‹digits 16›",
    "access_token": "⟦1/‹digits 16›:‹hex 32›⟧"
  }
}
§ bin/tasks.sh
#!/bin/sh
curl -H "Authorization: Bearer ⟦2/‹digits 16›/‹digits 16›:‹hex 32›⟧" https://app.asana.com/api/1.0/tasks
§§ aws-access-key-id | AWS IAM: key ids are AKIA or ASIA and 16 characters of base32
§ .aws/credentials
[default]
aws_access_key_id = ⟦AKIA‹base32 16›⟧
region = eu-central-1
§ docs/incident-12.md
The leaked key was ⟦AKIA‹base32 16›⟧; rotate it before Friday.
§ src/upload.js
const s3 = new S3({ credentials: { accessKeyId: "⟦ASIA‹base32 16›⟧", secretAccessKey: process.env.SECRET } });
§§ aws-session-token | AWS STS: session tokens are long base64 and begin with IQoJ or FwoG
§ tmp/env.sh
export AWS_REGION=eu-west-1
export AWS_SESSION_TOKEN=⟦IQoJb3JpZ2luX2Vj‹b64 320›==⟧
§ logs/assume-role.json
{
  "Credentials": {
    "SessionToken": "⟦FwoGZXIvYXdzE‹b64 300›=⟧",
    "Expiration": "2024-06-01T12:00:00Z"
  }
}
§§ azure-devops-token | Azure DevOps: personal access tokens have 52 characters of base32, or 84 with AZDO
§ NuGet.Config
<packageSourceCredentials>
  <Feed>
    <add key="Username" value="build" />
    <add key="ClearTextPassword" value="⟦‹small 26›‹lower 26›⟧" />
  </Feed>
</packageSourceCredentials>
§ ci/push.sh
export AZURE_DEVOPS_EXT_PAT=⟦‹lower 52›⟧
az pipelines run --name nightly
§ scripts/clone.sh
AZURE_DEVOPS_TOKEN="⟦‹alnum 76›AZDO‹alnum 4›⟧"
git -c http.extraheader="Authorization: Basic $B64" clone https://dev.azure.com/acme/app
§§ azure-storage-key | Azure Storage: account keys are 64 bytes in base64
§ local.settings.json
{
  "Values": {
    "AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=acmefn;AccountKey=⟦‹bytes64 64›⟧;EndpointSuffix=core.windows.net"
  }
}
§ infra/storage.py
account_name = "acmelogs"
account_key = "⟦‹bytes64 64›⟧"
§ docs/ops.md
Service bus: `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦‹bytes64 32›⟧`
§§ buildkite-token | Buildkite: API tokens are bkua_ and 40 hexadecimal digits
§ .buildkite/env
BUILDKITE_ORG=acme
BUILDKITE_API_TOKEN=⟦bkua_‹hex 40›⟧
§ docs/builds.md
```sh
curl -H "Authorization: Bearer ⟦bkua_‹hex 40›⟧" "https://api.buildkite.com/v2/builds"
```
§§ cloudflare-api-token | Cloudflare: API tokens have 40 characters, global keys 37 hexadecimal digits
§ wrangler.env
CLOUDFLARE_ACCOUNT_ID=‹hex 32›
CLOUDFLARE_API_TOKEN=⟦‹url64 40›⟧
§ dns/update.py
HEADERS = {
    "X-Auth-Email": "ops@example.com",
    "X-Auth-Key": "⟦‹hex 37›⟧",
}
§ terraform/cloudflare.tfvars
zone = "example.com"
cloudflare_api_token = "⟦‹url64 40›⟧"
§§ databricks-token | Databricks: dapi and 32 hexadecimal digits
§ .databrickscfg
[DEFAULT]
host = https://adb-‹digits 16›.4.azuredatabricks.net
token = ⟦dapi‹hex 32›⟧
§ etl/connect.py
connection = sql.connect(
    server_hostname="dbc-‹hex 8›.cloud.databricks.com",
    access_token="⟦dapi‹hex 32›-2⟧",
)
§§ digitalocean-token | DigitalOcean: dop_v1_, doo_v1_ or dor_v1_ and 64 hexadecimal digits
§ terraform.tfvars
region   = "fra1"
do_token = "⟦dop_v1_‹hex 64›⟧"
§ docs/droplets.md
Log in once with `doctl auth init -t ⟦dop_v1_‹hex 64›⟧`, then list the droplets.
§ bot/oauth.json
{"refresh_token": "⟦dor_v1_‹hex 64›⟧", "scope": "read write"}
§§ discord-webhook | Discord: the last part of a webhook URL lets anybody post
§ ci/notify.sh
curl -X POST -d '{"content":"done"}' https://discord.com/api/webhooks/‹digits 19›/⟦‹url64 68›⟧
§ config/alerts.yaml
alerts:
  discord: https://discordapp.com/api/webhooks/‹digits 18›/⟦‹url64 68›⟧
  level: error
§§ dynatrace-token | Dynatrace: dt0c01, 24 characters of public id and 64 of secret
§ monitoring/dynatrace.yaml
url: https://abc12345.live.dynatrace.com/api
token: ⟦dt0c01.‹base32 24›.‹base32 64›⟧
§ install.sh
wget -O oneagent.sh "https://abc12345.live.dynatrace.com/api/v1/deployment/installer/agent/unix/default/latest" --header="Authorization: Api-Token ⟦dt0c01.‹base32 24›.‹base32 64›⟧"
§§ facebook-access-token | Meta Graph API: user and page tokens begin with EAA
§ config/social.php
<?php
return [
    'page_id' => '‹digits 15›',
    'access_token' => '⟦EAA‹alnum 180-200›ZDZD⟧',
];
§ docs/instagram.md
```
curl "https://graph.facebook.com/v19.0/me?access_token=⟦EAA‹alnum 170›ZD⟧"
```
§ worker/.env
META_PIXEL=‹digits 15›
META_TOKEN=⟦EAA‹alnum 160-190›⟧
§§ fastly-token | Fastly: API tokens have 32 characters
§ deploy/purge.sh
FASTLY_API_TOKEN=⟦‹url64 32›⟧
curl -X POST -H "Fastly-Key: $FASTLY_API_TOKEN" https://api.fastly.com/service/‹alnum 22›/purge_all
§ docs/cdn.md
    curl -X PURGE -H "Fastly-Key: ⟦‹url64 32›⟧" https://www.example.com/
§§ firebase-server-key | Firebase Cloud Messaging: server keys are AAAA, 7 characters, :APA91b and 134 characters
§ functions/push.js
const FCM_SERVER_KEY = "⟦AAAA‹url64 7›:APA91b‹url64 134›⟧";
§ config/push.yml
push:
  sender_id: "‹digits 12›"
  server_key: "⟦AAAA‹url64 7›:APA91b‹url64 134›⟧"
"""
