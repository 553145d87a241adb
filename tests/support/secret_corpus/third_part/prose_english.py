"""Secrets in English prose: notes, mails, chats, wiki pages and documentation."""

TEMPLATE = r"""
§§ sentences that tell a password | a reader sees that the word after it is the password
§ notes/server.md
The old mail server still runs in the basement. The root password is ⟦‹password›⟧, please don't change it.
§ notes/printer.md
I reset the printer's web page. Password is now `⟦‹password›⟧` (user stays admin).
§ journal/2023-09-14.md
Finally got into the NAS again. Turns out the admin password was ⟦‹password›⟧ all along.
§ README.md
## Staging
You can sign in with user `demo-editor` and password `⟦‹password›⟧`.
§ ops/vpn.md
For the VPN we all share one password: ⟦‹password›⟧
§§ sentences with varied order | the password comes before the word or far behind it
§ notes/cms.md
Use ⟦‹password›⟧ as the password for the CMS until Friday.
§ notes/ftp.txt
ftp.example.com, login webmaster, pw ⟦‹password›⟧
§ docs/lab.md
Log in as `operator`; when asked for a password, type `⟦‹password›⟧`.
§ wiki/Backup.md
The backup archive is encrypted. To open it you need the passphrase "⟦‹passphrase 5›⟧".
§ notes/router.txt
router: 192.168.1.1 admin/⟦‹password›⟧
§§ changed passwords | a note about a new password in place of an old one
§ notes/rotation.md
2024-02-01: changed the database password from ⟦‹password›⟧ to ⟦‹password›⟧.
§ mail/jenkins.txt
Hi team,

I have set the Jenkins password to ⟦‹password›⟧ after yesterday's lockout. Please update your bookmarks.

Tom
§ CHANGES.txt
- reset password of the sandbox user to ⟦‹password›⟧
- upgrade to PHP 8.3
§§ chat logs | messages in which somebody asks for a login
§ chat/general.txt
[09:14] maria: what's the password for the demo tenant again?
[09:15] jon: ⟦‹password›⟧
[09:15] maria: thx
§ slack-export/ops.json
[{"user": "U‹upper 8›", "ts": "17000‹digits 5›.000200", "text": "the grafana pw is ⟦‹password›⟧ btw"}]
§ irc.log
21:02 <lena> db creds for tonight: user=migrate pass=⟦‹password›⟧
21:03 <otto> got it
§ whatsapp.txt
03/05/2024, 18:22 - Sam: wifi is "Casa Verde", password ⟦‹password›⟧
§§ mails with logins | mails that hand over an account
§ mail/welcome.eml
From: it@example.org
To: new.colleague@example.org
Subject: Your account

Dear Alex,

your account has been created.

Username: alex.meyer
Password: ⟦‹password›⟧

Please change it after your first login.
§ mail/hosting.txt
Your hosting package is ready!
  Control panel: https://panel.example.net
  Login:         web‹digits 5›
  Initial password: ⟦‹alnum 12›⟧
§ mail/api.txt
Hello,
as discussed, here is the API key for the weather service: ⟦‹hex 32›⟧
It is limited to 1,000 calls a day.
§ mail/partner.eml
Subject: SFTP access

Host sftp.partner.example, port 2222, user acme_in. The password follows: ⟦‹generated›⟧
§§ to-do lists | items that contain a login
§ TODO.md
- [ ] move the API token (⟦‹hex 40›⟧) out of the Ansible repo
- [x] renew certificate
- [ ] ask Ben about invoices
§ todo.txt
(A) 2024-04-02 log into registrar with pass ⟦‹password›⟧ and renew domain +web
(B) buy printer paper
§ tasks/migration.md
1. stop the old service
2. `psql -U postgres` (password: ⟦‹password›⟧)
3. restore the dump
§ notes/later.org
* TODO Rotate webhook secret
  current value: ⟦‹alnum 32›⟧
* DONE Clean up branches
§§ onboarding pages | lists of accounts for new people
§ wiki/Onboarding.md
### Accounts you need
* **Jira** – ask Petra
* **Test shop** – `tester@example.org`, password: **⟦‹password›⟧**
* **Wi-Fi** – network *Office-Guest*, key: ⟦‹password›⟧
§ docs/new-starters.adoc
== Day one
Sign in to the laptop with the local administrator account (`.\setup`, password `+⟦‹alnum 14›⟧+`).
§ handbook/door.md
The alarm system needs the master code. User: caretaker. Password: ⟦‹password›⟧.
§§ meeting minutes and reports | minutes in which a secret was written down
§ minutes/2024-06-11.md
**Decisions**
- Maria creates the shared mailbox (password for now: ⟦‹password›⟧)
- Next meeting on 25 June
§ incidents/2024-11-02.md
Root cause: the service account used an expired client secret. The new client secret is ⟦‹alnum 36›⟧ (valid until 2026).
§ reports/pentest.md
Finding 4: default credentials. We logged in to the camera with `root` / `⟦‹password›⟧`.
§§ support tickets and questions | tickets where people paste their keys
§ tickets/4711.md
**Customer:** I send `api_key=⟦‹alnum 32›⟧` with every call, but get 403. What is wrong?
§ issues/212.md
My request:
```
curl -H "Authorization: Bearer ⟦‹alnum 48›⟧" https://api.example.org/v1/devices
```
It answers 401 since the update.
§ forum/post.md
I can't log in to my pi from outside. user pi, password ⟦‹password›⟧, port 22 is forwarded. any ideas?
§§ keys in prose | a key or token named in a sentence
§ notes/encryption.md
Our encryption key for the exports is ⟦‹hex 64›⟧ (AES-256, agreed with the bank).
§ docs/webhooks.md
We verify calls with a shared secret. For production this secret is `⟦‹alnum 40›⟧`.
§ notes/wallet.md
Wallet private key: ⟦0x‹hex 64›⟧
Seed phrase: ⟦‹passphrase 12›⟧
§ notes/bot.md
Access token for the weather bot -> ⟦‹alnum 40›⟧ (expires never)
§§ personal notes and lists of logins | lines with service, user and password
§ private/logins.txt
Netflix - family@example.com - pw: ⟦‹password›⟧
Bank - user ‹digits 8› - PIN/password: ⟦‹password›⟧
Library card: password ⟦‹password›⟧
§ Passwords.md
# Passwords
## Router
- user: admin
- pass: ⟦‹password›⟧
## Photo server
- user: photos
- pass: ⟦‹password›⟧
§ notes/laptop.md
Disk encryption passphrase: ⟦‹passphrase 6›⟧
BIOS password: ⟦‹alnum 10›⟧
§ vault/Credentials.md
---
title: Credentials
tags: [private]
---
- Mail:: kim@example.org / ⟦‹password›⟧
- VPN password:: ⟦‹password›⟧
§§ documentation with real logins | manuals that print an account in use
§ docs/deploy.md
Then log in to the registry:

```bash
docker login registry.example.org
Username: ci-push
Password: ⟦‹generated›⟧
```
§ docs/database.rst
The replica is read with the account ``reporting``. Its password is ``⟦‹password›⟧``; it has no right to write.
§ INSTALL
4. Open http://server:8069 and enter the master password ⟦‹password›⟧ to create the database.
§ docs/snmp.md
Monitoring polls the switches by SNMP v2c with the community string `⟦‹alnum 14›⟧`.
§§ commit messages and reviews | remarks about code that repeat the secret
§ git-log.txt
commit ‹hex 40›
Author: Kim <kim@example.org>

    Use the new database password (⟦‹password›⟧) on staging
§ review/118.md
> +    password = "⟦‹password›⟧"

Please don't commit this. Read it from the environment.
§ review/131.md
You pushed the signing secret `⟦‹alnum 40›⟧` in this commit, we have to rotate it.
§§ short notes without punctuation | notes as people type them for themselves
§ scratch.txt
staging db
host db-stage-2
user app
pw ⟦‹password›⟧
§ inbox.md
new wifi password ⟦‹password›⟧
call dentist
§ phone-notes.txt
PIN door 2nd floor see Ben
login intranet kmeyer
password ⟦‹password›⟧
§§ handover documents | a colleague leaves and writes down the accounts
§ handover.md
**Billing system.** I always used the shared account, `billing@example.org`. Password: ⟦‹password›⟧.
Ask Ruth if it stops working.

**Statistics.** The key for the export service is ⟦‹alnum 32›⟧.
§ docs/oncall.md
If single sign-on is down, log in with the emergency account:

> breakglass / ⟦‹generated›⟧
§ handover.txt
Credentials for the CCTV recorder (10.0.9.2)
    user      supervisor
    password  ⟦‹password›⟧
"""
