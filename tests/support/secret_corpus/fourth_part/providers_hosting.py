"""Tokens of code hosting, package registries, continuous integration and issue trackers."""

from __future__ import annotations

TEMPLATE = r"""
§§ github token | https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
§ scripts/release.sh
#!/usr/bin/env bash
set -euo pipefail
export GH_TOKEN=⟦ghp_‹checksummed›⟧
gh release create "v$1" --generate-notes dist/*
§ docs/runbooks/mirror.md
# Mirroring

1. Add the remote: `git remote add mirror https://oauth2:⟦gho_‹checksummed›⟧@github.com/lumen-labs/engine.git`
2. `git push --mirror mirror`
§ .vscode/mcp.json
{
  "servers": {
    "github": {
      "command": "docker",
      "args": ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
      "env": {"GITHUB_PERSONAL_ACCESS_TOKEN": "⟦github_pat_11A‹upper 19›_‹alnum 59›⟧"}
    }
  }
}
§ logs/ci-2024-11-02.log
2024-11-02T08:12:44Z Run actions/checkout@v4
2024-11-02T08:12:45Z fetch https://x-access-token:⟦ghs_‹checksummed›⟧@github.com/lumen-labs/engine
2024-11-02T08:12:47Z HEAD is now at ‹hex 7› Fix flaky test

§§ gitlab token | https://docs.gitlab.com/security/tokens/#token-prefixes
§ deploy/registry.md
To pull from the internal registry:

    docker login registry.gitlab.com -u deploy -p ⟦glpat-‹url64 20›⟧

§ runner/config.toml
concurrent = 4

[[runners]]
  name = "build-03"
  url = "https://gitlab.com"
  token = "⟦glrt-‹url64 20›⟧"
  executor = "docker"
§ tools/trigger.py
import requests

requests.post(
    "https://gitlab.com/api/v4/projects/4711/trigger/pipeline",
    data={"token": "⟦glptt-‹hex 40›⟧", "ref": "main"},
    timeout=10,
)

§§ bitbucket token | https://support.atlassian.com/bitbucket-cloud/docs/using-app-passwords/
§ notes/bitbucket.md
App password for the importer (read only): ⟦ATBB‹alnum 24›‹HEX 8›⟧
§ scripts/clone_all.sh
for repo in billing portal worker; do
  git clone "https://mira-k:⟦ATBB‹alnum 24›‹HEX 8›⟧@bitbucket.org/acme-eu/$repo.git"
done

§§ gitea token | https://docs.gitea.com/development/api-usage
§ ops/backup-gitea.sh
GITEA_TOKEN="⟦‹hex 40›⟧"
curl -sf -H "Authorization: token $GITEA_TOKEN" https://git.intern.example.org/api/v1/user/repos
§ wiki/forgejo.md
API call used by the bot:

```http
GET /api/v1/repos/search HTTP/1.1
Host: forge.example.net
Authorization: token ⟦‹hex 40›⟧
```

§§ npm token | https://docs.npmjs.com/about-access-tokens
§ .npmrc
registry=https://registry.npmjs.org/
//registry.npmjs.org/:_authToken=⟦npm_‹checksummed›⟧
§ Dockerfile
FROM node:20-alpine
WORKDIR /app
RUN npm config set //registry.npmjs.org/:_authToken ⟦npm_‹checksummed›⟧
COPY package*.json ./
RUN npm ci

§§ pypi token | https://pypi.org/help/#apitoken
§ .pypirc
[distutils]
index-servers = pypi

[pypi]
username = __token__
password = ⟦pypi-AgEIcHlwaS5vcmc‹url64 150-170›⟧
§ docs/how-to-publish.md
Then run `twine upload -u __token__ -p ⟦pypi-AgENdGVzdC5weXBpLm9yZw‹url64 150-165›⟧ -r testpypi dist/*`.

§§ rubygems token | https://guides.rubygems.org/api-key-scopes/
§ .gem/credentials
---
:rubygems_api_key: ⟦rubygems_‹hex 48›⟧
§ Rakefile
task :publish do
  ENV["GEM_HOST_API_KEY"] = "⟦rubygems_‹hex 48›⟧"
  sh "gem push pkg/*.gem"
end

§§ nuget key | https://learn.microsoft.com/nuget/nuget-org/scoped-api-keys
§ build/publish.ps1
dotnet pack -c Release
dotnet nuget push artifacts/*.nupkg -s https://api.nuget.org/v3/index.json -k ⟦oy2‹lower 43›⟧
§ NuGet.Config
<configuration>
  <apikeys>
    <add key="https://www.nuget.org" value="⟦oy2‹lower 43›⟧" />
  </apikeys>
</configuration>

§§ crates.io token | https://doc.rust-lang.org/cargo/reference/config.html#credentials
§ .cargo/credentials.toml
[registry]
token = "⟦cio‹alnum 32›⟧"
§ NOTES.md
publishing the crate: `cargo publish --token ⟦cio‹alnum 32›⟧`

§§ docker hub token | https://docs.docker.com/security/access-tokens/
§ bin/push-images
echo ⟦dckr_pat_‹url64 27›⟧ | docker login --username lumenlabs --password-stdin
docker push lumenlabs/engine:latest
§ .github/workflows/image.yml
jobs:
  image:
    runs-on: ubuntu-latest
    steps:
      - uses: docker/login-action@v3
        with:
          username: lumenlabs
          password: ⟦dckr_oat_‹url64 32›⟧

§§ artifactory key | https://jfrog.com/help/r/jfrog-platform-administration-documentation/api-key
§ pip.conf
[global]
index-url = https://ci-reader:⟦AKCp8‹alnum 68›⟧@artifacts.example.com/artifactory/api/pypi/pypi/simple
§ gradle.properties
org.gradle.jvmargs=-Xmx2g
artifactory_user=ci-reader
artifactory_password=⟦AKCp5‹alnum 68›⟧

§§ sonarqube token | https://docs.sonarsource.com/sonarqube-server/user-guide/managing-tokens/
§ Makefile
analyse:
 sonar-scanner -Dsonar.projectKey=engine -Dsonar.host.url=https://sonar.example.com -Dsonar.token=⟦sqp_‹hex 40›⟧
§ sonar-project.properties
sonar.projectKey=engine
sonar.sources=src
sonar.login=⟦squ_‹hex 40›⟧

§§ circleci token | https://circleci.com/docs/managing-api-tokens/
§ scripts/rerun.sh
curl -X POST https://circleci.com/api/v2/project/gh/lumen/app/pipeline -H "Circle-Token: ⟦CCIPAT_‹alnum 22›_‹hex 40›⟧"

§§ buildkite token | https://buildkite.com/docs/apis/managing-api-tokens
§ terraform/buildkite.tf
provider "buildkite" {
  organization = "lumen"
  api_token    = "⟦bkua_‹hex 40›⟧"
}

§§ atlassian token | https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/
§ tools/jira_sync.py
from jira import JIRA

client = JIRA(
    "https://lumen.atlassian.net",
    basic_auth=("bot@lumen.example", "⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧"),
)
§ .claude/settings.local.json
{"env": {"JIRA_URL": "https://lumen.atlassian.net", "JIRA_API_TOKEN": "⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧"}}
§ confluence/export.md
| Tool | User | Token |
|---|---|---|
| exporter | docs-bot@lumen.example | ⟦ATCTT3xFfGN0‹url64 171›=‹HEX 8›⟧ |

§§ linear key | https://linear.app/docs/api-and-webhooks
§ .env.local
NEXT_PUBLIC_SITE=https://lumen.example
LINEAR_API_KEY=⟦lin_api_‹alnum 40›⟧
§ notes/2024-06-14.md
- [ ] rotate lin key, Jo pasted it into the channel: ⟦lin_api_‹alnum 40›⟧

§§ notion token | https://developers.notion.com/changelog
§ src/notion.ts
import { Client } from "@notionhq/client";

export const notion = new Client({ auth: "⟦ntn_‹digits 11›‹alnum 35›⟧" });
§ n8n/export.json
{"name": "Notion account", "type": "notionApi", "data": {"apiKey": "⟦secret_‹alnum 43›⟧"}}

§§ airtable token | https://airtable.com/developers/web/guides/personal-access-tokens
§ scripts/pull_airtable.rb
require "net/http"
TOKEN = "⟦pat‹alnum 14›.‹hex 64›⟧".freeze
§ docs/data.md
`curl https://api.airtable.com/v0/appW2f/Leads -H "Authorization: Bearer ⟦pat‹alnum 14›.‹hex 64›⟧"`

§§ figma token | https://www.figma.com/developers/api#access-tokens
§ design/tokens/README.md
Run `FIGMA_TOKEN=⟦figd_‹url64 40›⟧ npm run sync-tokens`.

§§ postman key | https://learning.postman.com/docs/developer/postman-api/authentication/
§ .github/workflows/newman.yml
    steps:
      - run: newman run "https://api.getpostman.com/collections/88?apikey=⟦PMAK-‹hex 24›-‹hex 34›⟧"

§§ asana token | https://developers.asana.com/docs/personal-access-token
§ asana.ini
[asana]
workspace = 1199000012
access_token = ⟦2/‹digits 16›/‹digits 16›:‹hex 32›⟧

§§ codecov token | https://docs.codecov.com/docs/codecov-tokens
§ codecov.yml
codecov:
  token: ⟦‹uuid›⟧
  require_ci_to_pass: true
§ appveyor.yml
after_test:
  - ps: .\codecov.exe -t ⟦‹uuid›⟧ -f coverage.xml
environment:
  CODECOV_TOKEN: ⟦‹uuid›⟧
"""
