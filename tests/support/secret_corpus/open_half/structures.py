"""Secrets known by the structure around them: manifests, tables, commands, URLs."""

TEMPLATE = r"""
§§ ado-net-password | ADO.NET: Password or Pwd in a connection string
§ appsettings.Production.json
{"ConnectionStrings": {"Main": "Server=sql.example.com;Database=Shop;User Id=shop;Password=⟦‹password›⟧;"}}
§ Web.config
<connectionStrings>
  <add name="Db" connectionString="Data Source=.;Initial Catalog=Crm;UID=crm;PWD=⟦‹password›⟧" />
</connectionStrings>
§ docs/odbc.md
Driver={PostgreSQL};Server=db;Database=dw;Uid=etl;Pwd=⟦‹password›⟧;
§§ csv-password-column | CSV files with a column of passwords
§ import/users.csv
id,username,password,email
1,ana,⟦‹password›⟧,ana@example.com
2,tom,⟦‹password›⟧,tom@example.com
§ export/logins.csv
"name","url","username","password"
"Router","http://10.0.0.1","admin","⟦‹password›⟧"
"NAS","http://10.0.0.2","root","⟦‹password›⟧"
§ data/devices.tsv
device	ip	snmp_secret
switch-1	10.1.0.1	⟦‹generated 16›⟧
switch-2	10.1.0.2	⟦‹generated 16›⟧
§ daten/konten.csv
Benutzer;Passwort;Abteilung
mueller;⟦‹password›⟧;Vertrieb
weber;⟦‹password›⟧;Lager
§§ docker-config-auth | Docker: auth in config.json is base64 of user and password
§ .docker/config.json
{
  "auths": {
    "registry.example.com": { "auth": "⟦‹base64 deploy:‹password››⟧" }
  }
}
§ ci/docker-auth.json
{"auths":{"https://index.docker.io/v1/":{"auth":"⟦‹base64 acme:‹generated 20››⟧","email":"ci@example.com"}}}
§§ kubeconfig-client-key | Kubernetes: client-key-data of a kubeconfig is a private key in base64
§ .kube/config
apiVersion: v1
kind: Config
users:
- name: admin
  user:
    client-certificate-data: ‹pem64 MIIC 900 CERTIFICATE›
    client-key-data: ⟦‹pem64 MIIEpAIBAAKCAQEA 1500 RSA PRIVATE KEY›⟧
§ docs/cluster.md
Copy this into `~/.kube/config`:

```yaml
users:
  - name: ci
    user:
      client-key-data: ⟦‹pem64 MHcCAQEEI 150 EC PRIVATE KEY›⟧
```
§§ kubernetes-secret-data | Kubernetes: values of data in a Secret are base64
§ k8s/secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: db
type: Opaque
data:
  username: YWRtaW4=
  password: ⟦‹base64 ‹password››⟧
§ deploy/secrets.yml
apiVersion: v1
kind: Secret
metadata: {name: smtp}
data:
  SMTP_PASS: ⟦‹base64 ‹generated 24››⟧
  api-key: ⟦‹base64 ‹hex 32››⟧
§ docs/k8s.md
```yaml
kind: Secret
apiVersion: v1
metadata:
  name: registry
data:
  token: ⟦‹base64 ‹alnum 40››⟧
```
§§ kubernetes-secret-string-data | Kubernetes: values of stringData in a Secret are plain text
§ k8s/oauth.yaml
apiVersion: v1
kind: Secret
metadata:
  name: oauth
stringData:
  clientSecret: ⟦‹generated 32›⟧
  cookie: "⟦‹alnum 32›⟧"
§ k8s/grafana.yaml
kind: Secret
apiVersion: v1
stringData:
  admin-user: admin
  admin-password: ⟦‹password›⟧
§§ markdown-table-password-column | Tables with a column of passwords
§ docs/accounts.md
| System | User | Password |
|--------|------|----------|
| Jenkins | admin | ⟦‹password›⟧ |
| Nexus | deploy | ⟦‹password›⟧ |
§ wiki/test-users.md
User | Passwort | Rolle
--- | --- | ---
mueller | ⟦‹password›⟧ | Admin
schmidt | ⟦‹password›⟧ | Gast
§ notes/keys.md
| service | api key | owner |
|:--|:--|--:|
| weather | ⟦‹hex 32›⟧ | mia |
| maps | `⟦‹alnum 39›⟧` | jon |
§§ netrc-file | netrc: machine, login and password
§ .netrc
machine ftp.example.com login ana password ⟦‹password›⟧
§ home/_netrc
machine git.example.com
login build
password ⟦‹generated 24›⟧
§§ npm-auth-token-uuid | npm: older registry tokens are UUIDs or opaque words
§ frontend/.npmrc
@acme:registry=https://npm.pkg.github.com
//npm.pkg.github.com/:_authToken=⟦‹alnum 40›⟧
§ .npmrc
//registry.npmjs.org/:_authToken=⟦‹uuid›⟧
save-exact=true
§§ shell-docker-login | Docker: -p takes the password
§ ci/push.sh
docker login -u acme -p ⟦‹password›⟧ registry.example.com
docker push registry.example.com/app
§ docs/registry.md
    docker login registry.example.com --username ana --password ⟦‹generated 20›⟧
§§ shell-mysql-password | MySQL: -p takes the password without a space
§ scripts/dump.sh
mysqldump -u root -p⟦‹password›⟧ shop > shop.sql
§ docs/database.md
    mysql -h db.example.com -u shop -p'⟦‹password›⟧' shop
§ bin/reset.sh
mysql --user=root --password=⟦‹password›⟧ -e 'DROP DATABASE test'
§§ shell-pgpassword | PostgreSQL: PGPASSWORD in front of a command, .pgpass
§ scripts/backup.sh
PGPASSWORD=⟦‹password›⟧ pg_dump -h db -U shop shop | gzip > shop.sql.gz
§ docs/restore.md
`PGPASSWORD='⟦‹password›⟧' psql -h localhost -U postgres`
§ .pgpass
db.example.com:5432:shop:shop:⟦‹password›⟧
§§ shell-smbclient | Samba: user%password, and password= of a mount option
§ docs/share.md
    smbclient //nas/data -U 'ana%⟦‹password›⟧'
§ etc/fstab
//nas/data /mnt/data cifs username=ana,password=⟦‹password›⟧,uid=1000 0 0
§§ shell-useradd | User creation with a password on the command line
§ provision/users.sh
echo "deploy:⟦‹password›⟧" | chpasswd
§ docs/rabbit.md
    rabbitmqctl add_user shop ⟦‹password›⟧
    rabbitmqctl set_permissions -p / shop ".*" ".*" ".*"
§ provision/win.bat
net user backup ⟦‹password›⟧ /add
§§ url-basic-credentials | URLs with user and password
§ docs/feeds.md
The partner's feed: https://acme:⟦‹password›⟧@feeds.example.com/products.xml
§ pip.conf
[global]
extra-index-url = https://build:⟦‹generated 20›⟧@pypi.example.com/simple
§ .git/config
[remote "origin"]
	url = https://ana:⟦‹password›⟧@git.example.com/acme/app.git
§ cameras.txt
rtsp://viewer:⟦‹password›⟧@10.0.4.11:554/stream1
ftp://upload:⟦‹password›⟧@ftp.example.com/incoming
§§ url-mysql | The password stands in the connection URL
§ config/db.js
module.exports = { url: 'mysql://root:⟦‹password›⟧@127.0.0.1:3306/blog' };
§ .env
DB_DSN=mysql+pymysql://blog:⟦‹password›⟧@mariadb/blog?charset=utf8mb4
§§ url-query-token | Tokens in the query of a URL
§ docs/calendar.md
Subscribe to https://calendar.example.com/feed.ics?token=⟦‹alnum 40›⟧
§ logs/access.log
10.0.0.1 - - [01/Feb/2024:10:00:00 +0000] "GET /api/items?api_key=⟦‹hex 32›⟧&page=2 HTTP/1.1" 200 512
§ src/fetch.js
const data = await fetch(`https://api.example.com/v2/rates?access_token=⟦‹alnum 36›⟧`);
§§ yaml-list-of-users | YAML lists with a name and a password in each entry
§ seeds/users.yml
users:
  - name: ana
    role: admin
    password: ⟦‹password›⟧
  - name: tom
    role: editor
    password: ⟦‹password›⟧
§ mosquitto/users.yaml
- {user: sensor, pass: ⟦‹password›⟧}
- {user: display, pass: ⟦‹password›⟧}
§§ yaml-password | YAML settings with a password
§ config/database.yml
production:
  adapter: postgresql
  username: shop
  password: ⟦‹password›⟧
§ application.yml
spring:
  datasource:
    url: jdbc:postgresql://db/shop
    password: "⟦‹wild 16›⟧"
§ config/ldap.yaml
ldap: {host: ldap.example.com, bind_dn: "cn=reader", bind_password: ⟦‹password›⟧, port: 389}
"""
