"""Secrets in prose and notes in English, German, French and Spanish."""

from __future__ import annotations

TEMPLATE = r"""
§§ english sentence | The sentence says that the value is the password or key.
§ notes/printer.md
The admin password of the printer is ⟦‹password›⟧, same for the scanner.
§ meeting/2024-05-07.md
# Weekly

- Tom: the staging server was moved. Log in as `deploy` with password `⟦‹password›⟧`.
- Ana: invoices next week
§ tickets/4411.md
Customer cannot reach the portal. I reset her password to ⟦‹password›⟧ and asked her to change it at first login.
§ guide/backup.md
Restore needs the passphrase "⟦‹passphrase 5›⟧" and the disk from the safe.
§ daily/2023-12-01.md
New API key for the weather service: ⟦‹alnum 32›⟧. Limit is 1000 calls a day.
§ docs/set-up.rst
Demo data
=========

Connect to the database as ``app`` (the password is ``⟦‹password›⟧``) and run ``seed.sql``.

§§ english list | A label and its value in a note
§ notes/home.md
## Wi-Fi
SSID: Fern
Password: ⟦‹password›⟧

## Router
http://192.168.178.1
user admin / pw ⟦‹password›⟧
§ notes/bank.md
**Login:** nora
**Password:** ⟦‹password›⟧
§ clients/bakery.md
- FTP: ftp.bakery.example
- Username: bakery01
- Pass: ⟦‹password›⟧
- License key: 2 seats
§ hr/first-day.md
Your account: j.meyer
Your initial password: ⟦‹password›⟧
Please change it today.
§ journal.txt
webmail   nora@lumen.example
pwd:      ⟦‹password›⟧
§ recovery.md
Recovery codes (GitHub)

⟦‹hex 5›-‹hex 5›⟧
⟦‹hex 5›-‹hex 5›⟧
⟦‹hex 5›-‹hex 5›⟧

§§ english chat | A message that hands a password on
§ chat/ops.txt
[10:04] jo: can't get into grafana
[10:05] mara: try admin / ⟦‹password›⟧
[10:05] mara: that's the password since Monday
§ mail/access.eml
From: it@lumen.example
Subject: VPN access

Hi Jo,

your VPN user is jo.park and your password is ⟦‹password›⟧
Please do not share it.

§§ german sentence | Der Satz nennt das Passwort.
§ notizen/nas.md
Das Passwort für die NAS lautet ⟦‹password›⟧ (Benutzer: sicherung).
§ notizen/wlan.md
# WLAN im Büro

Netz: Werkstatt
Kennwort: ⟦‹password›⟧
§ tickets/117.md
Ich habe das Kennwort von Frau Huber auf ⟦‹password›⟧ zurückgesetzt.
§ protokoll/2024-02-19.md
- Zugang zum Testserver: Benutzer `tester`, Passwort `⟦‹password›⟧`
- Nächster Termin: Montag
§ handbuch/zugang.md
| Dienst | Benutzer | Passwort |
|---|---|---|
| Kasse | filiale3 | ⟦‹password›⟧ |
§ betrieb/schluessel.md
Der API-Schlüssel für den Versanddienst ist ⟦‹alnum 32›⟧.

§§ french sentence | La phrase donne le mot de passe.
§ notes/serveur.md
Le mot de passe du serveur est ⟦‹password›⟧, à changer avant l'ouverture.
§ notes/wifi.md
Wi-Fi du bureau : Atelier
Mot de passe : ⟦‹password›⟧
§ comptes/hebergeur.md
- Identifiant : boutique
- Mot de passe : ⟦‹password›⟧
- Espace client : https://client.hebergeur.example
§ tickets/88.md
Bonjour, voici votre nouveau mot de passe : « ⟦‹password›⟧ ». Pensez à le modifier.
§ docs/api.md
La clé API de production est `⟦‹alnum 32›⟧`.

§§ spanish sentence | La frase da la contraseña.
§ notas/servidor.md
La contraseña del servidor de pruebas es ⟦‹password›⟧ y el usuario es «pruebas».
§ notas/wifi.md
Red: Taller
Contraseña: ⟦‹password›⟧
§ equipo/accesos.md
| Sistema | Usuario | Contraseña |
|---|---|---|
| Nóminas | rrhh | ⟦‹password›⟧ |
§ tickets/302.md
He restablecido la clave de acceso de Marta; la nueva contraseña es `⟦‹password›⟧`.
§ docs/pagos.md
Clave secreta de la pasarela: ⟦‹alnum 40›⟧
§ correo/proveedor.md
Hola, Luis:

te paso el acceso al panel: usuario «tienda», contraseña «⟦‹password›⟧».

§§ english key in prose | The note says what the random characters are.
§ daily/2024-09-30.md
Rotated the webhook secret today, the new one is ⟦‹alnum 40›⟧.
§ tickets/5120.md
Support asked for our access token (⟦‹url64 43›⟧); I sent it by mail, so please revoke it.
§ notes/media-server.md
Plex token = ⟦‹alnum 20›⟧
Jellyfin API key → ⟦‹hex 32›⟧
§ wiki/erp.md
Use client ID `erp-sync` and client secret `⟦‹alnum 40›⟧` to get an access token.

§§ english hand-over | What one leaves to a colleague
§ handover/sam.md
# Hand-over

1. Backups run on nas2. Log in with user `backup` and password `⟦‹password›⟧`.
2. The encryption passphrase for the disks is `⟦‹passphrase 6›⟧`.
3. Root password for web3 (changed in May): ⟦‹password›⟧
§ family/accounts.md
- Electricity: username nora.k, password: ⟦‹password›⟧
- School portal – login nora.k@lumen.example, password ⟦‹password›⟧
§ trip/flat.md
The Wi-Fi is called "Casa Azul" and the password is "⟦‹password›⟧".
§ lab/instrument.md
Controller: user *operator*, password *⟦‹password›⟧*
§ obsidian/server.md
---
host: vps2.lumen.example
user: root
password: ⟦‹password›⟧
tags: [server]
---
Rented until March.

§§ german list and mail | Ein Zettel oder eine Nachricht mit Passwort
§ mail/zugang.eml
Betreff: Ihr Zugang

Guten Tag Frau Huber,

Ihr Benutzername ist m.huber, Ihr Passwort ist ⟦‹password›⟧.
§ chat/technik.txt
[09:12] Jan: wie komme ich auf den Druckserver?
[09:13] Eva: Benutzer admin, Kennwort ⟦‹password›⟧
§ verein/homepage.md
- FTP-Benutzer: verein7
- FTP-Passwort: ⟦‹password›⟧
- Datenbank-Kennwort: ⟦‹password›⟧
§ notizen/router.md
Neues Passwort vom Router: ⟦‹password›⟧

§§ french list and mail | Une note ou un message avec mot de passe
§ courriel/acces.eml
Objet : accès au portail

Bonjour Luc, ton identifiant est luc.m et ton mot de passe est ⟦‹password›⟧.
§ asso/site.md
- utilisateur FTP : asso3
- mot de passe FTP : ⟦‹password›⟧
§ reunion/2024-03-12.md
Le nouveau mot de passe de la base est `⟦‹password›⟧` (utilisateur `compta`).
"""
