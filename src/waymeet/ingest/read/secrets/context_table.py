"""Secrets that are known by what is before them: one row per form, with its source.

To recognise another form, add a row. A row has the words at which the search starts (in lower case), an expression that
is matched there, whose group `value` is the secret, and the test that the value must pass.
"""

import re
from typing import Literal, NamedTuple

Test = Literal["any", "chosen", "random", "session", "credential", "device", "web key"]
"""Tests of a value, see `contexts`."""


class ContextRule(NamedTuple):
    """The form of one kind of secret."""

    name: str
    words: tuple[bytes, ...]
    """Words at which the search starts, in lower case."""
    pattern: re.Pattern[bytes]
    test: Test
    source: str
    """Where the form is described."""


# The rest of a command up to an option: options and arguments, also on continued lines.
_ARGUMENTS = r"(?:[^\n;|&]|\\\n){0,200}?"
_SECRET = r"""(?:"(?P<value>[^"\n$]{3,200})"|'(?P<value2>[^'\n]{3,200})'|(?P<value3>[^\s"'`;|&<>]{3,200}))"""
_BASE64 = "[A-Za-z0-9+/]"

_ROWS: tuple[tuple[str, str, str, Test, str], ...] = (
    (
        "password in a URL",
        "://",
        r"""://[^\s/:@"'<>`\\|]{0,100}+:(?P<value>[^\s/"'<>`]{3,200})@(?=[\w\[$%{.-])""",
        "chosen",
        "RFC 3986, section 3.2.1",
    ),
    (
        "token as the user of a URL",
        "://",
        r"://(?P<value>[A-Za-z0-9_-]{20,200}+)@(?=[\w.-])",
        "random",
        "git-scm.com, credentials in URLs",
    ),
    (
        "Slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Z0-9]{6,14}/(?:[A-Z0-9]{6,14}|\d{6,20})/[A-Za-z0-9]{16,40}(?:/[A-Za-z0-9]{16,40})?)",
        "any",
        "api.slack.com, incoming webhooks",
    ),
    (
        "Discord webhook",
        "/api/webhooks/",
        r"/api/webhooks/\d{17,20}/(?P<value>[\w-]{40,90})",
        "any",
        "discord.com, developer docs: webhooks",
    ),
    (
        "Microsoft Teams webhook",
        ".webhook.office.com",
        r"\.webhook\.office\.com/webhookb2/(?P<value>[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36})",
        "any",
        "learn.microsoft.com, incoming webhooks",
    ),
    (
        "Google Chat webhook",
        "chat.googleapis.com",
        r"chat\.googleapis\.com/v1/spaces/[\w-]{6,30}/messages\?key=[\w-]{20,60}&token=(?P<value>[\w%-]{30,80})",
        "any",
        "developers.google.com, chat webhooks",
    ),
    (
        "shared access signature",
        "sig=",
        r"sig=(?P<value>(?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd]){0,2})",
        "random",
        "learn.microsoft.com, shared access signatures",
    ),
    (
        "account key of a connection string",
        "accountkey= accesskey= sharedkey= key=",
        rf"(?:account|access|shared)?key=(?P<value>{_BASE64}{{40,100}}+={{0,2}})",
        "random",
        "learn.microsoft.com, storage connection strings",
    ),
    (
        "signed URL",
        "signature=",
        r"signature=(?P<value>(?:[A-Za-z0-9+/]|%2[BbFf]|%3[Dd]){27,512}+={0,2})",
        "random",
        "docs.aws.amazon.com, Signature Version 4",
    ),
    (
        "authorization header",
        "bearer basic authorization",
        r"(?P<how>bearer|basic|authorization['\"]?\s{0,3}[:=,]\s{0,3}['\"]?(?:token|apikey|key|bot|digest|negotiate)?)"
        r"[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}+={0,2})",
        "credential",
        "RFC 7235, RFC 6750, RFC 7617",
    ),
    (
        "curl",
        "curl",
        rf"curl\b{_ARGUMENTS}[ \t](?:-u|--user|--proxy-user|-U)[ \t=]{{0,2}}[\"']?[^\s:\"']{{1,64}}:(?P<value>[^\s\"'`]{{3,200}})",
        "chosen",
        "curl.se, man page",
    ),
    ("sshpass", "sshpass", rf"sshpass[ \t]{{1,4}}-p[ \t]{{0,4}}{_SECRET}", "chosen", "sshpass, man page"),
    (
        "MySQL clients",
        "mysql mariadb",
        rf"(?:mysql|mariadb)[a-z_-]{{0,12}}[ \t]{_ARGUMENTS}(?<=[ \t])-p{_SECRET}",
        "chosen",
        "dev.mysql.com, client options",
    ),
    (
        "docker login",
        "docker podman helm oras nerdctl buildah skopeo heroku",
        rf"(?:docker|podman|helm|oras|nerdctl|buildah|skopeo|heroku)\b[a-z \t]{{0,24}}login{_ARGUMENTS}[ \t](?:-p|--password|--token)[ \t=]{{1,4}}{_SECRET}",
        "chosen",
        "docs.docker.com, docker login",
    ),
    (
        "redis-cli",
        "redis-cli",
        rf"redis-cli{_ARGUMENTS}[ \t](?:-a|--pass)[ \t=]{{1,4}}{_SECRET}",
        "chosen",
        "redis.io, CLI",
    ),
    (
        "mongo clients",
        "mongo",
        rf"mongo(?:sh|dump|restore|export|import)?[ \t]{_ARGUMENTS}[ \t](?:-p|--password)[ \t=]{{1,4}}{_SECRET}",
        "chosen",
        "mongodb.com, mongosh options",
    ),
    (
        "LDAP clients",
        "ldap",
        rf"ldap(?:search|add|modify|passwd|whoami|delete)[ \t]{_ARGUMENTS}[ \t]-w[ \t]{{1,4}}{_SECRET}",
        "chosen",
        "openldap.org, man pages",
    ),
    (
        "htpasswd",
        "htpasswd",
        rf"htpasswd[ \t]{{1,4}}-[a-zA-Z]{{0,6}}b[a-zA-Z]{{0,6}}[ \t]{{1,4}}\S{{1,100}}(?:[ \t]{{1,4}}[\w.@-]{{1,64}})?[ \t]{{1,4}}{_SECRET}",
        "chosen",
        "httpd.apache.org, htpasswd",
    ),
    ("openssl", "-pass", rf"-pass(?:in|out)?[ \t]{{1,4}}[\"']?pass:{_SECRET}", "chosen", "openssl.org"),
    (
        "smbclient",
        "smbclient rpcclient",
        rf"(?:smb|rpc)client[ \t]{_ARGUMENTS}(?<=[ \t])-U[ \t]{{0,4}}[\"']?[\w.\\@-]{{1,64}}%(?P<value>[^\s\"'`]{{3,200}})",
        "chosen",
        "samba.org, man pages",
    ),
    (
        "chpasswd",
        "chpasswd",
        r"chpasswd[^\n]{0,40}<<<[ \t]{0,4}[\"']?[\w.-]{1,32}:(?P<value>[^\s\"'`]{3,200})",
        "chosen",
        "man7.org, chpasswd",
    ),
    (
        "echo to chpasswd",
        "echo printf",
        r"(?:echo|printf)[ \t]{1,4}[\"']?[\w.-]{1,32}:(?P<value>[^\s\"'`]{3,200})[\"']?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd",
        "chosen",
        "man7.org, chpasswd",
    ),
    (
        "password through a pipe",
        "echo printf",
        rf"(?:echo|printf)[ \t]{{1,4}}(?:-n[ \t]{{1,4}})?{_SECRET}[ \t]{{0,4}}\|[ \t]{{0,4}}(?:sudo[ \t]{{1,4}}-S|(?:docker|podman|helm)[^\n|]{{0,100}}--password-stdin|passwd[ \t]{{1,4}}--stdin)",
        "chosen",
        "docs.docker.com, docker login",
    ),
    (
        "SQL account",
        "identified",
        r"identified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,40}[ \t]{1,4})?by[ \t]{1,4}(?:password[ \t]{1,4})?[\"'](?P<value>[^\"'\n]{3,200})[\"']",
        "chosen",
        "dev.mysql.com, CREATE USER",
    ),
    (
        "SQL role",
        "password",
        r"(?<=[ \t])password[ \t]{1,4}(?:=[ \t]{0,4})?[nN]?'(?P<value>[^'\n]{3,200})'",
        "chosen",
        "postgresql.org, CREATE ROLE",
    ),
    (
        "netrc",
        "machine default",
        r"(?:machine[ \t]{1,4}[\w.-]{1,100}|default)[ \t\n]{1,8}login[ \t]{1,4}\S{1,100}[ \t\n]{1,8}password[ \t]{1,4}(?P<value>\S{3,200})",
        "chosen",
        "gnu.org, inetutils: the .netrc file",
    ),
    (
        "pgpass",
        ":5432:",
        r":5432:[\w*.-]{1,60}:[\w*.-]{1,60}:(?P<value>[^\s:]{3,200})(?=\s|\Z)",
        "chosen",
        "postgresql.org, the password file",
    ),
    (
        "password hash",
        "$6$ $5$ $1$ $y$ $apr1$ $2a$ $2b$ $2y$ $argon2 $scrypt pbkdf2_sha",
        r"(?:\$(?:apr1|1|5|6|y|2[aby]|argon2id?|scrypt)|pbkdf2_sha\d{1,3})\$(?:v=\d{1,3}\$)?(?:[a-z0-9=,]{1,40}\$)?(?:rounds=\d{1,8}\$)?[./A-Za-z0-9$]{1,60}?\$(?P<value>[./A-Za-z0-9]{20,100})",
        "any",
        "man7.org, crypt",
    ),
    (
        "hexadecimal private key",
        "private 私钥 秘密鍵",
        r"(?:private[_ -]{0,1}key|privkey|privatekey|私钥|秘密鍵)[\w]{0,12}[\"'`*)]{0,3}(?:[ \t]{0,4}(?:[:=(]|is|=>|：|は|是)[ \t]{0,4}|[ \t]{1,4})[\"'`*]{0,3}(?P<value>(?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])",
        "any",
        "ethereum.org, accounts",
    ),
    (
        "wallet seed",
        "mnemonic seed recovery ニーモニック 助记词",
        r"(?:mnemonic|seed|recovery|ニーモニック|助记词)(?:[_ -]?(?:phrase|words?|secret))?[\"'`*)]{0,3}(?:[ \t]{0,4}(?:[:=(]|is|=>|：|は|是)|[ \t])[ \t]{0,4}\n?[ \t>]{0,8}[\"'`*]{0,3}(?P<value>[a-z]{3,8}(?:[ ,\n]{1,2}[a-z]{3,8}){11,23})(?![a-z ]*[a-z]{9})",
        "any",
        "BIP 39",
    ),
    (
        "WireGuard key",
        "privatekey presharedkey",
        rf"(?:privatekey|presharedkey)[ \t]{{0,4}}=[ \t]{{0,4}}(?P<value>{_BASE64}{{43}}=)",
        "any",
        "wireguard.com, wg(8)",
    ),
    (
        "RabbitMQ users",
        "rabbitmqctl",
        rf"rabbitmqctl[ \t]{_ARGUMENTS}(?:add_user|change_password|authenticate_user)[ \t]{{1,4}}[\w.@-]{{1,64}}[ \t]{{1,4}}{_SECRET}",
        "chosen",
        "rabbitmq.com, rabbitmqctl",
    ),
    (
        "Windows accounts",
        "net use",
        rf"net[ \t]{{1,4}}use(?:r[ \t]{{1,4}}[\w.-]{{1,64}}|[ \t]{{1,4}}[^\n]{{1,100}}?/user:\S{{1,64}})[ \t]{{1,4}}(?!/){_SECRET}",
        "chosen",
        "learn.microsoft.com, net user",
    ),
    (
        "Unix accounts",
        "useradd usermod rootpw adduser",
        rf"(?:useradd|usermod|adduser|rootpw)[ \t]{_ARGUMENTS}(?:-p|--password|--iscrypted|--plaintext|(?<=rootpw))[ \t=]{{1,4}}{_SECRET}",
        "chosen",
        "man7.org, useradd; kickstart commands",
    ),
    (
        "network devices",
        "password secret community isakmp md5 psk",
        r"(?<![\w/.-])(?:enable[ ]|username[ ]\S{1,40}[ ]|privilege[ ]\d{1,2}[ ])?(?:password|secret|community|isakmp[ ]key|md5|pre-shared-key|psk)[ ](?:[0-9][ ])?"
        r"(?P<value>[^\s\"'`;,]{4,100})(?=[ ](?:address|ro|rw|0|encrypted)\b|[ ]?\r?(?:\n|\Z))",
        "device",
        "cisco.com, password commands",
    ),
    (
        "database connection",
        "pdo( getconnection( mysqli( mysqli_connect( pg_connect(",
        r"(?:pdo|getconnection|mysqli|mysqli_connect)\([^()\n]{1,160}?,\s{0,20}[\"'][^\"'\n]{0,64}[\"'],\s{0,20}[\"'](?P<value>[^\"'\n]{3,200})[\"']",
        "chosen",
        "php.net, PDO; docs.oracle.com, DriverManager",
    ),
    (
        "user and password as arguments",
        "login( auth( auth=( credential( credentials( basic_auth( basicauth( auth:",
        r"(?:login|auth=?|credentials?|basic_auth|basicauth)\(\s{0,20}[rbu]?[\"'][^\"'\n]{1,80}[\"'],\s{0,20}[rbu]?[\"'](?P<value>[^\"'\n]{3,200})[\"']",
        "chosen",
        "docs.python.org, smtplib; learn.microsoft.com, NetworkCredential",
    ),
    (
        "secret beside its key id",
        "akia asia ltai akid ac",
        r"(?:AKIA[A-Z2-7]{16}|ASIA[A-Z2-7]{16}|LTAI[A-Za-z0-9]{12,26}|AKID[A-Za-z0-9]{32}|AC[0-9a-f]{32})[\"'`]?[ \t]{0,4}[,:;/|\n][ \t]{0,8}[\"'`]?(?P<value>[A-Za-z0-9/+]{30,64})(?![A-Za-z0-9/+])",
        "random",
        "docs.aws.amazon.com; alibabacloud.com; twilio.com",
    ),
    (
        "cookie",
        "cookie",
        r"cookie[\"']?[ \t]{0,4}[:=,][ \t]{0,4}[\"']?(?:[\w.-]{1,60}=[^\s;\"']{0,15}; ?){0,6}[\w.-]{1,60}=(?P<value>[A-Za-z0-9%._~+/-]{20,1000}={0,2})",
        "session",
        "RFC 6265",
    ),
    (
        "JSON Web Key",
        '"d" "k" "p" "q" "dp" "dq" "qi"',
        r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,8}:\s{0,8}\"(?P<value>[A-Za-z0-9_-]{20,1000})\"",
        "web key",
        "RFC 7517",
    ),
)

CONTEXTS = tuple(
    ContextRule(
        name,
        tuple(map(str.encode, (words,) if words == "net use" else words.split())),
        re.compile(pattern.encode(), re.IGNORECASE),
        test,
        source,
    )
    for name, words, pattern, test, source in _ROWS
)
