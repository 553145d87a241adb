"""Secrets in commands: one row per form.

To recognise another form, add a row: its name, the words at which the search starts (in lower case, `+` for a blank),
an expression that is matched there, whose group `value` is the secret, the test that the value must pass,
and the source of the form.
"""

from waymeet.ingest.read.secrets.tables.context_rows import Row, make_rules

_ROWS: tuple[Row, ...] = (
    (
        "curl",
        "curl",
        (
            r"""curl\b«options»[ \t](?:-u|--user|--proxy-user|-U)[ \t=]{0,2}["']?"""
            r"""[^\s:"']{1,64}:(?P<value>[^\s"'`]{3,200})"""
        ),
        "chosen",
        "curl.se, man page",
    ),
    (
        "sshpass",
        "sshpass",
        r"sshpass[ \t]{1,4}-p[ \t]{0,4}«secret»",
        "chosen",
        "sshpass, man page",
    ),
    (
        "MySQL clients",
        "mysql mariadb",
        r"(?:mysql|mariadb)[a-z_-]{0,12}[ \t]«options»(?<=[ \t])-p«secret»",
        "chosen",
        "dev.mysql.com, client options",
    ),
    (
        "docker login",
        "docker podman helm oras nerdctl buildah skopeo heroku",
        (
            r"(?:docker|podman|helm|oras|nerdctl|buildah|skopeo|heroku)\b[a-z \t]{0,24}login"
            r"«options»[ \t](?:-p|--password|--token)[ \t=]{1,4}«secret»"
        ),
        "chosen",
        "docs.docker.com, docker login",
    ),
    (
        "redis-cli",
        "redis-cli",
        r"redis-cli«options»[ \t](?:-a|--pass)[ \t=]{1,4}«secret»",
        "chosen",
        "redis.io, CLI",
    ),
    (
        "mongo clients",
        "mongo",
        (
            r"mongo(?:sh|dump|restore|export|import)?[ \t]«options»[ \t](?:-p|--password)"
            r"[ \t=]{1,4}«secret»"
        ),
        "chosen",
        "mongodb.com, mongosh options",
    ),
    (
        "LDAP clients",
        "ldapsearch ldapadd ldapmodify ldappasswd ldapwhoami ldapdelete",
        (
            r"ldap(?:search|add|modify|passwd|whoami|delete)[ \t]«options»[ \t]-w"
            r"[ \t]{1,4}«secret»"
        ),
        "chosen",
        "openldap.org, man pages",
    ),
    (
        "htpasswd",
        "htpasswd",
        (
            r"htpasswd[ \t]{1,4}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}"
            r"(?:[ \t]{1,4}[\w.@-]{1,64})?[ \t]{1,4}«secret»"
        ),
        "chosen",
        "httpd.apache.org, htpasswd",
    ),
    (
        "openssl",
        "-pass",
        r"""-pass(?:in|out)?[ \t]{1,4}["']?pass:«secret»""",
        "chosen",
        "openssl.org",
    ),
    (
        "smbclient",
        "smbclient rpcclient",
        (
            r"""(?:smb|rpc)client[ \t]«options»(?<=[ \t])-U[ \t]{0,4}["']?[\w.\\@-]{1,64}%"""
            r"""(?P<value>[^\s"'`]{3,200})"""
        ),
        "chosen",
        "samba.org, man pages",
    ),
    (
        "chpasswd",
        "chpasswd",
        r"""chpasswd[^\n]{0,40}<<<[ \t]{0,4}["']?[\w.-]{1,32}:(?P<value>[^\s"'`]{3,200})""",
        "chosen",
        "man7.org, chpasswd",
    ),
    (
        "echo to chpasswd",
        "echo+ printf+",
        (
            r"""(?:echo|printf)[ \t]{1,4}["']?[\w.-]{1,32}:(?P<value>[^\s"'`]{3,200})"""
            r"""["']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd"""
        ),
        "chosen",
        "man7.org, chpasswd",
    ),
    (
        "password through a pipe",
        "echo+ printf+",
        (
            r"(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4})?«secret»[ \t]{0,4}\|[ \t]{0,4}"
            r"(?:sudo[ \t]{1,4}-S|(?:docker|podman|helm)[^\n|]{0,100}--password-stdin"
            r"|passwd[ \t]{1,4}--stdin)"
        ),
        "chosen",
        "docs.docker.com, docker login",
    ),
    (
        "RabbitMQ users",
        "rabbitmqctl",
        (
            r"rabbitmqctl[ \t]«options»(?:add_user|change_password|authenticate_user)"
            r"[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}«secret»"
        ),
        "chosen",
        "rabbitmq.com, rabbitmqctl",
    ),
    (
        "Windows accounts",
        "net+use",
        (
            r"net[ \t]{1,4}use(?:r[ \t]{1,4}[\w.-]{1,64}|[ \t]{1,4}[^\n]{1,100}?/user:\S{1,64})"
            r"[ \t]{1,4}(?!/)«secret»"
        ),
        "chosen",
        "learn.microsoft.com, net user",
    ),
    (
        "Unix accounts",
        "useradd usermod rootpw adduser",
        (
            r"(?:useradd|usermod|adduser|rootpw)[ \t]«options»(?:-p|--password|--iscrypted"
            r"|--plaintext|(?<=rootpw))[ \t=]{1,4}«secret»"
        ),
        "chosen",
        "man7.org, useradd; kickstart commands",
    ),
    (
        "options -P of database and device clients",
        "zip sqlcmd bcp osql isql ipmitool mosquitto_ snmp vncviewer",
        (
            r"(?:zip|sqlcmd|bcp|osql|isql|ipmitool|mosquitto_\w{2,8}|snmp\w{2,10})"
            r"[ \t]«options»(?<=[ \t])-[PAX][ \t]{0,4}«secret»"
        ),
        "command",
        "man pages of the commands",
    ),
    (
        "options -p of deployment tools",
        "twine+upload az+login argocd+login oc+login tsh+login psexec",
        (
            r"(?<![\w-])(?:twine|az|argocd|psexec|oc|tsh)[ \t]{1,4}(?:upload|login"
            r"|\\\\)\b«options»(?<=[ \t])(?:-p|--password)[ \t=]{1,4}«secret»"
        ),
        "command",
        "man pages of the commands",
    ),
    (
        "aws configure",
        "aws_secret_access_key",
        (
            r"""aws_secret_access_key[ \t:="']{1,6}(?P<value>[A-Za-z0-9/+]{40})"""
            r"(?![A-Za-z0-9/+])"
        ),
        "any",
        "docs.aws.amazon.com, configuration files",
    ),
    (
        "7-Zip",
        "7z",
        r"7za?[ \t]«options»(?<=[ \t])-p«secret»",
        "command",
        "7-zip.org",
    ),
    (
        "openssl key",
        "openssl",
        r"openssl[ \t]«options»(?<=[ \t])-[kK][ \t]{1,4}«secret»",
        "command",
        "openssl.org",
    ),
    (
        "ssh-keygen",
        "ssh-keygen",
        r"ssh-keygen[ \t]«options»(?<=[ \t])-[NP][ \t]{1,4}«secret»",
        "command",
        "man.openbsd.org",
    ),
    (
        "lftp",
        "lftp",
        r"lftp[ \t]«options»(?<=[ \t])-u[ \t]{1,4}[\w.@-]{1,64},«secret»",
        "command",
        "lftp.yar.ru",
    ),
    (
        "etcdctl",
        "--user",
        r"""--user(?:name)?[ =]["']?[\w.@-]{1,64}:«secret»""",
        "command",
        "etcd.io; curl.se",
    ),
    (
        "sqlplus",
        "sqlplus",
        r"""sqlplus[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,4}\w{1,40}/(?P<value>[^\s@"']{3,60})@""",
        "command",
        "docs.oracle.com, SQL*Plus",
    ),
    (
        "remote desktop",
        "/p: /pass: /rp+ /p+",
        r"/(?:p(?:ass)?:|rp[ ]|p[ ])«secret»",
        "device",
        "freerdp.com; learn.microsoft.com, cmdkey",
    ),
    (
        "tokens as an argument",
        "cargo+login authtoken",
        r"(?:cargo[ \t]{1,4}login|authtoken)[ \t]{1,4}«secret»",
        "random",
        "doc.rust-lang.org, cargo login; ngrok.com",
    ),
    (
        "SecureString",
        "securestring",
        r"securestring[ \t(]{1,4}(?:-String[ \t]{1,4})?«secret»",
        "command",
        "learn.microsoft.com, ConvertTo-SecureString",
    ),
    (
        "expect",
        "send+",
        r'send(?:[ \t]--)?[ \t]{1,4}"(?P<value>[^"\n\s]{4,60})\\[rn]"',
        "command",
        "core.tcl-lang.org, expect",
    ),
    (
        "LDAP bind password",
        "bindpw bind_pw",
        r"bind_?pw[ \t:=]{1,4}«secret»",
        "command",
        "openldap.org, ldap.conf",
    ),
)

COMMANDS = make_rules(_ROWS)
