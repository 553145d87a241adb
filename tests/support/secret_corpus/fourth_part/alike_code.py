"""Look-alikes in code: declarations, calls, schemas, messages, tests of parsers."""

from __future__ import annotations

TEMPLATE = r"""
§§ type declaration | A name with a type
§ models.py
class Credentials(BaseModel):
    username: str
    password: ⟦SecretStr⟧
    token: ⟦str | None⟧ = None
    api_key: ⟦Annotated[str, Field(min_length=32)]⟧
§ types.ts
export interface Session {
  accessToken: ⟦string⟧;
  refreshToken?: ⟦string | undefined⟧;
  password: ⟦Readonly<EncryptedValue>⟧;
}
§ User.java
private ⟦String⟧ password;
private final ⟦PasswordEncoder⟧ passwordEncoder;
public void setToken(⟦AccessToken2⟧ token) { this.token = ⟦token⟧; }
§ auth.go
type Config struct {
    ClientSecret ⟦string⟧ `json:"client_secret"`
    Token        ⟦*oauth2.Token⟧
}
§ lib.rs
pub struct Login { pub password: ⟦SecretString⟧, pub token: ⟦Option<Token>⟧ }

§§ value from a call | The value comes from elsewhere
§ settings.py
SECRET_KEY = ⟦os.environ["SECRET_KEY"]⟧
DB_PASSWORD = ⟦config("DB_PASSWORD", default="")⟧
password = ⟦getpass.getpass("Password: ")⟧
token = ⟦secrets.token_urlsafe(32)⟧
§ auth.js
const token = ⟦req.headers.authorization.split(" ")[1]⟧;
const password = ⟦await bcrypt.hash(req.body.password, 12)⟧;
const apiKey = ⟦process.env.API_KEY⟧ ?? "";
const secret = ⟦crypto.randomBytes(48).toString("base64url")⟧;
§ Main.java
String password = ⟦System.getenv("DB_PASSWORD")⟧;
String apiKey = ⟦props.getProperty("api.key")⟧;
§ Program.cs
options.ClientSecret = ⟦builder.Configuration["Google:ClientSecret"]⟧;
var token = ⟦await GetAccessTokenAsync(tenantId)⟧;
§ config.php
$password = ⟦getenv('DB_PASSWORD')⟧;
$secret = ⟦$this->container->getParameter('kernel.secret')⟧;
§ main.go
token := ⟦os.Getenv("GITHUB_TOKEN")⟧
password, err := ⟦term.ReadPassword(int(os.Stdin.Fd()))⟧
§ app.rb
password = ⟦Rails.application.credentials.dig(:smtp, :password)⟧

§§ argument names | A name handed on under its own name
§ client.py
client = Client(user=user, password=⟦password⟧, token=⟦self._token⟧, api_key=⟦settings.api_key⟧)
§ login.tsx
await signIn("credentials", { email, password: ⟦form.password.value⟧, csrfToken: ⟦csrf.token2⟧ });
§ login.swift
let request = LoginRequest(user: name, password: ⟦passwordField.text⟧, token: ⟦deviceToken⟧)
§ flow.kt
repo.login(user = name, password = ⟦passwordState.value⟧, secret = ⟦BuildConfig.CLIENT_SECRET⟧)

§§ schema | Descriptions of fields
§ openapi.yaml
components:
  schemas:
    Login:
      properties:
        password: {type: ⟦string⟧, format: ⟦password⟧, minLength: 8}
        token: {$ref: '⟦#/components/schemas/Token⟧'}
  securitySchemes:
    apiKey: {type: ⟦apiKey⟧, in: header, name: ⟦X-API-Key⟧}
§ schema.graphql
type Mutation {
  login(email: String!, password: ⟦String!⟧): ⟦AuthPayload!⟧
  resetPassword(token: ⟦ID!⟧): Boolean
}
§ migrations/004.sql
CREATE TABLE users (
  id bigint PRIMARY KEY,
  password ⟦varchar(255)⟧ NOT NULL,
  reset_token ⟦char(64)⟧,
  api_key ⟦uuid⟧ DEFAULT ⟦gen_random_uuid()⟧
);
§ auth.proto
message LoginRequest {
  string user = 1;
  string password = ⟦2⟧;
  ⟦bytes⟧ secret_key = 3;
}
§ values.schema.json
{"properties": {"password": {"type": "⟦string⟧", "description": "⟦Password of the database user⟧"},
 "existingSecret": {"type": "string", "default": "⟦lumen-db-credentials⟧"}}}

§§ form field | Names and attributes in markup
§ login.html
<label for="password">⟦Password⟧</label>
<input type="password" name="password" id="⟦login-password-1⟧"
       autocomplete="⟦current-password⟧" placeholder="⟦Your password⟧">
§ Reset.vue
<PasswordField v-model="⟦form.newPassword⟧" :token="⟦route.query.token⟧" @submit="⟦resetPassword⟧" />
§ login.css
.password-input { color: ⟦var(--token-color-text-2)⟧; }

§§ validation message | Texts for users
§ errors.ts
export const messages = {
  password: "⟦Password must contain at least 8 characters, one number and one symbol (!@#$).⟧",
  token: "⟦Token expired. Please sign in again.⟧",
  apiKey: "⟦API key is invalid or was revoked⟧",
};
§ validators.py
raise ValueError("⟦password: must not be empty⟧")
logger.warning("⟦Invalid token for user %s⟧", user.id)
assert response.json()["error"] == "⟦invalid_client_secret⟧"
§ Errors.resx
<data name="PasswordTooShort"><value>⟦The password needs {0} characters⟧</value></data>

§§ constant name | Names of keys in stores and headers
§ constants.ts
export const TOKEN_KEY = "⟦auth.accessToken⟧";
export const API_KEY_HEADER = "⟦X-Api-Key⟧";
export const PASSWORD_FIELD = "⟦user_password⟧";
export const SECRET_NAME = "⟦prod/payments/stripe-v2⟧";
§ Keys.java
static final String PREF_TOKEN = "⟦com.lumen.app.PREF_TOKEN⟧";
static final String KEY_PASSWORD = "⟦key_password_v2⟧";
§ enum.py
class GrantType(StrEnum):
    PASSWORD = "⟦password⟧"
    REFRESH_TOKEN = "⟦refresh_token⟧"
    CLIENT_SECRET_POST = "⟦client_secret_post⟧"
§ routes.rb
resources :passwords, param: :token, path: "⟦forgotten-passwords⟧"

§§ algorithm and pattern | Names of algorithms, expressions and alphabets
§ crypto.py
PASSWORD_HASHER = "⟦pbkdf2_sha256⟧"
TOKEN_ALGORITHM = "⟦RS256⟧"
SECRET_PATTERN = re.compile(r"⟦(?i)secret[_-]?key\s*[:=]\s*\S+⟧")
ALPHABET = "⟦ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/⟧"
§ .gitleaks.toml
[[rules]]
id = "npm-token"
regex = '''⟦npm_[A-Za-z0-9]{36}⟧'''
keywords = ["⟦npm_⟧"]
§ tls.conf
ssl_ciphers ⟦ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384⟧;
§ hash.go
const tokenHash = "⟦argon2id⟧" // key length 32

§§ test with made-up value | Tests that say they make it up
§ tests/test_login.py
def test_wrong_password(client):
    response = client.post("/login", data={"user": "test", "password": "⟦wrong-password⟧"})
    assert response.status_code == 401
§ spec/user.spec.ts
expect(validate({ password: "⟦short⟧" })).toBe(false);
mockFetch({ token: "⟦fake-token⟧", apiKey: "⟦test-api-key⟧" });

§§ parser code | Tokens of languages, keys of maps
§ lexer.py
token = ⟦Token(TokenType.IDENTIFIER, self.source[start:end], line)⟧
if token.kind == "⟦KEYWORD_2⟧":
    key = ⟦token.value.lower()⟧
§ grammar.js
module.exports = grammar({ name: "ini", rules: { key: $ => ⟦token.immediate(/[a-z_]+/)⟧, pair: $ => $.key } });
§ collate.sql
SELECT token, ⟦count(*)⟧ FROM ts_stat('SELECT tsv FROM docs') GROUP BY token;
§ sort.go
sort.Slice(keys, func(i, j int) bool { return ⟦keys[i].Secret < keys[j].Secret⟧ })
"""
