"""Tokens with a form of their own: one row per form, with the source of the form.

To recognise another token, add a row. A row has the literal beginnings of the token (at least two characters each) and
an expression for the rest. A token begins after a character that no token contains, and ends before one.
"""

from string import ascii_letters, digits
from typing import NamedTuple


class TokenRule(NamedTuple):
    """The form of one kind of token."""

    name: str
    starts: tuple[bytes, ...]
    """Literal beginnings, of at least two bytes."""
    rest: bytes
    """Expression for what follows the beginning, compiled at first use (`compile_once`)."""
    source: str
    """Where the form is described."""


_HEX, _ALNUM, _WORD = "[a-f0-9]", "[A-Za-z0-9]", "[A-Za-z0-9_-]"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
# Bot tokens begin with the id of the bot, a decimal number, in base64: so the first letter is known.
_DISCORD = " ".join(first + second for first in "MNO" for second in ascii_letters + digits)

_ROWS: tuple[tuple[str, str, str, str], ...] = (
    # clouds and hosting
    ("AWS access key id", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}", "docs.aws.amazon.com, IAM identifiers"),
    ("AWS Bedrock API key", "ABSK", "[A-Za-z0-9+/]{100,300}={0,2}", "docs.aws.amazon.com, Bedrock API keys"),
    ("Google API key", "AIza", f"{_WORD}{{35}}", "cloud.google.com, API keys"),
    ("Google OAuth client secret", "GOCSPX-", f"{_WORD}{{28}}", "developers.google.com, OAuth 2.0"),
    ("Google OAuth access token", "ya29.", "[A-Za-z0-9_.-]{20,500}", "developers.google.com, OAuth 2.0"),
    ("Google OAuth refresh token", "1//0", f"{_WORD}{{40,200}}", "developers.google.com, OAuth 2.0"),
    ("Alibaba access key id", "LTAI", f"{_ALNUM}{{16,26}}", "alibabacloud.com, AccessKey pair"),
    ("Tencent secret id", "AKID", f"{_ALNUM}{{32}}", "cloud.tencent.com, CAM"),
    ("Yandex Cloud API key", "AQVN", f"{_WORD}{{35,38}}", "yandex.cloud, API keys"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_ dot_v1_", f"{_HEX}{{64}}", "docs.digitalocean.com, tokens"),
    ("Heroku API key", "HRKU-", f"(?:{_UUID}|{_WORD}{{40,80}})", "devcenter.heroku.com, authentication"),
    ("Fly.io token", "fo1_ fm1r_ fm1a_ fm2_", "[A-Za-z0-9+/=_,-]{30,3000}", "fly.io, access tokens"),
    ("Netlify token", "nfp_ nfo_ nfc_ nfu_ nfb_", f"{_ALNUM}{{36}}", "docs.netlify.com, access tokens"),
    ("Render API key", "rnd_", f"{_ALNUM}{{28,40}}", "render.com, API keys"),
    ("Vercel token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", f"{_WORD}{{24,90}}", "vercel.com, tokens"),
    ("Cloudflare token", "cfut_ cfat_ cfk_", f"{_WORD}{{36,80}}", "developers.cloudflare.com, API tokens"),
    ("Cloudflare origin CA key", "v1.0-", f"{_HEX}{{24}}-{_HEX}{{146}}", "developers.cloudflare.com, origin CA keys"),
    ("Supabase token", "sbp_", f"(?:v\\d_)?{_HEX}{{40}}", "supabase.com, access tokens"),
    ("Supabase secret key", "sb_secret_", f"{_WORD}{{20,60}}", "supabase.com, API keys"),
    ("PlanetScale secret", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.=-]{32,64}", "planetscale.com, tokens"),
    ("Neon API key", "napi_", f"{_ALNUM}{{40,80}}", "neon.com, API keys"),
    ("Scalingo token", "tk-us-", f"{_WORD}{{48}}", "developers.scalingo.com"),
    ("OpenShift token", "sha256~", f"{_WORD}{{43}}", "docs.openshift.com, OAuth tokens"),
    # code hosting, builds, packages
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ALNUM}{{36,255}}", "docs.github.com, token formats"),
    ("GitHub fine-grained token", "github_pat_", "[A-Za-z0-9_]{36,255}", "docs.github.com, token formats"),
    (
        "GitLab token",
        "glpat- glptt- gldt- glrt- glrtr- glsoat- glcbt- glft- glimt- glagent- gloas- glffct- glwt- GR1348941",
        "[A-Za-z0-9_=.-]{20,300}",
        "docs.gitlab.com, token prefixes",
    ),
    ("Bitbucket app password", "ATBB", f"{_ALNUM}{{32}}", "support.atlassian.com, app passwords"),
    ("Atlassian API token", "ATATT3 ATCTT3", "[A-Za-z0-9_=-]{60,300}", "support.atlassian.com, API tokens"),
    ("Docker Hub token", "dckr_pat_ dckr_oat_", f"{_WORD}{{27,40}}", "docs.docker.com, access tokens"),
    ("npm token", "npm_", f"{_ALNUM}{{36,255}}", "docs.npmjs.com, access tokens"),
    ("PyPI token", "pypi-", f"{_WORD}{{50,400}}", "pypi.org, help"),
    ("RubyGems key", "rubygems_", f"{_HEX}{{48}}", "guides.rubygems.org, API keys"),
    ("crates.io token", "cio", f"{_ALNUM}{{32}}", "doc.rust-lang.org, cargo"),
    ("NuGet key", "oy2", "[a-z0-9]{43}", "learn.microsoft.com, NuGet keys"),
    ("Clojars token", "CLOJARS_", f"{_HEX}{{60}}", "clojars.org, tokens"),
    ("Artifactory key", "AKCp", f"{_ALNUM}{{69,73}}", "jfrog.com, API keys"),
    ("Artifactory reference token", "cmVmdGtu", f"{_ALNUM}{{50,64}}", "jfrog.com, access tokens"),
    ("CircleCI token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{40,100}", "circleci.com, API tokens"),
    ("Buildkite token", "bkua_ bkct_ bkaj_", f"{_ALNUM}{{40}}", "buildkite.com, API tokens"),
    ("Sourcegraph token", "sgp_", f"(?:{_ALNUM}{{16}}_|local_)?{_HEX}{{40}}", "sourcegraph.com, access tokens"),
    ("SonarQube token", "sqp_ squ_ sqa_", f"{_HEX}{{40}}", "docs.sonarsource.com, tokens"),
    ("Pulumi token", "pul-", f"{_HEX}{{40}}", "pulumi.com, access tokens"),
    ("Vault token", "hvs. hvb. hvr.", "[A-Za-z0-9_.-]{24,300}", "developer.hashicorp.com, Vault tokens"),
    ("Octopus Deploy key", "API-", "[A-Z0-9]{25,36}", "octopus.com, API keys"),
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[A-Za-z0-9_.-]{36,80}", "docs.doppler.com"),
    ("Infracost key", "ico-", f"{_ALNUM}{{32}}", "infracost.io, API"),
    ("Postman key", "PMAK-", f"{_HEX}{{24}}-{_HEX}{{34}}", "learning.postman.com, API keys"),
    ("Tailscale key", "tskey-", "(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,80}", "tailscale.com, auth keys"),
    ("1Password service account", "ops_eyJ", f"{_WORD}{{100,1200}}", "developer.1password.com, service accounts"),
    (
        "1Password secret key",
        "A3-",
        "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6})(?:-[A-Z0-9]{5}){3,4}",
        "support.1password.com",
    ),
    ("age secret key", "AGE-SECRET-KEY-1", "[0-9A-Z]{58}", "age-encryption.org"),
    ("Harness token", "pat. sat.", f"{_WORD}{{22}}\\.{_HEX}{{24}}\\.{_ALNUM}{{20}}", "developer.harness.io, API keys"),
    ("Prefect key", "pnu_ pnb_", f"{_ALNUM}{{36}}", "docs.prefect.io, API keys"),
    ("Jenkins encrypted secret", "AQAAABAAAA", "[A-Za-z0-9+/=]{40,400}", "jenkins.io, encryption of secrets"),
    (
        "Firebase server key",
        "AAAA",
        f"{_WORD}{{7}}:APA91b{_WORD}{{100,180}}",
        "firebase.google.com, legacy server keys",
    ),
    # messages
    (
        "Slack token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.",
        "[A-Za-z0-9.%/+-]{10,400}",
        "api.slack.com, token types",
    ),
    ("Slack app token", "xapp-", "\\d-[A-Za-z0-9-]{20,250}", "api.slack.com, token types"),
    (
        "Discord bot token",
        _DISCORD,
        f"{_WORD}{{21,26}}\\.{_WORD}{{6,7}}\\.{_WORD}{{25,110}}",
        "discord.com, developer docs: authentication",
    ),
    ("Twilio API key", "SK", f"{_HEX}{{32}}", "twilio.com, API keys"),
    ("SendGrid key", "SG.", f"{_WORD}{{16,32}}\\.{_WORD}{{32,64}}", "twilio.com, SendGrid API keys"),
    ("Mailgun key", "key- pubkey-", f"{_HEX}{{32}}", "documentation.mailgun.com, authentication"),
    ("Brevo key", "xkeysib- xsmtpsib-", f"{_HEX}{{64}}-{_ALNUM}{{16}}", "developers.brevo.com"),
    ("Resend key", "re_", f"{_ALNUM}{{8}}_{_ALNUM}{{20,32}}", "resend.com, API keys"),
    # payment and commerce
    (
        "Stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_",
        f"{_ALNUM}{{16,250}}",
        "docs.stripe.com, keys",
    ),
    ("Stripe webhook secret", "whsec_", "[A-Za-z0-9+/=]{24,100}", "docs.stripe.com, webhooks"),
    ("Square token", "sq0atp- sq0csp- sq0idp-", f"{_WORD}{{22,60}}", "developer.squareup.com, access tokens"),
    ("Square access token", "EAAA", f"{_WORD}{{60}}", "developer.squareup.com, access tokens"),
    ("Shopify token", "shpat_ shpss_ shpca_ shppa_ shptka_ shpit_", "[a-fA-F0-9]{32}", "shopify.dev, access tokens"),
    (
        "Braintree token",
        "access_token$",
        f"(?:production|sandbox)\\$[a-z0-9]{{16}}\\${_HEX}{{32}}",
        "developer.paypal.com",
    ),
    ("Plaid token", "access-", f"(?:sandbox|development|production)-{_UUID}", "plaid.com, API"),
    ("EasyPost key", "EZAK EZTK", f"{_ALNUM}{{54}}", "docs.easypost.com, authentication"),
    ("Flutterwave key", "FLWSECK-", "[A-Za-z0-9-]{32,45}", "developer.flutterwave.com"),
    ("Razorpay key", "rzp_live_ rzp_test_", f"{_ALNUM}{{14,24}}", "razorpay.com, API keys"),
    ("Shippo token", "shippo_live_ shippo_test_", f"{_HEX}{{40}}", "goshippo.com, authentication"),
    ("Duffel token", "duffel_live_ duffel_test_", "[A-Za-z0-9_=-]{43}", "duffel.com, tokens"),
    ("Lob key", "live_ test_", f"(?:pub_)?{_HEX}{{31,35}}", "docs.lob.com, keys"),
    # work and data services
    ("Notion token", "ntn_", f"{_ALNUM}{{40,60}}", "developers.notion.com, authorization"),
    ("Notion older token", "secret_", f"{_ALNUM}{{43}}", "developers.notion.com, authorization"),
    ("Airtable token", "pat", f"{_ALNUM}{{14}}\\.{_HEX}{{64}}", "airtable.com, personal access tokens"),
    ("Linear key", "lin_api_ lin_oauth_ lin_wh_", f"{_ALNUM}{{32,100}}", "linear.app, API"),
    ("Figma token", "figd_ figu_ figo_ figoh_ figor_ figur_ figdr_", f"{_WORD}{{36,60}}", "figma.com, access tokens"),
    ("Typeform token", "tfp_", "[A-Za-z0-9_=.-]{40,64}", "typeform.com, access tokens"),
    ("HubSpot token", "pat-", f"(?:na|eu|ap)\\d-{_UUID}", "developers.hubspot.com, private apps"),
    ("ClickUp token", "pk_", "\\d{6,10}_[A-Z0-9]{32}", "clickup.com, API"),
    ("Asana token", "1/ 2/", f"\\d{{10,20}}(?:/\\d{{10,20}})?:{_HEX}{{32}}", "developers.asana.com, tokens"),
    ("Contentful token", "CFPAT-", f"{_WORD}{{43,64}}", "contentful.com, access tokens"),
    ("Dropbox token", "sl. sl.u.", f"{_WORD}{{100,1500}}", "dropbox.com, OAuth guide"),
    ("Facebook token", "EAA", f"{_ALNUM}{{50,500}}", "developers.facebook.com, access tokens"),
    ("Instagram token", "IGQV IGAA", f"{_WORD}{{80,400}}", "developers.facebook.com, access tokens"),
    ("Mapbox secret token", "sk.eyJ", f"[A-Za-z0-9_=-]{{40,200}}\\.{_WORD}{{20,40}}", "docs.mapbox.com, access tokens"),
    ("Databricks token", "dapi", f"{_HEX}{{32}}(?:-\\d)?", "docs.databricks.com, access tokens"),
    ("Confluent key", "cflt", "[A-Za-z0-9+/]{56,64}", "docs.confluent.io, API keys"),
    ("Adafruit key", "aio_", f"{_ALNUM}{{28}}", "learn.adafruit.com"),
    ("WakaTime key", "waka_", _UUID, "wakatime.com, API keys"),
    ("ReadMe key", "rdme_", "[a-z0-9]{70}", "docs.readme.com"),
    ("Ubidots token", "BBFF-", f"{_ALNUM}{{30}}", "docs.ubidots.com"),
    # observation
    ("Grafana token", "glsa_", f"{_ALNUM}{{32}}_{_HEX}{{8}}", "grafana.com, service accounts"),
    ("Grafana Cloud token", "glc_", "[A-Za-z0-9+/=]{32,400}", "grafana.com, access policies"),
    ("Grafana older key", "eyJrIjoi", "[A-Za-z0-9+/=]{60,400}", "grafana.com, API keys"),
    ("New Relic key", "NRAK- NRAA- NRIQ- NRRA- NRSP-", "[A-Za-z0-9]{24,40}", "docs.newrelic.com, API keys"),
    ("New Relic insert key", "NRII- NRIS-", f"{_WORD}{{32}}", "docs.newrelic.com, API keys"),
    ("New Relic licence key", "eu01xx", f"{_HEX}{{30}}NRAL", "docs.newrelic.com, licence keys"),
    ("Sentry organisation token", "sntrys_", "[A-Za-z0-9+/=_-]{60,500}", "docs.sentry.io, auth tokens"),
    ("Sentry user token", "sntryu_ sntrya_", f"{_HEX}{{64}}", "docs.sentry.io, auth tokens"),
    ("Datadog key", "ddapp_ ddog_ ddpat_", f"{_WORD}{{32,60}}", "docs.datadoghq.com, API and application keys"),
    ("Dynatrace token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}", "docs.dynatrace.com, tokens"),
    ("PostHog key", "phx_", f"{_ALNUM}{{40,60}}", "posthog.com, API"),
    ("LaunchDarkly key", "sdk- api- mob- rel-", _UUID, "docs.launchdarkly.com, keys"),
    # models
    ("Anthropic key", "sk-ant-", f"{_WORD}{{20,300}}", "docs.anthropic.com, API keys"),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_WORD}{{20,300}}", "platform.openai.com, API keys"),
    ("OpenRouter and Langfuse keys", "sk-or- sk-lf- pk-lf-", f"{_WORD}{{20,300}}", "openrouter.ai, langfuse.com"),
    ("OpenAI older key", "sk-", f"{_ALNUM}{{32,200}}", "platform.openai.com, API keys"),
    ("ElevenLabs key", "sk_", f"{_HEX}{{48}}", "elevenlabs.io, authentication"),
    ("Hugging Face token", "hf_ api_org_", f"{_ALNUM}{{30,60}}", "huggingface.co, user access tokens"),
    ("Replicate token", "r8_", f"{_ALNUM}{{37}}", "replicate.com, API tokens"),
    ("Groq key", "gsk_", f"{_ALNUM}{{40,60}}", "console.groq.com, keys"),
    ("xAI key", "xai-", f"{_ALNUM}{{70,90}}", "docs.x.ai, API keys"),
    ("Perplexity key", "pplx-", f"{_ALNUM}{{40,56}}", "docs.perplexity.ai"),
    ("Pinecone key", "pcsk_", "[A-Za-z0-9_]{50,90}", "docs.pinecone.io, API keys"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_", f"{_HEX}{{32}}_{_HEX}{{10}}", "docs.smith.langchain.com"),
    ("NVIDIA key", "nvapi-", f"{_WORD}{{60,70}}", "build.nvidia.com"),
    ("Voyage key", "pa-", f"{_WORD}{{43}}", "docs.voyageai.com"),
    ("Cerebras key", "csk-", f"{_ALNUM}{{40,60}}", "inference-docs.cerebras.ai"),
    ("Fireworks key", "fw_", f"{_ALNUM}{{22,30}}", "fireworks.ai, API keys"),
    ("Together key", "tgp_v1_", f"{_WORD}{{40,50}}", "docs.together.ai"),
    ("Jina key", "jina_", f"{_HEX}{{32}}{_WORD}{{20,40}}", "jina.ai"),
    ("Tavily key", "tvly-", f"{_WORD}{{28,50}}", "docs.tavily.com"),
    ("Firecrawl key", "fc-", f"{_HEX}{{32}}", "docs.firecrawl.dev"),
    ("Weights & Biases key", "wandb_v1_", f"{_WORD}{{40,100}}", "docs.wandb.ai"),
    ("Matrix access token", "syt_", "[A-Za-z0-9+/=_-]{4,60}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}", "spec.matrix.org"),
    ("Docker swarm token", "SWMTKN-1-", "[a-z0-9]{40,60}-[a-z0-9]{20,30}", "docs.docker.com, swarm join tokens"),
    # standards
    ("Bitcoin private key", "5H 5J 5K", "[1-9A-HJ-NP-Za-km-z]{49}", "en.bitcoin.it, wallet import format"),
    (
        "Bitcoin compressed private key",
        "K1 K2 K3 K4 K5 Kw Kx Ky Kz L1 L2 L3 L4 L5",
        "[1-9A-HJ-NP-Za-km-z]{50}",
        "en.bitcoin.it, wallet import format",
    ),
    ("JSON Web Token", "eyJ", f"{_WORD}{{8,2000}}\\.eyJ{_WORD}{{8,8000}}\\.{_WORD}{{8,2000}}", "RFC 7519"),
    (
        "JSON Web Encryption",
        "eyJ",
        f"{_WORD}{{8,2000}}\\.{_WORD}{{0,2000}}\\.{_WORD}{{8,200}}\\.{_WORD}{{8,8000}}\\.{_WORD}{{16,200}}",
        "RFC 7516",
    ),
    ("BIP-32 private key", "xprv yprv zprv tprv", "[1-9A-HJ-NP-Za-km-z]{100,112}", "BIP 32"),
    ("Nostr private key", "nsec1", "[a-z0-9]{58}", "NIP 19"),
)

