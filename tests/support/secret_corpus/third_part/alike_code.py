"""Look-alikes in code: declarations, references, validation, schemas and tests of forms."""

TEMPLATE = r"""
§§ declarations of types in python | parameters and fields without a value
§ auth/models.py
@dataclass
class Credentials:
    username: str
    password: ⟦str | None = None⟧
    api_key: ⟦SecretStr⟧
    token: ⟦Optional[AccessToken] = field(default=None, repr=False)⟧
§ auth/service.py
def change_password(user: User, old_password: ⟦str⟧, new_password: ⟦str⟧) -> None:
    user.set_password(⟦new_password⟧)
§ forms.py
class LoginForm(forms.Form):
    password = ⟦forms.CharField(widget=forms.PasswordInput)⟧
    token = ⟦forms.UUIDField(required=False)⟧
§§ declarations of types in other languages | parameters and fields without a value
§ types.ts
export interface Session {
  accessToken: ⟦string⟧;
  refreshToken?: ⟦string | undefined⟧;
  password: ⟦z.infer<typeof PasswordSchema>⟧;
}
§ User.java
private String ⟦passwordHash⟧;
public void setPassword(final String ⟦password⟧) { this.password = ⟦password⟧; }
§ config.go
type Config struct {
	Token    ⟦string `json:"token" env:"API_TOKEN"`⟧
	Password ⟦string `yaml:"password,omitempty"`⟧
}
§ lib.rs
pub struct Login { pub user: String, pub password: ⟦Secret<String>⟧, pub token: ⟦Option<Token>⟧ }
§ auth.proto
message LoginRequest { string username = 1; string ⟦password = 2⟧; string ⟦otp_token = 3⟧; }
§ schema.prisma
model User {
  id       Int     @id
  password ⟦String?  @db.VarChar(255)⟧
  token    ⟦String   @unique @default(cuid())⟧
}
§§ values from the environment | references, not values
§ settings.py
SECRET_KEY = ⟦os.environ["DJANGO_SECRET_KEY"]⟧
DB_PASSWORD = ⟦os.getenv("DB_PASSWORD")⟧
API_TOKEN = ⟦config("API_TOKEN", default=None)⟧
§ config.js
module.exports = {
  password: ⟦process.env.DB_PASSWORD⟧,
  jwtSecret: ⟦process.env.JWT_SECRET ?? throwMissing('JWT_SECRET')⟧,
  token: ⟦import.meta.env.VITE_TOKEN⟧,
};
§ config.rb
config.password = ⟦ENV.fetch('SMTP_PASSWORD')⟧
config.secret = ⟦Rails.application.credentials.dig(:stripe, :secret)⟧
§ Program.cs
var password = ⟦builder.Configuration["Db:Password"]⟧;
var key = ⟦Environment.GetEnvironmentVariable("SIGNING_KEY")⟧;
§ main.go
password := ⟦os.Getenv("PGPASSWORD")⟧
token, ok := ⟦os.LookupEnv("API_TOKEN")⟧
§§ values computed at run time | calls that make or read a secret
§ tokens.py
token = ⟦secrets.token_urlsafe(32)⟧
password = ⟦getpass.getpass("Password: ")⟧
api_key = ⟦request.headers.get("X-Api-Key")⟧
password_hash = ⟦bcrypt.hashpw(password.encode(), bcrypt.gensalt(12))⟧
§ session.ts
const token = ⟦await auth.currentUser?.getIdToken(true)⟧;
const secret = ⟦crypto.randomBytes(48).toString('hex')⟧;
const password = ⟦form.elements.namedItem('password').value⟧;
§ Login.kt
val password = ⟦binding.passwordField.text.toString()⟧
val token = ⟦prefs.getString(KEY_TOKEN, null)⟧
§ reset.php
$token = ⟦bin2hex(random_bytes(32))⟧;
$password = ⟦$request->input('password')⟧;
§ rotate.sh
PASSWORD=⟦$(openssl rand -base64 24)⟧
TOKEN=⟦$(cat /run/secrets/api_token)⟧
read -rsp ⟦"Password: "⟧ PASSWORD
§§ names of fields and headers | a constant holds the name, not the secret
§ constants.py
PASSWORD_FIELD = "⟦password⟧"
TOKEN_HEADER = "⟦X-Auth-Token⟧"
SECRET_NAME = "⟦prod/database/credentials⟧"
§ Keys.java
public static final String KEY_PASSWORD = "⟦user.password⟧";
public static final String ACCESS_TOKEN_URI = "⟦/oauth2/token⟧";
§ keys.ts
export const TOKEN_STORAGE_KEY = '⟦auth.accessToken⟧';
export const PASSWORD_RESET_ROUTE = '⟦/account/password/reset⟧';
§ const.go
const apiKeyHeader = "⟦X-API-Key⟧"
const tokenType = "⟦Bearer⟧"
§§ validation and messages | texts about passwords in code
§ validators.py
if len(password) < 12:
    raise ValidationError("⟦Password must be at least 12 characters long.⟧")
if token != expected:
    raise PermissionDenied("⟦Invalid or expired token: please sign in again⟧")
§ messages.properties
password.too.short=⟦Your password is too short⟧
token.expired=⟦The link has expired, please request a new one⟧
login.password.label=⟦Password⟧
§ errors.go
var ErrPassword = errors.New("⟦password: must contain a digit⟧")
log.Printf("⟦secret %q not found in namespace %s⟧", name, ns)
§ rules.js
password: yup.string().min(8, '⟦Password too weak⟧').matches(⟦/[A-Z]/⟧, 'needs a capital'),
const TOKEN_PATTERN = ⟦/^[A-Za-z0-9_-]{20,}$/⟧;
§§ translations | catalogues with words for password and token
§ locale/de/LC_MESSAGES/django.po
msgid "Password"
msgstr "⟦Passwort⟧"

msgid "Password: at least 8 characters"
msgstr "⟦Passwort: mindestens 8 Zeichen⟧"
§ src/i18n/fr.json
{"login": {"password": "⟦Mot de passe⟧", "forgotPassword": "⟦Mot de passe oublié ?⟧", "token": "⟦Jeton d'accès⟧"}}
§ res/values-es/strings.xml
<string name="password">⟦Contraseña⟧</string>
<string name="error_password">⟦La contraseña no es correcta⟧</string>
<string name="api_key_hint">⟦Introduce tu clave de API⟧</string>
§ ja.yml
ja:
  password: ⟦パスワード⟧
  password_confirmation: ⟦パスワード(確認用)⟧
  secret: ⟦秘密の質問⟧
§ zh.json
{"password": "⟦密码⟧", "passwordPlaceholder": "⟦请输入密码⟧", "token": "⟦访问令牌⟧"}
§§ schemas | descriptions of fields
§ openapi.yaml
components:
  securitySchemes:
    apiKey: {type: apiKey, in: header, name: ⟦X-API-Key⟧}
  schemas:
    Login:
      properties:
        password: {type: ⟦string⟧, format: ⟦password⟧, minLength: 8}
        token:
          type: string
          description: ⟦Token that was sent by mail⟧
§ schema.graphql
type Mutation {
  login(email: String!, password: ⟦String!⟧): AuthPayload
  resetPassword(token: ⟦ID!⟧): Boolean
}
§ migrations/0001_users.sql
CREATE TABLE users (
  id bigint PRIMARY KEY,
  password ⟦varchar(255) NOT NULL⟧,
  reset_token ⟦char(64)⟧,
  api_key_id ⟦uuid REFERENCES api_keys (id)⟧
);
§ values.schema.json
{"properties": {"auth": {"properties": {"password": {"type": "string", "default": "", "title": "⟦Admin password⟧"}}}}}
§ 20240101_add_token.rb
add_column :users, :reset_password_token, ⟦:string, limit: 64⟧
add_index :users, ⟦:reset_password_token⟧, unique: true
§§ forms and views | markup of login pages
§ login.html
<label for="password">⟦Password⟧</label>
<input type="password" name="password" placeholder="⟦Enter your password⟧" autocomplete="⟦current-password⟧">
<input type="hidden" name="csrf_token" value="⟦{{ csrf_token }}⟧">
§ Login.vue
<el-input v-model="⟦form.password⟧" type="password" :rules="⟦rules.password⟧" show-password />
§ login.css
.form-password:not(:focus) { ⟦border-color: #d0d7de⟧ }
#token-list { ⟦grid-template-columns: repeat(3, 1fr)⟧ }
§ Login.tsx
<Input label="Password" type="password" {...register("password", ⟦{ required: true, minLength: 8 }⟧)} />
<TokenProvider token={⟦session.token⟧} />
§§ tokens of parsers and models | tokens that have nothing to do with access
§ lexer.py
token = ⟦Token(TokenType.IDENT, "whitespace", line=4)⟧
keyword_tokens = ⟦{"if": IF, "else": ELSE, "while": WHILE}⟧
max_tokens = ⟦4096⟧
§ tokenizer_config.json
{"bos_token": "⟦<|begin_of_text|>⟧", "eos_token": "⟦<|end_of_text|>⟧", "pad_token": "⟦<pad>⟧",
 "tokenizer_class": "⟦LlamaTokenizerFast⟧"}
§ tokens.css
:root { --token-color-primary: ⟦#1f6feb⟧; --token-spacing-small: ⟦0.25rem⟧; }
§ parser.y
%token ⟦STRING_LITERAL IDENTIFIER⟧
%token <num> ⟦NUMBER⟧
§§ keys that are names | sort keys, primary keys, translation keys
§ table.tf
resource "aws_dynamodb_table" "t" {
  hash_key  = "⟦customer_id⟧"
  range_key = "⟦created_at⟧"
}
§ List.jsx
{items.map((item) => <Row key={⟦item.identifier⟧} sortKey="⟦lastModifiedDate⟧" />)}
§ keyboard.json
{"key": "⟦ctrl+shift+p⟧", "command": "⟦workbench.action.showCommands⟧"}
§ model.py
primary_key = "⟦invoice_number⟧"
partition_key = ⟦lambda row: row["region"]⟧
foreign_key = "⟦accounts.account_id⟧"
§§ tests with harmless words | tests that use words as stand-ins
§ test_login.py
def test_empty_password_is_refused(client):
    response = client.post("/login", {"user": "kim", "password": ⟦""⟧})
    assert response.json()["password"] == ["⟦This field is required.⟧"]
    assert mask(token) == "⟦********⟧"
§ login.feature
When I enter a wrong password
Then I see "⟦Wrong user name or password⟧"
And the token is ⟦removed from the session⟧
§ redact_test.go
want := "password=⟦[REDACTED]⟧ token=⟦***⟧ user=kim"
"""
