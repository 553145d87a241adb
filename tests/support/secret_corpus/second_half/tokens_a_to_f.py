"""Tokens of providers from A to F."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ age-secret-key | age: the secret key is bech32 with the prefix AGE-SECRET-KEY-1 and 58 characters
§ keys/age.txt
# created: 2024-03-02T10:11:12+01:00
# public key: age1‹bech32 58›
⟦AGE-SECRET-KEY-1‹BECH32 58›⟧
§ docs/backup.md
Decrypt the backup with the key of the vault server:

    AGE_KEY=⟦AGE-SECRET-KEY-1‹BECH32 58›⟧ restic-restore.sh
§§ algolia-admin-key | Algolia: an admin key has 32 hexadecimal digits
§ web/search.config.js
module.exports = {
  appId: '‹upper 10›',
  algoliaAdminApiKey: '⟦‹hex 32›⟧',
  indexName: 'products',
};
§ .env
ALGOLIA_APP_ID=‹upper 10›
ALGOLIA_ADMIN_KEY=⟦‹hex 32›⟧
ALGOLIA_INDEX=docs
§§ artifactory-api-key | JFrog: API keys begin with AKCp and have 73 characters
§ ci/settings.sh
export ARTIFACTORY_USER=build
export ARTIFACTORY_API_KEY=⟦AKCp8‹alnum 68›⟧
§ docs/release.md
Upload by hand:

```sh
curl -H "X-JFrog-Art-Api: ⟦AKCp8‹alnum 68›⟧" -T app.jar https://artifacts.example.com/libs/app.jar
```
§§ atlassian-api-token | Atlassian: API tokens begin with ATATT3 and end with = and 8 hexadecimal digits of a checksum
§ scripts/jira_export.sh
JIRA_USER=ana@example.com
JIRA_TOKEN=⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧
curl -u "$JIRA_USER:$JIRA_TOKEN" https://example.atlassian.net/rest/api/3/search
§ docs/onboarding.md
For the Confluence importer use this token: ⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧

It is valid for a year.
§ config/jira.toml
[jira]
url = "https://example.atlassian.net"
api_token = "⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧"
§§ aws-secret-access-key | AWS IAM: secret access keys have 40 characters of base64
§ .aws/credentials
[staging]
aws_secret_access_key = ⟦‹b64 40›⟧
region = us-east-1
§ docker-compose.yml
services:
  worker:
    environment:
      AWS_DEFAULT_REGION: eu-west-1
      AWS_SECRET_ACCESS_KEY: ⟦‹b64 40›⟧
§ terraform/provider.tf
provider "aws" {
  region     = "eu-west-1"
  secret_key = "⟦‹b64 40›⟧"
}
§ notes/aws.md
Secret Access Key: ⟦‹b64 40›⟧
Console: https://example.signin.aws.amazon.com/console
§§ azure-client-secret | Microsoft Entra: client secrets have 40 characters with 8Q~ or 7Q~ at the fourth
§ appsettings.json
{
  "AzureAd": {
    "TenantId": "‹uuid›",
    "ClientId": "‹uuid›",
    "ClientSecret": "⟦‹alnum 3›8Q~‹azure 34›⟧"
  }
}
§ deploy/login.sh
az login --service-principal -u ‹uuid› -p "⟦‹alnum 3›8Q~‹azure 34›⟧" --tenant ‹uuid›
§ docs/azure.md
| App | Value |
|---|---|
| reporting | ⟦‹alnum 3›7Q~‹azure 34›⟧ |
§§ azure-sas-signature | Azure Storage: a shared access signature is the sig parameter of a URL
§ docs/downloads.md
The nightly dump lies at
https://acmestore.blob.core.windows.net/dumps/db.bak?sv=2022-11-02&st=2024-01-01T00%3A00%3A00Z&se=2025-01-01T00%3A00%3A00Z&sr=b&sp=r&sig=⟦‹quote ‹bytes64 32››⟧
§ scripts/azcopy.sh
azcopy copy ./out "https://acme.blob.core.windows.net/site?sp=racwdl&sv=2021-06-08&sr=c&sig=⟦‹quote ‹bytes64 32››⟧" --recursive
§ config/storage.yaml
storage:
  container: uploads
  sas_token: "?sv=2020-08-04&ss=bf&srt=co&sp=rwl&se=2026-12-31&sig=⟦‹quote ‹bytes64 32››⟧"
§§ bitbucket-app-password | Bitbucket: app passwords begin with ATBB
§ .git-credentials
https://ana:⟦ATBB‹alnum 24›‹HEX 8›⟧@bitbucket.org
§ pipelines/publish.sh
BB_APP_PASSWORD='⟦ATBB‹alnum 24›‹HEX 8›⟧'
curl -u "ana:$BB_APP_PASSWORD" https://api.bitbucket.org/2.0/user
§§ circleci-token | CircleCI: personal tokens are CCIPAT_, an id of 22 characters and 40 hexadecimal digits
§ scripts/rerun.sh
CIRCLE_TOKEN=⟦CCIPAT_‹base58 22›_‹hex 40›⟧
curl -H "Circle-Token: $CIRCLE_TOKEN" https://circleci.com/api/v2/me
§ config/ci.yml
circleci:
  project: gh/acme/app
  token: ⟦CCIPRJ_‹base58 22›_‹hex 40›⟧
§§ cloudinary-url | Cloudinary: the environment variable holds cloudinary://key:secret@cloud
§ .env
CLOUDINARY_URL=cloudinary://‹digits 15›:⟦‹url64 27›⟧@acme-media
UPLOAD_PRESET=avatars
§ src/media.rb
Cloudinary.config_from_url("cloudinary://‹digits 15›:⟦‹url64 27›⟧@acme-media")
§§ datadog-api-key | Datadog: API keys have 32, application keys 40 hexadecimal digits
§ datadog.yaml
site: datadoghq.eu
api_key: ⟦‹hex 32›⟧
logs_enabled: true
§ k8s/agent.env
DD_SITE=datadoghq.com
DD_API_KEY=⟦‹hex 32›⟧
DD_APP_KEY=⟦‹hex 40›⟧
§ terraform/monitoring.tf
provider "datadog" {
  api_key = "⟦‹hex 32›⟧"
  app_key = "⟦‹hex 40›⟧"
}
§§ discord-bot-token | Discord: base64 of the user id, six characters of time, and a signature of 27 or 38 characters
§ bot/config.json
{
  "prefix": "!",
  "token": "⟦‹choose M|N|O›T‹choose A|E|I›‹alnum 23›.G‹url64 5›.‹url64 38›⟧"
}
§ bot/main.py
import discord

client = discord.Client()
client.run("⟦‹choose M|N|O›D‹alnum 22›.X‹url64 5›.‹url64 27›⟧")
§ notes/discord.md
Bot of the test server: ⟦‹choose M|N|O›T‹choose A|E|I›‹alnum 23›.G‹url64 5›.‹url64 38›⟧
§§ docker-hub-token | Docker Hub: dckr_pat_ and 27 characters
§ .github/old-publish.sh
echo "⟦dckr_pat_‹url64 27›⟧" | docker login -u acme --password-stdin
docker push acme/app:latest
§ docs/images.md
Pull from the private repository with user `acme` and token `⟦dckr_pat_‹url64 27›⟧`.
§ ansible/vars/docker.yml
docker_user: acme
docker_token: ⟦dckr_pat_‹url64 27›⟧
§§ doppler-token | Doppler: dp.pt. (personal), dp.st. (service) and others, with 40 to 44 characters
§ Makefile
DOPPLER_TOKEN = ⟦dp.pt.‹alnum 43›⟧

run:
	doppler run -- npm start
§ deploy/fly.env
DOPPLER_TOKEN=⟦dp.st.prd.‹alnum 43›⟧
PORT=8080
§ docs/secrets.md
New machines use ⟦dp.ct.‹alnum 43›⟧ until they are enrolled.
§§ dropbox-token | Dropbox: short-lived access tokens begin with sl.
§ backup/dropbox.ini
[dropbox]
folder = /backup
access_token = ⟦sl.B‹url64 135›⟧
§ sync.py
dbx = dropbox.Dropbox("⟦sl.A‹url64 138›⟧")
dbx.users_get_current_account()
§§ ethereum-private-key | Ethereum: 32 bytes in hexadecimal after the words private key
§ docs/wallet.md
Test wallet of the faucet

address: 0x‹hex 40›
private key: ⟦0x‹hex 64›⟧
§ hardhat.config.js
module.exports = {
  networks: { sepolia: { url: "https://rpc.sepolia.org", accounts: ["⟦0x‹hex 64›⟧"] } },
};
§ .env
RPC_URL=https://mainnet.infura.io/v3/
DEPLOYER_PRIVATE_KEY=⟦‹hex 64›⟧
§ scripts/send.py
PRIVATE_KEY = "⟦0x‹hex 64›⟧"
account = web3.eth.account.from_key(PRIVATE_KEY)
§§ facebook-app-secret | Meta: the app secret has 32 hexadecimal digits
§ config/auth.yml
facebook:
  app_id: "‹digits 16›"
  app_secret: "⟦‹hex 32›⟧"
§ settings.py
SOCIAL_AUTH_FACEBOOK_KEY = "‹digits 16›"
SOCIAL_AUTH_FACEBOOK_SECRET = "⟦‹hex 32›⟧"
§§ figma-token | Figma: personal access tokens begin with figd_
§ design/export.mjs
const headers = { 'X-Figma-Token': '⟦figd_‹url64 40›⟧' };
const file = await fetch('https://api.figma.com/v1/files/‹alnum 22›', { headers });
§ .env.design
FIGMA_FILE=‹alnum 22›
FIGMA_TOKEN=⟦figd_‹url64 43›⟧
§ docs/icons.md
Icons are exported with token ⟦figd_‹url64 40›⟧ of the design account.
§§ flyio-token | Fly.io: tokens are FlyV1 and macaroons that begin with fm2_
§ .envrc
export FLY_API_TOKEN="⟦FlyV1 fm2_‹b64 180›⟧"
export FLY_REGION=fra
§ docs/deploy.md
Without a browser: `fly deploy --access-token ⟦fm2_‹b64 160›⟧`
"""
