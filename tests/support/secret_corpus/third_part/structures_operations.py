"""Secrets in shell commands, build pipelines, cluster files, tables and logs."""

TEMPLATE = r"""
§§ shell commands with passwords | options that take a password
§ dump.sh
mysqldump -h db1 -u backup -p'⟦‹password›⟧' shop | gzip > /backup/shop.sql.gz
PGPASSWORD=⟦‹alnum 18›⟧ pg_dump -h db2 -U backup crm > crm.sql
§ copy.sh
sshpass -p '⟦‹password›⟧' scp build.tar.gz deploy@10.0.0.5:/srv/
lftp -u mirror,⟦‹alnum 14›⟧ ftp://files.example.org -e "mirror -R out; quit"
§ ~/.bash_history
cd /srv/app
docker login registry.example.org -u ci -p ⟦‹alnum 20›⟧
redis-cli -h cache -a ⟦‹alnum 24›⟧ FLUSHALL
curl -u elastic:⟦‹alnum 20›⟧ https://localhost:9200/_cat/indices
ls -la
§ certs.sh
openssl pkcs12 -export -in cert.pem -inkey key.pem -out app.p12 -passout pass:⟦‹alnum 16›⟧
keytool -importkeystore -srckeystore app.p12 -srcstorepass ⟦‹alnum 16›⟧ \
  -deststorepass ⟦‹alnum 16›⟧ -destkeystore app.jks
§ zip.sh
zip -r -P '⟦‹password›⟧' report.zip report/
7z a -p⟦‹alnum 15›⟧ -mhe=on archive.7z data/
§ ldap.sh
ldapsearch -x -H ldap://ldap.example.org -D cn=admin,dc=example,dc=org -w '⟦‹password›⟧' -b dc=example,dc=org
echo 'root:⟦‹password›⟧' | chpasswd
§§ windows commands with passwords | options that take a password
§ mount.bat
net use Z: \\fileserver\share /user:OFFICE\scan ⟦‹alnum 14›⟧ /persistent:yes
schtasks /create /tn Nightly /tr run.cmd /sc daily /ru OFFICE\svc /rp ⟦‹alnum 16›⟧
§ sql.cmd
sqlcmd -S sql01 -U sa -P ⟦‹alnum 16›⟧ -i upgrade.sql
§ sign.cmd
signtool sign /f codesign.pfx /p ⟦‹alnum 18›⟧ /tr http://timestamp.example.com setup.exe
§§ pipelines | build definitions with secrets in plain text
§ .github/workflows/e2e.yml
jobs:
  e2e:
    runs-on: ubuntu-latest
    env:
      E2E_PASSWORD: ⟦‹password›⟧
      API_BASE: https://stage.example.org
§ .gitlab-ci.yml
variables:
  DEPLOY_USER: deploy
  DEPLOY_PASSWORD: "⟦‹generated›⟧"
deploy:
  script: ["./deploy.sh"]
§ Jenkinsfile
environment {
    NEXUS_USER = 'ci'
    NEXUS_PASSWORD = '⟦‹password›⟧'
}
§ bitbucket-pipelines.yml
- step:
    script:
      - export COSIGN_PASSWORD="⟦‹password›⟧"
      - cosign sign --key cosign.key acme/web:latest
§ azure-pipelines.yml
- task: SqlAzureDacpacDeployment@1
  inputs:
    SqlUsername: 'deploy'
    SqlPassword: '⟦‹generated›⟧'
§§ kubernetes files | Secret objects and kubeconfig credentials
§ k8s/secret.yaml
apiVersion: v1
kind: Secret
metadata:
  name: shop-db
type: Opaque
data:
  username: c2hvcA==
  password: ⟦‹base64 ‹alnum 21››⟧
§ k8s/app-secret.yaml
apiVersion: v1
kind: Secret
metadata: {name: app}
stringData:
  SMTP_PASSWORD: ⟦‹generated›⟧
  session-key: ⟦‹hex 48›⟧
§ ~/.kube/config
apiVersion: v1
kind: Config
users:
- name: admin
  user:
    client-certificate-data: ‹pem64 MIIC 400 CERTIFICATE›
    client-key-data: ⟦‹pem64 MIIE 500 RSA PRIVATE KEY›⟧
- name: robot
  user:
    token: ⟦‹jwt robot›⟧
§ helm/values.prod.yaml
postgresql:
  auth:
    username: app
    password: ⟦‹password›⟧
    postgresPassword: ⟦‹generated›⟧
§ create.sh
kubectl create secret generic mail --from-literal=user=robot --from-literal=password='⟦‹generated›⟧'
§§ container and machine definitions | passwords in compose files, images and provisioning
§ compose.prod.yaml
services:
  db:
    image: mariadb:11
    environment:
      - MARIADB_ROOT_PASSWORD=⟦‹password›⟧
      - MARIADB_DATABASE=wiki
§ Dockerfile
FROM python:3.12-slim
ARG PIP_PASSWORD=⟦‹alnum 18›⟧
RUN pip config set global.index-url https://ci:${PIP_PASSWORD}@pypi.example.org/simple
§ Vagrantfile
config.vm.provision "shell", inline: "echo 'vagrant:⟦‹password›⟧' | chpasswd"
config.winrm.password = "⟦‹alnum 14›⟧"
§ user-data
#cloud-config
chpasswd:
  expire: false
  users:
    - {name: ubuntu, password: ⟦‹alnum 16›⟧, type: text}
§ docker-run.md
docker run -d --name pg -e POSTGRES_PASSWORD=⟦‹password›⟧ -p 5432:5432 postgres:16
§§ infrastructure code | Terraform, CloudFormation, Ansible, Nix and Bicep
§ rds.tf
resource "aws_db_instance" "main" {
  engine   = "postgres"
  username = "app"
  password = "⟦‹alnum 20›⟧"
}
§ stack.yaml
Resources:
  Db:
    Type: AWS::RDS::DBInstance
    Properties:
      MasterUsername: root
      MasterUserPassword: ⟦‹alnum 18›⟧
§ terraform.tfstate
{"version": 4, "resources": [{"type": "random_password", "name": "db", "instances": [{"attributes":
 {"id": "none", "length": 24, "result": "⟦‹alnum 24›⟧", "special": false}}]}]}
§ inventory.ini
[web]
web01 ansible_host=10.1.0.4 ansible_user=admin ansible_ssh_pass=⟦‹alnum 14›⟧ ansible_become_password=⟦‹alnum 14›⟧
§ configuration.nix
{
  services.nextcloud.config.adminpass = "⟦‹password›⟧";
  users.users.kim.password = "⟦‹password›⟧";
}
§§ tables of accounts | a column headed password or token
§ docs/accounts.md
| System  | User     | Password            | Owner |
|---------|----------|---------------------|-------|
| Jenkins | admin    | ⟦‹password›⟧ | Tom   |
| Nexus   | deployer | ⟦‹password›⟧ | Ana   |
§ users.csv
email,first_name,password,role
kim@example.org,Kim,⟦‹password›⟧,editor
lee@example.org,Lee,⟦‹password›⟧,viewer
§ export/bitwarden.csv
folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
Work,,login,Grafana,,,0,https://grafana.example.org,ops,⟦‹generated›⟧,
§ devices.tsv
host	ip	login	passwd
ap-1	10.0.4.2	admin	⟦‹alnum 12›⟧
ap-2	10.0.4.3	admin	⟦‹alnum 12›⟧
§ accounts.html
<table><tr><th>Service</th><th>Login</th><th>Password</th></tr>
<tr><td>FTP</td><td>web</td><td>⟦‹password›⟧</td></tr></table>
§ access.rst
=========  ========  ====================
Service    User      Password
=========  ========  ====================
Matomo     stats     ⟦‹alnum 16›⟧
=========  ========  ====================
§§ logs with credentials | programs that print what they should not
§ logs/app.log
2025-01-14 10:22:01,331 DEBUG auth: login attempt user=jsmith password=⟦‹password›⟧
2025-01-14 10:22:01,402 INFO auth: ok
§ logs/install.log
[ 412.20] Creating database 'wiki' ...
[ 412.91] Generated admin password: ⟦‹alnum 16›⟧
[ 413.02] Done. Open http://localhost:8080
§ jupyter.log
[I 09:12:33.101 ServerApp] http://localhost:8888/lab?token=⟦‹hex 48›⟧
§ trace.json
{"level":"debug","msg":"upstream request","headers":{"x-api-key":"⟦‹alnum 32›⟧","accept":"*/*"},"ms":41}
§ jenkins.out
Please use the following password to proceed to installation:

⟦‹hex 32›⟧

This may also be found at: /var/jenkins_home/secrets/initialAdminPassword
§§ secrets in file names | a token that is part of a path
§ downloads/backup_⟦glpat-‹url64 20›⟧.txt
list of projects
§ exports/⟦ghp_‹checksummed›⟧/repos.json
[]
§ tmp/stripe-⟦sk_live_‹alnum 24›⟧.log
ok
§§ wallets and one-time codes | seeds and keys of wallets and authenticators
§ hardhat.config.js
module.exports = { networks: { sepolia: { url: RPC, accounts: ["⟦0x‹hex 64›⟧"] } } };
§ wallet.env
CHAIN_ID=137
PRIVATE_KEY=⟦0x‹hex 64›⟧
§ totp.txt
otpauth://totp/Acme:ops@example.org?secret=⟦‹base32 32›⟧&issuer=Acme&digits=6
§ recovery.md
# Recovery codes for the registrar account
- ⟦‹lower 5›-‹lower 5›⟧
- ⟦‹lower 5›-‹lower 5›⟧
- ⟦‹lower 5›-‹lower 5›⟧
§§ terminal transcripts | copied sessions that show a secret
§ docs/setup-session.txt
$ htpasswd -cb .htpasswd editor ⟦‹alnum 14›⟧
Adding password for user editor
$ curl -s -d 'username=kim&password=⟦‹alnum 16›⟧' https://sso.example.org/login
§ docs/argocd.txt
$ argocd admin initial-password -n argocd
⟦‹alnum 16›⟧
$ argocd login cd.example.org --username admin --password ⟦‹alnum 16›⟧
§ notes/vault-session.md
```console
$ vault login
Token (will be hidden):
Key                  Value
---                  -----
token                ⟦hvs.‹alnum 24›⟧
token_duration       768h
```
"""
