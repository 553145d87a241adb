"""Secrets in commands, connection strings, headers, tables, SQL and logs."""

from __future__ import annotations

TEMPLATE = r"""
§§ connection string | RFC 3986, user information in an address
§ alembic.ini
[alembic]
script_location = migrations
sqlalchemy.url = postgresql+psycopg://shop:⟦‹alnum 14›⟧@db.lumen.example:5432/shop
§ src/mongo.js
mongoose.connect("mongodb+srv://crm:⟦‹alnum 16›⟧@cluster0.ab1cd.mongodb.net/crm?retryWrites=true");
§ worker/celeryconfig.py
broker_url = "amqps://worker:⟦‹alnum 20›⟧@mq.lumen.example:5671/prod"
result_backend = "redis://:⟦‹alnum 24›⟧@cache.lumen.example:6379/2"
§ docs/metabase.md
JDBC address: `jdbc:mysql://dwh:3306/facts?user=report&password=⟦‹alnum 14›⟧&useSSL=true`
§ etc/odbc.md
Driver={ODBC Driver 18 for SQL Server};Server=sql9;Database=Hr;Uid=hr_reader;Pwd=⟦‹alnum 14›⟧;
§ scripts/upload.sh
lftp -e "mirror -R public /; bye" ftp://web7:⟦‹alnum 14›⟧@ftp.lumen.example

§§ command with password option | The option of the program is documented to take the password
§ scripts/dump.sh
#!/bin/sh
mysqldump -h db1 -u root -p⟦‹alnum 16›⟧ shop | gzip > shop.sql.gz
§ docs/tunnel.md
`sshpass -p '⟦‹password›⟧' ssh -N -L 5432:db:5432 ops@bastion.lumen.example`
§ notes/cheatsheet.md
- flush the cache: `redis-cli -h cache -a ⟦‹alnum 20›⟧ FLUSHDB`
- mount the share: `mount -t cifs //nas/media /mnt -o username=nora,password=⟦‹password›⟧`
- query: `PGPASSWORD=⟦‹password›⟧ psql -h dwh -U report facts`
§ scripts/unpack.sh
openssl enc -d -aes-256-cbc -pbkdf2 -in backup.enc -out backup.tar -pass pass:⟦‹alnum 20›⟧
7z x -p⟦‹alnum 16›⟧ photos.7z
§ windows/map.bat
net use Z: \\nas\team /user:LUMEN\backup ⟦‹alnum 14›⟧
§ .bash_history
cd /srv/app
curl -u admin:⟦‹alnum 16›⟧ https://nexus.lumen.example/service/rest/v1/status
mongosh "mongodb://db1/admin" --username root --password ⟦‹alnum 18›⟧
kubectl create secret generic db --from-literal=password=⟦‹alnum 18›⟧
§ docs/registry.md
    helm registry login registry.lumen.example --username ci --password ⟦‹password›⟧
    wget --user=ci --password='⟦‹password›⟧' https://files.lumen.example/a.tgz

§§ service unit | https://www.freedesktop.org/software/systemd/man/systemd.exec.html
§ etc/systemd/system/api.service
[Service]
Environment=PORT=8000
Environment="API_SECRET=⟦‹alnum 40›⟧"
ExecStart=/usr/bin/api
§ launchd/com.lumen.sync.plist
<dict>
  <key>EnvironmentVariables</key>
  <dict>
    <key>SYNC_PASSWORD</key>
    <string>⟦‹password›⟧</string>
  </dict>
</dict>

§§ http header | RFC 7617, RFC 6750
§ api.http
POST https://erp.lumen.example/odata/Orders
Authorization: Basic ⟦‹base64 svc_erp:‹generated 18››⟧
Content-Type: application/json
§ src/client.ts
const headers = { "X-Api-Key": "⟦‹alnum 40›⟧", Accept: "application/json" };
§ nginx/conf.d/upstream.conf
location /internal/ {
    proxy_set_header Authorization "Bearer ⟦‹url64 43›⟧";
    proxy_pass http://core;
}
§ capture.har
{"request": {"method": "GET", "url": "https://app.lumen.example/", "headers": [
  {"name": "Cookie", "value": "theme=dark; sessionid=⟦‹lower 32›⟧"}]}}

§§ query parameter | A parameter that names a token or key
§ docs/feeds.md
Private calendar: https://cal.lumen.example/export.ics?user=nora&token=⟦‹alnum 32›⟧
§ widgets/weather.js
fetch("https://api.openweathermap.org/data/2.5/weather?q=Graz&appid=⟦‹hex 32›⟧")
§ etl/prices.py
URL = "https://data.lumen.example/v1/prices?format=csv&api_key=⟦‹alnum 32›⟧"

§§ markdown table | A column whose heading says password
§ wiki/servers.md
| Host | User | Password | Purpose |
|------|------|----------|---------|
| web1 | root | ⟦‹password›⟧ | shop |
| db1 | dba | ⟦‹password›⟧ | orders |
§ wiki/services.md
| Service | Setting | Value |
|---|---|---|
| SMTP | user | robot@lumen.example |
| SMTP | password | ⟦‹password›⟧ |
§ handbook/accounts.adoc
|===
|System |Login |Password

|Payroll |hr-team |⟦‹password›⟧
|===
§ notes/accounts.org
| system | user | password |
|--------+------+----------|
| nas | admin | ⟦‹password›⟧ |

§§ csv file | The columns of exports of password managers
§ export/bitwarden.csv
folder,favorite,type,name,notes,fields,login_uri,login_username,login_password,login_totp
,,login,Registrar,,,https://registrar.example,ops,⟦‹alnum 18›⟧,⟦‹base32 32›⟧
§ export/chrome.csv
name,url,username,password
router,http://192.168.1.1/,admin,⟦‹alnum 14›⟧
forum,https://forum.example/,nora,⟦‹alnum 14›⟧
§ data/devices.csv
id;model;ip;admin_user;admin_password
17;AP-310;10.4.0.17;admin;⟦‹alnum 14›⟧

§§ sql statement | Statements that set a password
§ db/init.sql
CREATE USER 'shop'@'%' IDENTIFIED BY '⟦‹password›⟧';
GRANT ALL ON shop.* TO 'shop'@'%';
§ db/roles.sql
CREATE ROLE reporting LOGIN PASSWORD '⟦‹password›⟧';
ALTER USER postgres WITH ENCRYPTED PASSWORD '⟦‹password›⟧';
§ db/mssql.sql
CREATE LOGIN [crm] WITH PASSWORD = N'⟦‹password›⟧', CHECK_POLICY = OFF;
§ seeds/settings.sql
INSERT INTO settings (name, value) VALUES ('smtp_password', '⟦‹password›⟧');

§§ log line | A program wrote the value into its log
§ logs/app.log
2024-08-01 10:00:00,120 INFO boot listening on :8000
2024-08-01 10:00:00,431 DEBUG config {'db_user': 'app', 'db_password': '⟦‹password›⟧', 'pool': 5}
§ logs/install.txt
[setup] Administrator account created.
[setup]   user:     admin
[setup]   password: ⟦‹generated 16›⟧
§ logs/jupyter.log
[I 09:01:12 ServerApp] http://localhost:8888/lab?token=⟦‹hex 48›⟧
§ logs/mysql-error.log
2024-02-11T07:45:01Z 6 [Note] A temporary password is generated for root@localhost: ⟦‹generated 12›⟧
"""
