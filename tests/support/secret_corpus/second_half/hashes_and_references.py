"""Look-alikes: hashes, ids, placeholders, references and names in code."""

# ruff: noqa: E501 - lines as long as in real files

TEMPLATE = r"""
§§ base64-image | Images and fonts in base64
§ index.html
<img src="data:image/png;base64,⟦iVBORw0KGgoAAAANSUhEUgAA‹b64 240›⟧">
§ style.css
@font-face { src: url(data:font/woff2;base64,⟦d09GMgABAAAAA‹b64 300›⟧) }
§ notes/image.md
![key](data:image/gif;base64,⟦R0lGODlhAQABAIAAAAAAAP‹b64 60›⟧)
§ icons.js
export const lock = "⟦data:image/svg+xml;base64,PHN2ZyB4bWxucz0i‹b64 200›⟧";
§ notebook.ipynb
{"outputs": [{"data": {"image/png": "⟦iVBORw0KGgoAAAANSUhEUgAA‹b64 300›⟧"}}]}
§§ ci-secret-reference | References to the secret store of CI systems
§ .github/workflows/release.yml
env:
  TOKEN: ⟦${{ secrets.GITHUB_TOKEN }}⟧
  password: ⟦${{ secrets.PYPI_API_TOKEN }}⟧
§ azure-pipelines.yml
variables:
  dbPassword: ⟦$(DB_PASSWORD)⟧
§ Jenkinsfile
withCredentials([string(credentialsId: '⟦npm-publish-token⟧', variable: 'NPM_TOKEN')]) { sh 'make' }
§ .circleci/config.yml
context: ⟦production-secrets⟧
§ bitbucket-pipelines.yml
- docker login --password ⟦$DOCKER_HUB_PASSWORD⟧
§ .drone.yml
password:
  from_secret: ⟦docker_password⟧
§§ content-hash-in-path | Paths with a hash, an id or a long name
§ assets/logo.⟦‹hex 32›⟧.svg
<svg xmlns="http://www.w3.org/2000/svg"/>
§ .cache/⟦‹hex 64›⟧/meta.json
{"size": 12}
§ attachments/⟦‹uuid›⟧.md
# A page
§ vault/⟦How the password reset works⟧.md
# How the password reset works
§ src/auth/⟦token_refresh_and_password_reset_controller_test⟧.py
def test_nothing(): ...
§ objects/⟦‹hex 2›/‹hex 38›⟧
blob
§ notes/⟦202403021415 API key rotation⟧.md
Rotate twice a year.
§ docs/⟦api-key-management-and-secret-rotation-guide⟧.md
# Guide
§§ css-style | Colours, classes and identifiers of style sheets
§ style.css
.password-field { color: ⟦#a1b2c3⟧; background: ⟦#ffeedd80⟧; }
§ tokens.css
:root { --token-color-primary: ⟦#336699⟧; --secret-shadow: ⟦rgba(0,0,0,.25)⟧; }
§ design/tokens.json
{"token": {"value": "⟦{color.brand.500}⟧", "type": "color"}, "key": "⟦spacing-large⟧"}
§ Login.module.css
.⟦passwordInput__3xY9a⟧ { padding: 4px; }
§ page.html
<input type="password" class="⟦form-control password-input mt-2 w-100⟧" id="⟦user_password_confirmation⟧">
§§ environment-variable-code | Values read from the environment in code
§ app.py
password = ⟦os.environ["DB_PASSWORD"]⟧
token = ⟦os.getenv("API_TOKEN", "")⟧
§ server.js
const secret = ⟦process.env.JWT_SECRET⟧;
const pool = new Pool({ password: ⟦process.env.PGPASSWORD⟧ });
§ main.go
apiKey := ⟦os.Getenv("API_KEY")⟧
§ config.rb
password: ⟦ENV.fetch("DATABASE_PASSWORD")⟧
§ App.java
String token = ⟦System.getenv("ACCESS_TOKEN")⟧;
§ config.php
'password' => ⟦env('DB_PASSWORD', '')⟧,
§ main.rs
let token = ⟦std::env::var("API_TOKEN")?⟧;
§ Program.cs
var secret = ⟦builder.Configuration["Auth:ClientSecret"]⟧;
§§ git-commit-hash | SHA-1 of commits
§ docs/history.md
The bug came with commit ⟦‹hex 40›⟧ and was fixed in ⟦‹hex 7›⟧.
§ .pre-commit-config.yaml
repos:
  - repo: https://github.com/psf/black
    rev: ⟦‹hex 40›⟧
§ .git-blame-ignore-revs
# reformat everything
⟦‹hex 40›⟧
§ Gopkg.lock
[[projects]]
  name = "github.com/acme/tools"
  revision = "⟦‹hex 40›⟧"
§ .gitmodules.txt
 ⟦‹hex 40›⟧ vendor/lib (v1.2.0-14-g‹hex 7›)
§§ minified-javascript | Minified code
§ dist/app.min.js
!function(e,t){"object"==typeof exports?module.exports=t():e.A=t()}(this,function(){var ⟦n={password:1,token:2}⟧;return n});
§ vendor/lib.min.js
var a=document.createElement("input");⟦a.type="password",a.name="pass"⟧,b(a),c.token=d.getToken(),⟦e.key=f.secretKey⟧;
§ public/bundle.js
(self.webpackChunk=self.webpackChunk||[]).push([[⟦‹digits 3›⟧],{‹digits 4›:(e,t,r)=>{"use strict";r.d(t,{Z:()=>o});const o=⟦{authToken:null,apiKey:void 0}⟧}}]);
§ static/vendors~main.js
eval("__webpack_require__.r(__webpack_exports__);\n//# sourceURL=webpack:///./src/⟦password-strength-meter⟧.js?");
§ wp/min.js
function p(t,k){return ⟦t.secret=k.secret||t.secret⟧,t.pass=k.pass,t}
§§ password-type-annotation | password as a name with a type
§ models.py
class Login(BaseModel):
    user: str
    password: ⟦str⟧
    token: ⟦Optional[str] = None⟧
§ types.ts
interface Credentials { user: string; password: ⟦string⟧; apiKey?: ⟦string | undefined⟧; }
§ user.go
type User struct {
	Password ⟦string `json:"password"`⟧
}
§ User.java
private ⟦String password;⟧
§ schema.graphql
input LoginInput { email: String!, password: ⟦String!⟧ }
§ login.proto
message Login { string user = 1; ⟦string password = 2;⟧ }
§ lib.rs
pub struct Auth { pub token: ⟦SecretString⟧ }
§§ placeholder-masked | Values already hidden by x, stars or dots
§ docs/tokens.md
A token looks like `⟦ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx⟧`.
§ .env.dist
SLACK_TOKEN=⟦xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx⟧
AWS_SECRET_ACCESS_KEY=⟦xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx⟧
§ docs/show.md
password: ⟦********⟧
api_key = "⟦••••••••⟧"
§ ci.log
Login with token ⟦***⟧ succeeded
§ docs/keys.md
    STRIPE_KEY=⟦sk_test_...⟧
    OPENAI_API_KEY=⟦sk-...⟧
§ README.md
export TOKEN="⟦XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX⟧"
§ settings.json
{"password": "⟦[REDACTED]⟧", "token": "⟦<redacted>⟧"}
§§ placeholder-your-key | Placeholders that say they are one
§ .env.example
OPENAI_API_KEY=⟦YOUR_API_KEY⟧
DATABASE_PASSWORD=⟦your-password-here⟧
§ README.md
Set `API_TOKEN=⟦your_token_here⟧` in your shell.
§ docs/config.md
    api_key: ⟦YOUR_API_KEY_HERE⟧
    secret: ⟦<your-secret>⟧
§ config.sample.json
{"password": "⟦changeme⟧", "token": "⟦REPLACE_ME⟧"}
§ settings.example.toml
secret_key = "⟦change-me-in-production⟧"
§ docs/de/setup.md
passwort: ⟦DEIN_PASSWORT⟧
§ samples/app.yml
client_secret: ⟦insert-client-secret-here⟧
§§ sha256-lock-python | Hashes in requirements and lock files
§ requirements.txt
click==8.1.7 \
    --hash=sha256:⟦‹hex 64›⟧ \
    --hash=sha256:⟦‹hex 64›⟧
§ poetry.lock
[[package]]
name = "keyring"
files = [
    {file = "keyring-24.3.0-py3-none-any.whl", hash = "sha256:⟦‹hex 64›⟧"},
]
content-hash = "⟦‹hex 64›⟧"
§ Pipfile.lock
{
    "_meta": {"hash": {"sha256": "⟦‹hex 64›⟧"}},
    "default": {"token-bucket": {"hashes": ["sha256:⟦‹hex 64›⟧"], "version": "==0.3.0"}}
}
§ uv.lock
[[package]]
name = "passlib"
version = "1.7.4"
sdist = { url = "https://files.example.org/passlib-1.7.4.tar.gz", hash = "sha256:⟦‹hex 64›⟧", size = 689844 }
§§ sri-lock-npm | Subresource integrity in lock files of npm, yarn and pnpm
§ package-lock.json
"node_modules/jsonwebtoken": {
  "version": "9.0.2",
  "resolved": "https://registry.npmjs.org/jsonwebtoken/-/jsonwebtoken-9.0.2.tgz",
  "integrity": "sha512-⟦‹bytes64 64›⟧"
}
§ yarn.lock
js-tokens@^4.0.0:
  version "4.0.0"
  resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#⟦‹hex 40›⟧"
  integrity sha512-⟦‹bytes64 64›⟧
§ pnpm-lock.yaml
packages:
  /passport@0.7.0:
    resolution: {integrity: sha512-⟦‹bytes64 64›⟧}
§ npm-shrinkwrap.json
{"dependencies": {"csrf-tokens": {"version": "2.0.0", "integrity": "sha1-⟦‹bytes64 20›⟧"}}}
§§ translation-password | Catalogues of translations with the word password
§ locales/en.json
{"login.password": "⟦Password⟧", "login.forgot_password": "⟦Forgot your password?⟧"}
§ locales/de.yml
de:
  password: ⟦Passwort⟧
  password_confirmation: ⟦Passwort bestätigen⟧
§ locale/ja/messages.po
msgid "Password"
msgstr "⟦パスワード⟧"
§ i18n/zh.json
{"password": "⟦密码⟧", "token": "⟦访问令牌⟧"}
§ res/values/strings.xml
<string name="password">⟦Password⟧</string>
<string name="enter_api_key">⟦Enter your API key⟧</string>
§ messages_fr.properties
login.password=⟦Mot de passe⟧
login.secret=⟦Clé secrète⟧
§ en.lproj/Localizable.strings
"password_prompt" = "⟦Enter password⟧";
"""
