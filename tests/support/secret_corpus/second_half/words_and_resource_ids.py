"""Look-alikes: ordinary words, settings, ids of resources and encoded text."""

TEMPLATE = r"""
§§ configuration-of-tokens | Settings about tokens and passwords that are no secrets
§ application.properties
security.token.expiration=⟦3600⟧
security.password.encoder=⟦bcrypt⟧
§ config.toml
[auth]
token_endpoint = "⟦https://login.example.com/oauth2/token⟧"
token_type = "⟦Bearer⟧"
§ oidc.json
{"token_endpoint_auth_method": "⟦client_secret_basic⟧", "grant_type": "⟦authorization_code⟧"}
§ django.py
PASSWORD_HASHERS = ["⟦django.contrib.auth.hashers.Argon2PasswordHasher⟧"]
PASSWORD_RESET_TIMEOUT = ⟦259200⟧
§ ssh_config
PasswordAuthentication ⟦no⟧
PubkeyAuthentication yes
§ keycloak.json
{"passwordPolicy": "⟦length(12) and digits(1)⟧", "accessTokenLifespan": ⟦300⟧}
§ pam.d
password ⟦requisite pam_pwquality.so retry=3⟧
§§ diff-and-patch | Diffs with index lines
§ fix.patch
diff --git a/token.py b/token.py
index ⟦‹hex 7›..‹hex 7›⟧ 100644
-    password = None
+    password = ⟦read_password()⟧
§ series.mbox
From ⟦‹hex 40›⟧ Mon Sep 17 00:00:00 2001
Subject: [PATCH] Hide the token in logs
§ notes/bisect.md
⟦‹hex 40›⟧ is the first bad commit
§ merge.txt
<<<<<<< HEAD
    token = ⟦get_token()⟧
=======
§ range.txt
Updating ⟦‹hex 7›..‹hex 10›⟧
§§ encoded-text | Base64 and percent-encoded text that is not secret
§ k8s/configmap.yaml
kind: ConfigMap
binaryData:
  banner.txt: ⟦‹base64 Welcome to the build server of the acme company›⟧
§ mail.eml
Subject: =?UTF-8?B?⟦‹base64 Einladung zum Sommerfest›⟧?=
§ share.html
<a href="https://twitter.com/intent/tweet?text=⟦How%20to%20choose%20a%20good%20password⟧">share</a>
§ docs/encode.md
`echo hello | base64` prints ⟦aGVsbG8K⟧.
§ page.url
https://example.com/search?q=⟦token%20refresh%20%26%20password%20reset⟧
§ proto.py
DESCRIPTOR = b'⟦\n\x0blogin.proto\x12\x04auth\"+\n\x05Login⟧'
§§ etag-and-cache | ETags, cache keys and build ids
§ response.http
HTTP/1.1 200 OK
ETag: ⟦"‹hex 32›"⟧
§ cache.yml
key: ⟦node-modules-v2-‹hex 64›⟧
§ .next/BUILD_ID
⟦‹url64 21›⟧
§ s3.json
{"Key": "⟦uploads/2024/report.pdf⟧", "ETag": "⟦‹hex 32›⟧"}
§ bazel.bzl
http_archive(name = "rules_go", sha256 = "⟦‹hex 64›⟧")
§ .tsbuildinfo
{"fileInfos": [{"version": "⟦‹hex 32›⟧", "signature": "⟦‹hex 32›⟧"}]}
§§ exception-trace | Stack traces and error messages
§ error.log
⟦java.lang.IllegalArgumentException: Password cannot be empty⟧
	at ⟦com.example.auth.PasswordService$$EnhancerBySpringCGLIB$$‹hex 8›.check⟧(PasswordService.java:42)
§ trace.txt
⟦KeyError: 'DB_PASSWORD'⟧
§ report.md
FATAL: ⟦password authentication failed for user "shop"⟧
§ crash.txt
#3 ⟦0x00007f‹hex 10› in SSL_CTX_use_PrivateKey_file ()⟧
§ npm-debug.log
npm ERR! code ⟦E401⟧ Unable to authenticate, need: ⟦Basic realm="npm"⟧
§§ infrastructure-id | Ids of cloud resources
§ main.tf
vpc_id = "⟦vpc-‹hex 17›⟧"
ami    = "⟦ami-‹hex 17›⟧"
§ docs/aws.md
KMS key: ⟦arn:aws:kms:eu-west-1:‹digits 12›:key/‹uuid›⟧
§ azure.json
{"id": "⟦/subscriptions/‹uuid›/resourceGroups/prod/providers/Microsoft.KeyVault/vaults/kv-prod⟧"}
§ gcp.yaml
secret: ⟦projects/‹digits 12›/secrets/db-password/versions/latest⟧
§ zones.yml
hosted_zone_id: ⟦Z‹upper 20›⟧
distribution: ⟦E‹upper 13›⟧
§ firebase.json
{"appId": "⟦1:‹digits 12›:web:‹hex 22›⟧", "messagingSenderId": "‹digits 12›"}
§§ math-and-science | Formulas, sequences of DNA and chemistry
§ paper.tex
$⟦\sum_{i=1}^{n} k_i \cdot x_i^2⟧$ where $k$ is the key length
§ gene.fasta
>seq1 token example
⟦ATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG⟧
§ chem.md
InChIKey=⟦‹capitals 14›-‹capitals 10›-N⟧
§ results.csv
run,loss
1,⟦0.693147180559945⟧
§ chess.pgn
⟦1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O⟧
§ board.fen
⟦rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R⟧ b KQkq - 1 2
§§ secret-as-ordinary-word | secret, pass and token as ordinary words
§ story.md
The secret of good bread is ⟦time and a hot oven⟧.
§ pass.py
for item in items:
    ⟦pass⟧
§ tests.md
All tests ⟦pass: 312 of 312⟧
§ map.md
The pass is ⟦closed in winter⟧; the secret path ⟦begins behind the mill⟧.
§ museum.md
Boarding pass: ⟦gate B12, seat 4A⟧
§ ci.yml
allow_failure: false
pass_threshold: ⟦0.95⟧
§§ svg-path-data | Vector paths and coordinates
§ lock.svg
<path id="key" d="⟦M12 17a2 2 0 0 0 2-2c0-1.11-.9-2-2-2a2 2 0 0 0-2 2a2 2 0 0 0 2 2m6-9⟧"/>
§ map.geojson
{"coordinates": [[⟦13.404953987,52.520006599⟧]]}
§ route.gpx
<trkpt lat="⟦47.376886123⟧" lon="⟦8.541694456⟧"/>
§ poly.json
{"polyline": "⟦_p~iF~ps|U_ulLnnqC_mqNvxq`@⟧"}
§ icon.tsx
const key = <path d="⟦M7 14c-1.66 0-3 1.34-3 3 0 1.31-1.16 2-2 2⟧" />;
§§ token-of-language-models | Token as a count or a unit of text
§ config.yaml
max_tokens: ⟦4096⟧
token_budget: ⟦128000⟧
§ tokenizer_config.json
{"bos_token": "⟦<|begin_of_text|>⟧", "pad_token": "⟦[PAD]⟧", "unk_token": "⟦<unk>⟧"}
§ vocab.txt
⟦##word⟧
⟦token⟧
§ lexer.py
TOKEN_NAME = "⟦IDENTIFIER⟧"
token: Token = ⟦self.next_token()⟧
§ grammar.ebnf
token = ⟦identifier | keyword | literal⟧ ;
§ usage.md
The prompt has ⟦1,532 tokens⟧, the answer 200.
"""
