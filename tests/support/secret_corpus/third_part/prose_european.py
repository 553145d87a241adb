"""Secrets in German, French and Spanish prose."""

TEMPLATE = r"""
§§ german sentences | das Passwort lautet …
§ notizen/server.md
Das Passwort für den alten Mailserver lautet ⟦‹password›⟧ – bitte nicht weitergeben.
§ notizen/nas.md
Zugang zum NAS: Benutzer `sicherung`, Kennwort `⟦‹password›⟧`.
§ notizen/wlan.txt
Das WLAN im Besprechungsraum heißt "Gast-2", das Passwort ist ⟦‹password›⟧.
§ notizen/test.md
Zum Testen bitte mit dem Passwort ⟦‹password›⟧ anmelden (Benutzer: tester).
§§ german lists of logins | Benutzername und Kennwort in Zeilen
§ wiki/Zugangsdaten.md
## Zugangsdaten Testsystem
Benutzername: pruefer
Kennwort: ⟦‹password›⟧
Mandant: 100
§ zugang.txt
FTP-Server:   ftp.example.de
Benutzer:     web‹digits 4›
Passwort:     ⟦‹alnum 12›⟧
§ wiki/geraete.md
| Gerät   | Adresse    | Benutzer | Passwort |
|---------|------------|----------|----------|
| Drucker | 10.0.0.20  | admin    | ⟦‹password›⟧ |
| Kamera  | 10.0.0.31  | root     | ⟦‹password›⟧ |
§§ german mails and chats | Kennwörter in Mails und Nachrichten
§ mail/neu.eml
Betreff: Neuer Zugang

Hallo Frau Krüger,

Ihr Zugang ist eingerichtet. Ihr vorläufiges Kennwort ist ⟦‹alnum 12›⟧, bitte ändern Sie es bei der ersten Anmeldung.

Viele Grüße
§ chat/2024.txt
14:02 Jens: wie war nochmal das pw vom Jenkins?
14:03 Ute: das Jenkins-Passwort ist ⟦‹password›⟧
§ mail/zugriff.txt
Hallo zusammen, ich habe das Datenbankpasswort geändert, es heißt jetzt ⟦‹password›⟧. Gruß, Mehmet
§§ german keys and notes | Schlüssel, Token und Zugangscodes
§ aufgaben.md
- [ ] API-Schlüssel ⟦‹alnum 40›⟧ beim Wetterdienst erneuern
- [ ] Rechnung an Huber
§ notizen/vpn.md
Der gemeinsame Schlüssel (PSK) für das VPN: ⟦‹alnum 24›⟧
§ protokoll.md
TOP 3: Das Zugriffstoken für die Schnittstelle lautet `⟦‹hex 40›⟧` und gilt bis Jahresende.
§ config/einstellungen.ini
[datenbank]
benutzer = kasse
passwort = ⟦‹password›⟧
§§ french sentences | le mot de passe est …
§ notes/serveur.md
Le mot de passe du serveur de sauvegarde est ⟦‹password›⟧.
§ notes/wifi.md
Wi-Fi de l'atelier : réseau « Atelier », mot de passe : ⟦‹password›⟧
§ docs/recette.md
Connectez-vous avec l'identifiant `recette` et le mot de passe `⟦‹password›⟧`.
§ notes/imprimante.txt
J'ai changé le mot de passe de l'imprimante, c'est maintenant ⟦‹password›⟧
§§ french lists, mails and keys | identifiants, clés et jetons
§ wiki/acces.md
**Identifiant :** compta
**Mot de passe :** ⟦‹password›⟧
§ mail/bienvenue.eml
Objet : Votre compte

Bonjour,

Votre compte a été créé.
Identifiant : m.durand
Mot de passe provisoire : ⟦‹alnum 12›⟧

Cordialement
§ notes/api.md
La clé d'API de la météo : ⟦‹alnum 40›⟧ (mille appels par jour)
§ comptes.csv
service;utilisateur;mot_de_passe
ftp;web;⟦‹alnum 14›⟧
stats;admin;⟦‹alnum 14›⟧
§ chat/equipe.txt
10:31 Léa : c'est quoi le mdp de la base de test ?
10:32 Hugo : mdp = ⟦‹password›⟧
§§ spanish sentences | la contraseña es …
§ notas/servidor.md
La contraseña del servidor de correo es ⟦‹password›⟧, no la cambiéis sin avisar.
§ notas/wifi.md
La red se llama «Oficina» y la clave es ⟦‹password›⟧.
§ docs/pruebas.md
Para entrar en el entorno de pruebas, usa el usuario `demo` y la contraseña `⟦‹password›⟧`.
§ notas/base.md
Ayer cambié la contraseña de la base de datos. La nueva contraseña es ⟦‹password›⟧
§§ spanish lists, mails and keys | usuario, contraseña y claves
§ wiki/accesos.md
- Usuario: almacen
- Contraseña: ⟦‹password›⟧
- Servidor: 10.3.0.8
§ correo/alta.eml
Asunto: Alta de usuario

Hola, Lucía:

Ya tienes cuenta. Tu usuario es lucia.perez y tu contraseña provisional es ⟦‹alnum 12›⟧.

Un saludo
§ cuentas.md
| Servicio | Usuario | Contraseña |
|----------|---------|------------|
| FTP      | web     | ⟦‹password›⟧ |
| Correo   | info    | ⟦‹password›⟧ |
§ tareas.txt
- renovar el token de acceso ⟦‹alnum 40›⟧ antes del lunes
- llamar a Marta
§ notas/api.md
Clave secreta de la API: ⟦‹alnum 40›⟧
§§ italian, dutch and portuguese notes | la password è …, het wachtwoord is …, a senha é …
§ note/server.md
La password del server è ⟦‹password›⟧ (utente: admin).
§ notities/router.md
Het wachtwoord van de router is ⟦‹password›⟧.
§ notas/banco.md
Usuário: relatorio
Senha: ⟦‹password›⟧
§§ german manuals and minutes | Anleitungen mit einem Zugang, der benutzt wird
§ anleitung.md
Melden Sie sich am Terminal mit dem Benutzer „kasse“ und dem Kennwort „⟦‹password›⟧“ an.
§ protokoll-0612.md
- Neues Passwort für das Postfach info@: ⟦‹password›⟧ (ab Montag)
- Nächster Termin: 19. Juni
§ uebergabe.txt
Router Keller
Benutzer admin
Passwort ⟦‹password›⟧
§§ french and spanish manuals | comptes et cuentas dans la documentation
§ docs/exploitation.md
En cas de panne, utilisez le compte de secours (`secours`, mot de passe `⟦‹password›⟧`).
§ docs/manual.md
Abre el panel, escribe `admin` como usuario y `⟦‹password›⟧` como contraseña.
§ notes/jeton.md
Le jeton d'accès de l'API est `⟦‹hex 40›⟧`, il expire en décembre.
"""
