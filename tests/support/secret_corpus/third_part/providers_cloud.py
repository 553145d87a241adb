"""Tokens of clouds, hosts, secret stores, databases as a service and networks."""

TEMPLATE = r"""
§§ amazon access keys | docs.aws.amazon.com: access key id AKIA… with a secret of 40 characters
§ ~/.aws/credentials
[default]
aws_access_key_id = AKIA‹base32 16›
aws_secret_access_key = ⟦‹b64 40›⟧

[audit]
aws_access_key_id = ASIA‹base32 16›
aws_secret_access_key = ⟦‹b64 40›⟧
aws_session_token = ⟦IQoJb3JpZ2luX2Vj‹b64 300›⟧
§ deploy/provider.tf
provider "aws" {
  region     = "eu-west-1"
  access_key = "AKIA‹base32 16›"
  secret_key = "⟦‹b64 40›⟧"
}
§ src/main/java/org/acme/Uploader.java
AWSCredentials credentials = new BasicAWSCredentials("AKIA‹base32 16›", "⟦‹b64 40›⟧");
AmazonS3 s3 = AmazonS3ClientBuilder.standard().withRegion(Regions.EU_CENTRAL_1).build();
§ ~/.s3cfg
[default]
access_key = AKIA‹base32 16›
bucket_location = EU
secret_key = ⟦‹b64 40›⟧
use_https = True
§§ google cloud keys | cloud.google.com: API keys AIza, client secrets GOCSPX-, service account files
§ service-account.json
{
  "type": "service_account",
  "project_id": "harvester-‹digits 6›",
  "private_key_id": "‹hex 40›",
"private_key": "‹begin PRIVATE KEY›\n⟦‹escape ‹wrap MIIEvQIBADANBgkqhkiG9w 1600››⟧\n‹end PRIVATE KEY›\n",
  "client_email": "etl@harvester.iam.gserviceaccount.com"
}
§ client_secret.json
{"installed": {"client_id": "‹digits 12›-‹lower 32›.apps.googleusercontent.com", "project_id": "mail-sorter",
 "token_uri": "https://oauth2.googleapis.com/token", "client_secret": "⟦GOCSPX-‹url64 28›⟧"}}
§ app/src/main/AndroidManifest.xml
<application android:label="@string/app_name">
  <meta-data android:name="com.google.android.geo.API_KEY" android:value="⟦AIzaSy‹url64 33›⟧" />
</application>
§ token.json
{"token": "⟦ya29.a0A‹url64 190›⟧", "refresh_token": "⟦1//0‹url64 98›⟧",
 "scopes": ["https://www.googleapis.com/auth/drive.readonly"], "expiry": "2025-02-11T09:40:12Z"}
§§ azure keys and secrets | learn.microsoft.com: AccountKey, client secrets with Q~, SharedAccessKey, SAS
§ local.settings.json
{
  "IsEncrypted": false,
  "Values": {
    "AzureWebJobsStorage": "DefaultEndpointsProtocol=https;AccountName=acmefn;AccountKey=⟦‹bytes64 64›⟧",
    "FUNCTIONS_WORKER_RUNTIME": "node"
  }
}
§ scripts/login.sh
az login --service-principal -u ‹uuid› -p "⟦‹alnum 3›8Q~‹azure 33›a⟧" --tenant ‹uuid›
§ appsettings.Production.json
{ "ServiceBus": {
  "Connection": "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=⟦‹bytes64 32›⟧"
} }
§ etl/fetch.R
url <- paste0("https://acmedata.blob.core.windows.net/raw/2024.parquet?sv=2022-11-02&sr=b&sp=r",
  "&se=2026-01-01T00:00:00Z&sig=⟦‹quote ‹bytes64 32››⟧")
§ nuget.config
<packageSourceCredentials>
  <AcmeFeed>
    <add key="Username" value="build" />
    <add key="ClearTextPassword" value="⟦‹lower 52›⟧" />
  </AcmeFeed>
</packageSourceCredentials>
§§ asian and european cloud keys | docs of Alibaba, Tencent, Scaleway, Hetzner, OVH
§ ~/.aliyun/config.json
{"current": "default", "profiles": [{"name": "default", "mode": "AK",
 "access_key_id": "LTAI5t‹alnum 18›", "access_key_secret": "⟦‹alnum 30›⟧", "region_id": "cn-hangzhou"}]}
§ cos/conf.ini
[common]
secret_id = AKID‹alnum 32›
secret_key = ⟦‹alnum 32›⟧
bucket = photos-‹digits 10›
§ ~/.config/scw/config.yaml
access_key: SCW‹upper 17›
secret_key: ⟦‹uuid›⟧
default_region: fr-par
§ terraform.tfvars
hcloud_token = "⟦‹alnum 64›⟧"
location     = "fsn1"
§ ovh.conf
[ovh-eu]
application_key=‹hex 16›
application_secret=⟦‹hex 32›⟧
consumer_key=⟦‹hex 32›⟧
§§ virtual server hosts | docs of DigitalOcean, Linode, Vultr
§ doctl/config.yaml
access-token: ⟦dop_v1_‹hex 64›⟧
context: default
§ inventory/linode.yml
plugin: linode.cloud.instance
api_token: ⟦‹hex 64›⟧
regions: [eu-central]
§ cleanup.rb
VULTR_API_KEY = '⟦‹upper 36›⟧'.freeze
Faraday.get('https://api.vultr.com/v2/instances', nil, 'Authorization' => "Bearer #{VULTR_API_KEY}")
§§ content networks and domain services | docs of Cloudflare, Fastly, Bunny
§ traefik.env
CF_API_EMAIL=ops@example.net
CF_DNS_API_TOKEN=⟦‹url64 40›⟧
§ certbot/cloudflare.ini
# Cloudflare global key of the ops account
dns_cloudflare_email = ops@example.net
dns_cloudflare_api_key = ⟦‹hex 37›⟧
§ purge.sh
curl -X POST -H 'Fastly-Key: ⟦‹url64 32›⟧' https://api.fastly.com/service/‹alnum 22›/purge_all
§ storage.go
const originCA = "⟦v1.0-‹hex 24›-‹hex 146›⟧" // Cloudflare origin CA key
§§ application hosts | docs of Fly.io, Netlify, Render, Heroku, Vercel, Railway
§ bin/deploy
#!/bin/sh
FLY_API_TOKEN="⟦fo1_‹url64 43›⟧" flyctl deploy --remote-only
§ .github/workflows/site.yml
      - run: npx netlify deploy --prod --auth ⟦nfp_‹alnum 36›⟧ --site ‹uuid›
      - run: npx vercel --prod --token ⟦‹alnum 24›⟧
§ ~/.netrc
machine api.heroku.com
  login dev@example.com
  password ⟦HRKU-AA‹url64 58›⟧
machine git.heroku.com
  login dev@example.com
  password ⟦‹uuid›⟧
§ ops/render.py
RENDER = {"Authorization": "Bearer ⟦rnd_‹alnum 32›⟧"}
RAILWAY_TOKEN = "⟦‹uuid›⟧"
§§ databases as a service | docs of Supabase, PlanetScale, Neon, MongoDB Atlas, Upstash
§ supabase/.env
SUPABASE_URL=https://‹small 20›.supabase.co
SUPABASE_ACCESS_TOKEN=⟦sbp_‹hex 40›⟧
SUPABASE_SERVICE_ROLE_KEY=⟦‹jwt service_role›⟧
§ prisma/.env
DATABASE_URL="mysql://‹lower 20›:⟦pscale_pw_‹alnum 43›⟧@aws.connect.psdb.cloud/shop?sslaccept=strict"
§ drizzle.config.ts
export default defineConfig({
  schema: "./src/schema.ts",
  dbCredentials: { url: "postgresql://neondb_owner:⟦npg_‹alnum 12›⟧@ep-late-sun-‹lower 8›.aws.neon.tech/neondb" },
});
§ cache.mjs
export const redis = new Redis({ url: 'https://eu2-calm-‹number 10000 40000›.upstash.io', token: '⟦AY‹alnum 50›=⟧' });
§ mongo.md
Connect with Compass: `mongodb+srv://reporting:⟦‹alnum 16›⟧@cluster0.‹lower 5›.mongodb.net/sales`
§§ secret stores and infrastructure tools | docs of Vault, Terraform Cloud, Pulumi, Doppler, 1Password
§ vault-init.txt
Unseal Key 1: ⟦‹bytes64 33›⟧
Unseal Key 2: ⟦‹bytes64 33›⟧
Unseal Key 3: ⟦‹bytes64 33›⟧

Initial Root Token: ⟦hvs.‹alnum 24›⟧
§ ~/.terraformrc
credentials "app.terraform.io" {
  token = "⟦‹alnum 14›.atlasv1.‹alnum 67›⟧"
}
§ run.sh
PULUMI_ACCESS_TOKEN=⟦pul-‹hex 40›⟧ pulumi up --yes
DOPPLER_TOKEN=⟦dp.st.prd.‹alnum 43›⟧ doppler run -- ./server
§ connect.yaml
op:
  service_account_token: ⟦ops_eyJ‹url64 400›⟧
§§ private networks and cluster logins | docs of Tailscale, OpenShift, WireGuard, age
§ cloud-init.yaml
runcmd:
  - curl -fsSL https://tailscale.com/install.sh | sh
  - tailscale up --authkey ⟦tskey-auth-k‹alnum 11›CNTRL-‹alnum 32›⟧ --ssh
§ notes/cluster.txt
oc login --token=⟦sha256~‹url64 43›⟧ --server=https://api.ocp.example.org:6443
§ keys.txt
# created: 2024-08-02T11:20:31+02:00
# public key: age1‹bech32 58›
⟦AGE-SECRET-KEY-1‹BECH32 58›⟧
§ wg0.conf
[Interface]
Address = 10.8.0.7/24
PrivateKey = ⟦‹bytes64 32›⟧

[Peer]
PublicKey = ‹bytes64 32›
PresharedKey = ⟦‹bytes64 32›⟧
Endpoint = vpn.example.org:51820
§§ data platforms | docs of Databricks, Snowflake, dbt, Confluent, Prefect
§ ~/.databrickscfg
[DEFAULT]
host = https://adb-‹digits 16›.7.azuredatabricks.net
token = ⟦dapi‹hex 32›-3⟧
§ profiles.yml
analytics:
  target: prod
  outputs:
    prod:
      type: snowflake
      account: xy‹digits 5›.eu-central-1
      user: DBT_RUNNER
      password: ⟦‹password›⟧
      warehouse: WH_SMALL
§ kafka/client.properties
bootstrap.servers=pkc-‹lower 5›.eu-central-1.aws.confluent.cloud:9092
security.protocol=SASL_SSL
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
  username='‹upper 16›' password='⟦‹b64 64›⟧';
§ flows/.env
PREFECT_API_KEY=⟦pnu_‹alnum 36›⟧
DBT_CLOUD_TOKEN=⟦dbtu_‹url64 43›⟧
"""
