"""Tokens of code hosts, package registries, build services and models, where projects really keep them."""

TEMPLATE = r"""
§§ github tokens in remotes and scripts | docs.github.com: token formats ghp_, gho_, ghs_, github_pat_
§ .git/config
[core]
	repositoryformatversion = 0
[remote "origin"]
	url = https://x-access-token:⟦ghs_‹checksummed›⟧@github.com/lumen-labs/harvester.git
	fetch = +refs/heads/*:refs/remotes/origin/*
§ scripts/release.sh
#!/usr/bin/env bash
set -euo pipefail
gh auth login --with-token <<< "⟦github_pat_‹alnum 22›_‹alnum 59›⟧"
gh release create "$1" --generate-notes
§ docs/runbook.md
To rebuild the mirror:

    git clone https://deploy-bot:⟦ghp_‹checksummed›⟧@github.com/lumen-labs/infra.git
§ logs/actions.log
2025-11-03T08:11:42Z DEBUG request GET https://api.github.com/user
2025-11-03T08:11:42Z DEBUG > authorization: token ⟦gho_‹checksummed›⟧
2025-11-03T08:11:43Z DEBUG < 200 OK
§§ gitlab tokens of users, runners and triggers | docs.gitlab.com: token prefixes glpat-, glrt-, glptt-, gldt-
§ /etc/gitlab-runner/config.toml
concurrent = 4
[[runners]]
  name = "builder-‹number 1 40›"
  url = "https://gitlab.example.org/"
  token = "⟦glrt-‹url64 20›⟧"
  executor = "docker"
§ notes/2024-05-12.md
curl --header "PRIVATE-TOKEN: ⟦glpat-‹url64 20›⟧" "https://gitlab.com/api/v4/projects?owned=true" | jq '.[].name'
§ ci/trigger.sh
curl -X POST --fail -F token=⟦glptt-‹hex 40›⟧ -F ref=main https://gitlab.com/api/v4/projects/‹digits 8›/trigger/pipeline
§§ bitbucket and atlassian tokens | support.atlassian.com: API tokens ATATT3x, app passwords ATBB
§ tools/jira_export.py
import requests

AUTH = ("maria.lopez@example.com", "⟦ATATT3xFfGF0‹url64 171›=‹HEX 8›⟧")
for page in range(10):
    requests.get(f"https://acme.atlassian.net/rest/api/3/search?startAt={page * 50}", auth=AUTH, timeout=30)
§ .env.local
BITBUCKET_USER=jenkins-acme
BITBUCKET_APP_PASSWORD=⟦ATBB‹alnum 24›‹HEX 8›⟧
§§ package registry tokens | docs of npm, PyPI, RubyGems, crates.io, NuGet, Clojars
§ .npmrc
@acme:registry=https://npm.pkg.example.com/
//registry.npmjs.org/:_authToken=⟦npm_‹checksummed›⟧
§ ~/.pypirc
[distutils]
index-servers = pypi

[pypi]
username = __token__
password = ⟦pypi-AgEIcHlwaS5vcmcCJ‹url64 150›⟧
§ ~/.gem/credentials
---
:rubygems_api_key: ⟦rubygems_‹hex 48›⟧
§ ~/.cargo/credentials.toml
[registry]
token = "⟦cio‹alnum 32›⟧"
§ build/publish.ps1
dotnet nuget push .\out\*.nupkg --source https://api.nuget.org/v3/index.json --api-key ⟦oy2‹lower 43›⟧
§ project.clj
(defproject org.example/harvester "0.4.1"
  :deploy-repositories [["clojars" {:url "https://repo.clojars.org"
                                    :username "rsmith"
                                    :password "⟦CLOJARS_‹hex 60›⟧"}]])
§§ container registry and artifact tokens | docs.docker.com personal access tokens; jfrog.com API keys
§ Makefile
login:
	echo ⟦dckr_pat_‹url64 27›⟧ | docker login -u acmebuild --password-stdin
§ gradle.properties
org.gradle.jvmargs=-Xmx2g
artifactory_user=ci-reader
artifactory_password=⟦AKCp‹alnum 69›⟧
§ pip.conf
[global]
index-url = https://ci-reader:⟦cmVmdGtuO‹alnum 55›⟧@acme.jfrog.io/artifactory/api/pypi/pypi-local/simple
§§ tokens of model providers | platform docs of OpenAI, Anthropic, Groq, xAI, OpenRouter
§ app/.env
MODEL=gpt-4o-mini
OPENAI_API_KEY=⟦sk-proj-‹url64 74›T3BlbkFJ‹url64 74›⟧
§ src/chat/client.ts
import Anthropic from "@anthropic-ai/sdk";
// FIXME move to vault before merging
const client = new Anthropic({ apiKey: "⟦sk-ant-api03-‹url64 93›AA⟧" });
§ bench/run.py
from groq import Groq
client = Groq(api_key="⟦gsk_‹alnum 52›⟧")
§ config/models.yaml
models:
  - name: grok
    provider: xai
    key: ⟦xai-‹alnum 80›⟧
  - name: router
    provider: openrouter
    key: ⟦sk-or-v1-‹hex 64›⟧
§§ tokens of model hubs and tracking services | docs of Hugging Face, Replicate, Perplexity, LangSmith, Tavily, W&B
§ notebooks/finetune.ipynb
{"cells": [{"cell_type": "code", "execution_count": 3, "metadata": {}, "outputs": [],
 "source": ["from huggingface_hub import login\n", "login(token=\"⟦hf_‹letters 34›⟧\")\n"]}],
 "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
§ Dockerfile.gpu
FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04
ENV REPLICATE_API_TOKEN=⟦r8_‹alnum 37›⟧
ENV WANDB_API_KEY=⟦‹hex 40›⟧
CMD ["python", "serve.py"]
§ agents/settings.py
LANGSMITH_TRACING = True
LANGSMITH_API_KEY = "⟦lsv2_pt_‹hex 32›_‹hex 10›⟧"
TAVILY_API_KEY = "⟦tvly-dev-‹alnum 32›⟧"
PERPLEXITY_KEY = "⟦pplx-‹alnum 48›⟧"
§§ vector stores and search services | docs of Pinecone, Jina, Algolia, Elastic
§ search/index.js
const { Pinecone } = require('@pinecone-database/pinecone');
const pc = new Pinecone({ apiKey: '⟦pcsk_‹alnum 5›_‹alnum 63›⟧' });
module.exports = pc.index('articles');
§ docker-compose.yml
services:
  indexer:
    image: acme/indexer:2.3
    environment:
      ALGOLIA_APP_ID: ‹upper 10›
      ALGOLIA_ADMIN_KEY: ⟦‹hex 32›⟧
      JINA_API_KEY: ⟦jina_‹hex 32›‹url64 28›⟧
§ etc/filebeat.yml
output.elasticsearch:
  hosts: ["https://search.internal:9200"]
  api_key: "⟦‹url64 20›:‹url64 22›⟧"
§§ build service tokens | docs of CircleCI, Buildkite, SonarQube, Snyk, Codecov
§ ~/.circleci/cli.yml
host: https://circleci.com
endpoint: graphql-unstable
token: ⟦CCIPAT_‹base58 22›_‹hex 40›⟧
§ sonar-project.properties
sonar.projectKey=harvester
sonar.host.url=https://sonar.example.org
sonar.token=⟦sqp_‹hex 40›⟧
§ scripts/annotate.sh
export BUILDKITE_API_TOKEN="⟦bkua_‹hex 40›⟧"
curl -H "Authorization: Bearer $BUILDKITE_API_TOKEN" https://api.buildkite.com/v2/user
§ .travis.yml
language: go
env:
  global:
    - CODECOV_TOKEN=⟦‹uuid›⟧
    - SNYK_TOKEN=⟦‹uuid›⟧
§§ api development tools | docs of Postman, WakaTime, ReadMe, LaunchDarkly, PostHog
§ ~/.wakatime.cfg
[settings]
debug = false
api_key = ⟦waka_‹uuid›⟧
§ newman.sh
newman run "https://api.getpostman.com/collections/‹digits 8›?apikey=⟦PMAK-‹hex 24›-‹hex 34›⟧"
§ flags/Provider.java
public final class Flags {
    private static final LDClient CLIENT = new LDClient("⟦sdk-‹uuid›⟧");
    static final String POSTHOG_PERSONAL_KEY = "⟦phx_‹alnum 43›⟧";
}
§§ error and log collection tokens | docs of Sentry, New Relic, Grafana, Datadog
§ .sentryclirc
[defaults]
org=acme
project=web
[auth]
token=⟦sntryu_‹hex 64›⟧
§ newrelic.yml
common: &default_settings
  app_name: Checkout
  license_key: ⟦‹hex 36›NRAL⟧
  agent_enabled: true
§ grafana/provision.sh
curl -s -H "Authorization: Bearer ⟦glsa_‹alnum 32›_‹hex 8›⟧" -d @dashboard.json https://grafana.example.org/api/dashboards/db
§ datadog.yaml
api_key: ⟦‹hex 32›⟧
app_key: ⟦‹hex 40›⟧
site: datadoghq.eu
logs_enabled: true
"""
