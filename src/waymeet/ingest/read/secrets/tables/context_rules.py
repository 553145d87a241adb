"""Secrets that are known by what is before them: one row per form.

To recognise another form, add a row: its name, the words at which the search starts (in lower case, `+` for a blank),
an expression that is matched there, whose group `value` is the secret, the test that the value must pass,
and the source of the form.
"""

from waymeet.ingest.read.secrets.tables.context_rows import Row, make_rules

_ROWS: tuple[Row, ...] = (
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
        r"://(?P<value>[A-Za-z0-9_-]{30,200}+)@(?!o\d+\.ingest)(?=[\w.-])",
        "random",
        "git-scm.com, credentials in URLs",
    ),
    (
        "Slack webhook",
        "hooks.slack.com",
        (
            r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<value>[A-Z0-9]{6,14}/"
            r"(?:[A-Z0-9]{6,14}|\d{6,20})/[A-Za-z0-9]{16,40}(?:/[A-Za-z0-9]{16,40})?)"
        ),
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
        (
            r"\.webhook\.office\.com/webhookb2/(?P<value>[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/"
            r"[0-9a-f]{32}/[0-9a-f-]{36})"
        ),
        "any",
        "learn.microsoft.com, incoming webhooks",
    ),
    (
        "Google Chat webhook",
        "chat.googleapis.com",
        (
            r"chat\.googleapis\.com/v1/spaces/[\w-]{6,30}/messages\?key=[\w-]{20,60}&token="
            r"(?P<value>[\w%-]{30,80})"
        ),
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
        r"(?:account|access|shared)?key=(?P<value>[A-Za-z0-9+/]{40,100}+={0,2})",
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
        (
            r"""(?P<how>bearer|basic|authorization['"]?\s{0,3}[:=,]\s{0,3}['"]?"""
            r"(?:[a-z]{2,12})?)[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}+={0,2})"
        ),
        "credential",
        "RFC 7235, RFC 6750, RFC 7617",
    ),
    (
        "SQL account",
        "identified",
        (
            r"identified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,40}[ \t]{1,4})?by[ \t]{1,4}"
            r"""(?:password[ \t]{1,4})?'(?P<value>[^'\n]{3,200})'"""
        ),
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
        "machine+ default+login",
        (
            r"(?:machine[ \t]{1,4}[\w.-]{1,100}|default)[ \t\n]{1,8}login[ \t]{1,4}\S{1,100}"
            r"""[ \t\n]{1,8}password[ \t]{1,4}(?P<value>[^\s"'`]{3,200})"""
        ),
        "chosen",
        "gnu.org, inetutils: the .netrc file",
    ),
    (
        "pgpass",
        ":*: :5432:",
        r":(?:\*|5432):[\w*.-]{1,60}:[\w*.-]{1,60}:(?P<value>[^\s:]{3,200})(?=\s|\Z)",
        "chosen",
        "postgresql.org, the password file",
    ),
    (
        "password hash",
        "$6$ $5$ $1$ $y$ $apr1$ $2a$ $2b$ $2y$ $argon2 $scrypt pbkdf2_sha",
        (
            r"(?:\$(?:apr1|1|5|6|y|2[aby]|argon2id?|scrypt)|pbkdf2_sha\d{1,3})\$"
            r"(?:v=\d{1,3}\$)?(?:[a-z0-9=,]{1,40}\$)?(?:rounds=\d{1,8}\$)?[./A-Za-z0-9$]{1,60}?\$"
            r"(?P<value>[./A-Za-z0-9]{20,100})"
        ),
        "any",
        "man7.org, crypt",
    ),
    (
        "hexadecimal private key",
        "private 私钥 秘密鍵",
        (
            r"""(?:private[_ -]{0,1}key|privkey|privatekey|私钥|秘密鍵)[\w]{0,12}["'`*)]{0,3}"""
            r"""(?:[ \t]{0,4}(?:[:=(]|is|=>|：|は|是)[ \t]{0,4}|[ \t]{1,4})["'`*]{0,3}"""
            r"(?P<value>(?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])"
        ),
        "any",
        "ethereum.org, accounts",
    ),
    (
        "wallet seed",
        "mnemonic seed recovery ニーモニック 助记词",
        (
            r"(?:mnemonic|seed|recovery|ニーモニック|助记词)(?:[_ -]?(?:phrase|words?|secret))?"
            r"""["'`*)]{0,3}(?:[ \t]{0,4}(?:[:=(]|is|=>|：|は|是)|[ \t])[ \t]{0,4}\n?"""
            r"""[ \t>]{0,8}["'`*]{0,3}(?P<value>[a-z]{3,8}(?:[ ,\n]{1,2}[a-z]{3,8}){11,23})"""
            r"(?![a-z ]*[a-z]{9})"
        ),
        "any",
        "BIP 39",
    ),
    (
        "WireGuard key",
        "privatekey presharedkey",
        r"(?:privatekey|presharedkey)[ \t]{0,4}=[ \t]{0,4}(?P<value>[A-Za-z0-9+/]{43}=)",
        "any",
        "wireguard.com, wg(8)",
    ),
    (
        "network devices",
        "password secret snmp-server isakmp md5 psk",
        (
            r"(?<![\w/.-])(?:enable[ ]|username[ ]\S{1,40}[ ]|privilege[ ]\d{1,2}"
            r"[ ])?(?:password|secret|snmp-server[ ]community|isakmp[ ]key|md5|pre-shared-key"
            r"""|psk)[ ](?:[0-9][ ])?(?P<value>[^\s"'`;,]{4,100})(?=[ ](?:address"""
            r"|ro|rw|0|encrypted)\b|[ ]?\r?(?:\n|\Z))"
        ),
        "device",
        "cisco.com, password commands",
    ),
    (
        "database connection",
        "pdo( getconnection( mysqli( mysqli_connect( pg_connect(",
        (
            r"(?:pdo|getconnection|mysqli|mysqli_connect)\([^()\n]{1,160}?,\s{0,20}"
            r"""["'][^"'\n]{0,64}["'],\s{0,20}["'](?P<value>[^"'\n]{3,200})"""
            r"""["']"""
        ),
        "chosen",
        "php.net, PDO; docs.oracle.com, DriverManager",
    ),
    (
        "user and password as arguments",
        "login( auth( auth=( credential( credentials( basic_auth( basicauth( authentication(",
        (
            r"(?:login|auth=?|credentials?|basic_auth|basicauth|authentication)\(\s{0,20}[rbu]?"
            r"""["'][^"'\n]{1,80}["'],\s{0,20}[rbu]?["'](?P<value>[^"'\n]{3,200})"""
            r"""["']"""
        ),
        "chosen",
        "docs.python.org, smtplib; learn.microsoft.com, NetworkCredential",
    ),
    (
        "secret beside its key id",
        "akia asia ltai akid",
        (
            r"(?:AKIA[A-Z2-7]{16}|ASIA[A-Z2-7]{16}|LTAI[A-Za-z0-9]{12,26}|AKID[A-Za-z0-9]{32})"
            r"""["'`]?[ \t]{0,4}[,:;/|\n][ \t]{0,8}["'`]?(?P<value>[A-Za-z0-9/+]{30,64})"""
            r"(?![A-Za-z0-9/+])"
        ),
        "random",
        "docs.aws.amazon.com; alibabacloud.com",
    ),
    (
        "Twilio account and token",
        "twilio",
        (
            r"""twilio[^\n]{0,80}?AC[0-9a-f]{32}["'`]?\s{0,4}[,:]\s{0,8}["'`]?"""
            r"(?P<value>[0-9a-f]{32})(?![0-9a-f])"
        ),
        "any",
        "twilio.com, auth tokens",
    ),
    (
        "cookie",
        "cookie",
        (
            r"""cookie["']?[ \t]{0,4}[:=,][ \t]{0,4}["']?(?:[\w.-]{1,60}=[^\s;"']{0,15}; ?){0,6}"""
            r"[\w.-]{1,60}=(?P<value>[A-Za-z0-9%._~+/-]{20,1000}={0,2})"
        ),
        "session",
        "RFC 6265",
    ),
    (
        "Wi-Fi code",
        "wifi:",
        r"wifi:(?:[A-Z]:[^;\n]{0,60};){1,4}?P:(?P<value>[^;\n]{4,70});",
        "any",
        "wi-fi.org, WPA3 specification",
    ),
    (
        "braces in an ODBC connection string",
        "pwd={ password={",
        r"(?:pwd|password)=\{(?P<value>[^}\s]{3,100})\};?",
        "device",
        "learn.microsoft.com, ODBC connection strings",
    ),
    (
        "key in the address of a function",
        "?code= &code= ?key= &key= ?token= &token= ?auth= &auth= ?apikey= &apikey=",
        r"[?&](?:code|key|token|auth|apikey)=(?P<value>[A-Za-z0-9_%/+-]{24,200}={0,2})",
        "random",
        "learn.microsoft.com, function access keys",
    ),
    (
        "Twitch token",
        "oauth:",
        r"oauth:(?P<value>[a-z0-9]{30})(?![a-z0-9])",
        "any",
        "dev.twitch.tv, IRC",
    ),
    (
        "recovery codes",
        "backup+code recovery+code scratch+code 2fa+code mfa+code",
        (
            r"""(?:backup|recovery|scratch|2fa|mfa)[ ]codes?["'`*)]{0,3}[ \t]{0,4}"""
            r"""[:=\n][\s"'`*>\[-]{0,12}(?P<value>[A-Za-z0-9]{4,6}[- ]?[A-Za-z0-9]{4,6}"""
            r"""(?:[\s,;"'`*>-]{1,10}[A-Za-z0-9]{4,6}[- ]?[A-Za-z0-9]{4,6}){0,20})"""
            r"(?![A-Za-z0-9])"
        ),
        "codes",
        "docs.github.com, recovery codes",
    ),
    (
        "key of an Ethereum account",
        "accounts wallet( --private-key",
        (
            r"""(?:accounts["']?\s{0,8}[:=]\s{0,8}\[\s{0,8}["']|wallet\(\s{0,8}["']|--private-key[ =])"""
            r"""(?P<value>(?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])"""
        ),
        "any",
        "hardhat.org, networks",
    ),
    (
        "Oracle thin driver",
        "jdbc:oracle:",
        r"""jdbc:oracle:\w{2,4}:[\w.-]{1,60}/(?P<value>[^\s@"']{3,100})@""",
        "command",
        "docs.oracle.com, JDBC URLs",
    ),
    (
        "SMTP authentication",
        "plainauth(",
        (
            r"""plainauth\(\s{0,8}["'][^"'\n]{0,80}["'],\s{0,8}["'][^"'\n]{0,80}["'],\s{0,8}"""
            r"""["'](?P<value>[^"'\n]{3,200})["']"""
        ),
        "command",
        "pkg.go.dev, net/smtp",
    ),
    (
        "generated password of a Terraform state",
        "random_password",
        r"""random_password["'][^\0]{0,600}?["']result["']\s{0,8}:\s{0,8}["'](?P<value>[^"'\n]{4,200})["']""",
        "any",
        "registry.terraform.io, random provider",
    ),
)

CONTEXTS = make_rules(_ROWS)