_INNER_ROWS: tuple[tuple[str, str, int, str, str], ...] = (
    (
        "Terraform Cloud token",
        ".atlasv1.",
        16,
        f"{_ALNUM}{{14}}\\.atlasv1\\.{_WORD}{{60,70}}",
        "developer.hashicorp.com, API tokens",
    ),
    ("Telegram bot token", ":AA", 13, f"(?:bot)?\\d{{8,10}}:AA{_WORD}{{32,33}}", "core.telegram.org, bots"),
    ("Mailchimp key", "-us", 32, f"{_HEX}{{32}}-us\\d{{1,2}}", "mailchimp.com, API keys"),
    ("New Relic licence key", "NRAL", 36, f"{_HEX}{{36}}NRAL", "docs.newrelic.com, licence keys"),
    (
        "Azure client secret",
        "Q~",
        4,
        "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
        "learn.microsoft.com, app credentials",
    ),
)


class InnerTokenRule(NamedTuple):
    """The form of a token that is known by a part inside of it."""

    name: str
    part: bytes
    before: int
    """Bytes of the token before the part, at most."""
    whole: bytes
    """Expression for the token, compiled at first use."""
    source: str


_BOUNDARY = rb"(?:(?<![A-Za-z0-9_~])|(?<=\\[nrt]))"
_END = rb"(?![A-Za-z0-9])"

TOKENS = tuple(
    TokenRule(name, tuple(map(str.encode, starts.split())), rest.encode() + _END, source)
    for name, starts, rest, source in _ROWS
)
INNER_TOKENS = tuple(
    InnerTokenRule(name, part.encode(), before, _BOUNDARY + whole.encode() + _END, source)
    for name, part, before, whole, source in _INNER_ROWS
)
