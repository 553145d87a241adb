"""Look-alikes in prose: pages about passwords and tokens, policies, questions, licences and notes."""

TEMPLATE = r"""
§§ english pages about passwords | advice and rules without a password
§ docs/passwords.md
# Passwords
A password is ⟦required for every account⟧. The password must be ⟦at least twelve characters⟧ long.
If your password is ⟦forgotten⟧, use the link on the login page. The password is ⟦never stored in plain text⟧.
§ docs/policy.md
Password: ⟦see the shared vault⟧ (entry "Staging").
Passphrase: ⟦ask the administrator⟧
The root password is ⟦kept in the safe⟧ and changed twice a year.
§ notes/ideas.md
- the password was ⟦wrong⟧ three times, then the account was locked
- password: ⟦unchanged since last year, should be rotated⟧
- maybe password ⟦managers⟧ for everybody?
§ wiki/Security.md
Never write passwords into tickets. The initial password is ⟦sent by post⟧; the token is ⟦valid for one hour⟧.
§§ english pages about tokens and keys | explanations without a token
§ docs/api.md
Every call needs a token in the header `Authorization: Bearer ⟦<token>⟧`. The token is ⟦a JWT signed with RS256⟧.
Create an API key ⟦under Settings → Developer⟧. Keys begin with `⟦sk_live_⟧` or `⟦sk_test_⟧`.
§ docs/github.md
You need a token with the scopes ⟦`repo` and `read:org`⟧.
Classic tokens start with `⟦ghp_⟧`, fine-grained ones with `⟦github_pat_⟧`.
§ docs/webhooks.md
The signature is ⟦an HMAC-SHA256 of the body⟧ keyed with the webhook secret. Compare it in constant time.
The secret key is ⟦shown only once⟧, the public key can be downloaded at any time.
§ docs/auth.rst
:param token: ⟦Access token of the session⟧
:param password: ⟦Password of the user, in plain text⟧
:raises AuthError: ⟦when the token has expired⟧
§§ questions and answers | help pages and discussions
§ faq.md
**Which password do I need?** ⟦The one of your company account.⟧
**Where is my API key?** ⟦In your profile, below "Integrations".⟧
**How do I reset the token?** ⟦Run `tool token reset`.⟧
§ discussions/88.md
> my password is ⟦rejected even though it is correct⟧

Is your password ⟦longer than 72 bytes⟧? bcrypt cuts it.
§ chat/help.txt
[11:02] ana: what's the password for the demo tenant?
[11:03] tim: ⟦it's in 1Password, vault "Demo"⟧
[11:04] ana: ⟦found it, thanks⟧
§§ change logs and commits about authentication | entries that mention secrets
§ CHANGELOG.md
## 2.4.0
- Password reset: ⟦links expire after 30 minutes⟧
- Token refresh ⟦no longer races with logout⟧ (#‹number 100 9999›)
- `secret_key_base` ⟦is read from the environment⟧
§ git-log.txt
⟦‹hex 7›⟧ fix: password field ⟦loses focus on Safari⟧
⟦‹hex 7›⟧ chore: rename ⟦apiToken to accessToken⟧
§ UPGRADING.md
The setting `auth.token` was renamed to `⟦auth.access_token⟧`; `password_file` ⟦replaces⟧ `password`.
§§ to-do lists and minutes about secrets | tasks that name no value
§ TODO.md
- [ ] rotate the database password ⟦before the audit⟧
- [ ] API key: ⟦move to Vault⟧
- [x] password policy ⟦approved by Jana⟧
§ minutes.md
Token budget: ⟦40,000 per answer⟧. Key results: ⟦churn below 2 %⟧. Secret santa: ⟦12 December⟧.
§ tasks.org
* TODO Password reset mail ⟦looks broken in Outlook⟧
* DONE Key handover ⟦with the landlord⟧
§§ german pages about passwords | Hinweise ohne Passwort
§ hilfe/passwort.md
Das Passwort ist ⟦abgelaufen⟧. Das Kennwort muss ⟦mindestens zwölf Zeichen⟧ haben.
Passwort: ⟦siehe Tresor⟧
Das Passwort lautet für jeden Benutzer ⟦anders⟧; der Schlüssel liegt ⟦beim Hausmeister⟧.
§ notizen/anmeldung.md
Kennwort vergessen? ⟦Bitte wenden Sie sich an die IT.⟧
Der Zugriffstoken ist ⟦eine Stunde gültig⟧ und wird ⟦automatisch erneuert⟧.
§§ french and spanish pages about passwords | conseils sans mot de passe, consejos sin contraseña
§ aide/compte.md
Le mot de passe est ⟦obligatoire⟧. Votre mot de passe doit contenir ⟦au moins huit caractères⟧.
Mot de passe : ⟦voir le coffre⟧. La clé est ⟦chez le gardien⟧.
§ ayuda/cuenta.md
La contraseña es ⟦obligatoria⟧ y debe tener ⟦al menos ocho caracteres⟧.
Contraseña: ⟦pedirla a Marta⟧. La clave del éxito es ⟦la constancia⟧.
§§ japanese and chinese pages about passwords | パスワードの説明、密码说明
§ help/ja.md
パスワードは⟦8文字以上で設定してください⟧。パスワードは⟦定期的に変更⟧してください。
トークンの有効期限は⟦1時間⟧です。パスワード：⟦管理者に確認⟧
§ help/zh.md
密码是⟦必填项⟧，密码长度⟦至少为八位⟧。忘记密码请⟦联系管理员⟧。
令牌有效期为⟦一小时⟧。密码：⟦见保险箱⟧
§§ tables about settings | tables whose column is headed password or token but holds words
§ docs/options.md
| Option     | Type     | Default | Description |
|------------|----------|---------|-------------|
| `password` | ⟦`string`⟧ | ⟦`null`⟧ | ⟦Password of the account⟧ |
| `token`    | ⟦`string`⟧ | –       | ⟦Token of the service⟧ |
| `secret`   | ⟦`object`⟧ | `{}`    | ⟦Reference to a stored secret⟧ |
§ docs/accounts.md
| System  | User  | Password        |
|---------|-------|-----------------|
| Jenkins | admin | ⟦in the vault⟧    |
| Nexus   | ci    | ⟦ask Tom⟧         |
| Grafana | –     | ⟦single sign-on⟧  |
§ roles.csv
role,may_reset_password,token_lifetime
editor,⟦yes⟧,⟦8 hours⟧
viewer,no,⟦1 hour⟧
§§ licences and legal texts | licence texts and notices
§ LICENSE
Permission is hereby granted, ⟦free of charge, to any person obtaining a copy of this software⟧
§ NOTICE
This product includes software developed by ⟦The Apache Software Foundation (http://www.apache.org/)⟧.
SPDX-License-Identifier: ⟦Apache-2.0 WITH LLVM-exception⟧
§ privacy.md
We keep your password only as ⟦a salted hash (Argon2id)⟧. Session cookies: ⟦deleted after 30 days⟧.
§§ front matter and metadata of notes | ids and tags in notes
§ notes/202403111020.md
---
id: ⟦202403111020⟧
title: ⟦How password managers work⟧
tags: [⟦security/passwords⟧, ⟦token-design⟧]
doi: ⟦10.1145/‹digits 7›.‹digits 7›⟧
isbn: ⟦978-3-16-148410-0⟧
---
See [[⟦2024-03-11 Secret sharing⟧]] and [[Key derivation|⟦keys⟧]].
§ bibliography.bib
@article{⟦bonneau2012passwords⟧,
  title = {⟦The Quest to Replace Passwords⟧},
  doi = {⟦10.1109/SP.2012.44⟧}
}
§§ long names in documentation | identifiers that are long but plain
§ docs/reference.md
Call `⟦AbstractPasswordAuthenticationTokenProviderFactory⟧` or set `⟦spring.security.oauth2.client.registration⟧`.
The event is named `⟦user_password_reset_requested_v2⟧`; its topic is `⟦identity.tokens.revoked.v1⟧`.
§ docs/branches.md
Merge `⟦feature/AUTH-1432-rotate-refresh-tokens⟧` before `⟦hotfix/2024-06-password-length⟧`.
"""
