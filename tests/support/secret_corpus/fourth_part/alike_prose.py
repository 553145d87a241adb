"""Look-alikes in prose: documentation about passwords and tokens, translations, notes."""

from __future__ import annotations

TEMPLATE = r"""
§§ english documentation | Sentences about passwords with identifiers in them
§ docs/auth.md
The password is ⟦hashed⟧ with ⟦bcrypt⟧ before it is stored in ⟦users.password_hash⟧.
The token is ⟦signed⟧ with ⟦HS256⟧ and valid for ⟦15 minutes⟧.
A password must have ⟦12⟧ characters; the secret is ⟦rotated⟧ every ⟦90⟧ days.
§ docs/config.rst
``SECRET_KEY``: ⟦required⟧. Set ``DB_PASSWORD`` to the value that ``⟦terraform output db_password⟧`` prints.
The API key is ⟦read⟧ from ``⟦LUMEN_API_KEY⟧`` or from ``⟦~/.config/lumen/credentials.toml⟧``.
§ docs/faq.md
**I forgot my password.** Click ⟦"Forgot password?"⟧ and use the link in the mail.
**Where is my token?** Under ⟦Settings → Developer → Tokens⟧.
**Password:** ⟦see the vault, entry "printer"⟧
§ docs/jwt.md
The secret: ⟦never commit it⟧. Call ⟦`verifyToken(token, publicKey)`⟧ with the key from ⟦`getSigningKey(kid)`⟧.
§ ADR-014.md
We store the refresh token in ⟦an HttpOnly cookie⟧ named ⟦`__Host-refresh`⟧; the access token stays in ⟦memory⟧.

§§ english notes | Notes that speak about a password without giving it
§ notes/todo.md
- [ ] password for the router: ⟦ask Tom⟧
- [ ] token: ⟦rotate before Friday⟧
- [x] The Wi-Fi password is ⟦on the fridge⟧
- [ ] API key: ⟦still missing⟧
§ meeting/2024-01-09.md
Jo asked whether the password is ⟦case-sensitive⟧. The secret to good coffee is ⟦patience⟧.
The key was ⟦CustomerOrderLine2⟧ in the old schema; the password field is ⟦optional⟧.
§ onboarding.md
Your password is ⟦sent by post⟧; your username is ⟦firstname.lastname⟧.
Passphrase: ⟦choose at least five words⟧

§§ german documentation | Sätze über Passwörter
§ doku/anmeldung.md
Das Passwort ist ⟦verschlüsselt⟧ gespeichert (⟦Argon2id⟧, Spalte ⟦kennwort_hash⟧).
Das Kennwort muss ⟦mindestens⟧ zwölf Zeichen lang sein. Passwort vergessen? ⟦Hier klicken.⟧
Der Schlüssel lautet ⟦kunden_nr⟧ und verweist auf ⟦auftrag.kunden_nr⟧.
§ notizen/offen.md
- Passwort: ⟦steht im Tresor⟧
- Kennwort vom Drucker: ⟦bei Anna erfragen⟧

§§ french documentation | Phrases au sujet des mots de passe
§ docs/connexion.md
Le mot de passe est ⟦obligatoire⟧ et doit contenir ⟦huit⟧ caractères.
Mot de passe oublié : ⟦cliquez sur le lien⟧.
Le jeton est ⟦valable⟧ une heure ; l'algorithme est ⟦SHA-256⟧.

§§ spanish documentation | Frases sobre contraseñas
§ docs/acceso.md
La contraseña es ⟦obligatoria⟧ y debe tener ⟦ocho⟧ caracteres.
Contraseña: ⟦pídela a Marta⟧
El token es ⟦válido⟧ durante una hora y se guarda en ⟦localStorage.sesion⟧.

§§ japanese documentation | パスワードについての文
§ docs/認証.md
パスワードは⟦必須⟧です。⟦8文字以上⟧で入力してください。
パスワード：⟦管理者に問い合わせてください⟧
トークンは⟦HS256⟧で署名され、⟦1時間⟧有効です。
APIキーは⟦`LUMEN_API_KEY`⟧から読み込まれます。

§§ chinese documentation | 关于密码的句子
§ docs/登录.md
密码是⟦必填项⟧，长度至少⟦8位⟧。
密码：⟦请联系管理员⟧
令牌使用⟦RS256⟧算法签名，保存在⟦user_token⟧表中。
密钥从环境变量⟦`APP_SECRET`⟧读取。

§§ translation catalogue | Labels of forms in many languages
§ locale/de.json
{"login.password": "⟦Passwort⟧", "login.forgot_password": "⟦Passwort vergessen?⟧", "api.token": "⟦Zugriffsschlüssel⟧"}
§ locale/fr.yml
fr:
  password: ⟦Mot de passe⟧
  new_password: "⟦Nouveau mot de passe⟧"
  token_invalid: ⟦Jeton invalide ou expiré⟧
§ locale/es.po
msgid "Password"
msgstr "⟦Contraseña⟧"

msgid "Secret key"
msgstr "⟦Clave secreta⟧"
§ locale/ja.ts
export default { password: "⟦パスワード⟧", passwordConfirm: "⟦パスワード（確認）⟧", token: "⟦トークン⟧" };
§ res/values-zh/strings.xml
<string name="password">⟦密码⟧</string>
<string name="password_hint">⟦请输入密码⟧</string>

§§ table about settings | Tables that describe, with a column for passwords or tokens
§ docs/options.md
| Option | Type | Default | Meaning |
|---|---|---|---|
| `password` | ⟦string⟧ | ⟦none⟧ | ⟦Password of the user⟧ |
| `token_ttl` | ⟦duration⟧ | ⟦15m⟧ | Life of a token |
§ docs/rights.md
| Role | Password | Token |
|---|---|---|
| guest | ⟦not needed⟧ | ⟦no⟧ |
| member | ⟦required⟧ | ⟦optional⟧ |
§ docs/benchmark.csv
tokenizer,tokens,seconds
⟦cl100k_base⟧,⟦18234⟧,⟦0.812⟧

§§ command help | Output and synopsis of commands
§ docs/cli.md
```
usage: tool login [--user ⟦USER⟧] [--password ⟦PASSWORD⟧] [--token-file ⟦FILE⟧]

  --password-stdin   ⟦read the password from standard input⟧
  --api-key KEY      ⟦key of the service (env: TOOL_API_KEY)⟧
```
§ docs/shell.md
`mkdir -p ⟦build/output2⟧ && cp -p ⟦Keyfile.lock2⟧ .`, then `ssh -p ⟦2222⟧ deploy@host` and `psql -p ⟦5433⟧ -U app`.
§ docs/vault.md
`vault kv put ⟦secret/myapp/config⟧ @data.json`, `kubectl get secret ⟦registry-credentials-2⟧ -o yaml`

§§ change log | Lines about passwords and tokens
§ CHANGELOG.md
## 2.3.0
- Password reset: ⟦links expire after 24 hours (#4411)⟧
- token: ⟦fix race in `TokenRefresher.refreshNow()`⟧
- secrets: ⟦support `aws-sm://` references⟧
§ .git/COMMIT_EDITMSG
auth: ⟦remove password from log output⟧

§§ bibliography and titles | Names of books, songs and papers
§ library/books.md
- The Secret History, ISBN ⟦978-1-4000-3170-2⟧
- Password-hashing competition, doi:⟦10.1007/978-3-662-44893-9_11⟧
- Keys to the Kingdom: ⟦B00AEBEQUK⟧ (paperback)
§ film.md
"Swordfish" – the password is ⟦guessed⟧ in the first act.

§§ file name | Names of files that hold no secret
§ docs/⟦password-reset-flow-v2⟧.md
How it works.
§ backups/⟦tokens_2024-05-01T1200Z_‹hex 8›⟧.log
done
§ img/⟦secret-garden-IMG_20240512_104455⟧.md
A photo.
"""
