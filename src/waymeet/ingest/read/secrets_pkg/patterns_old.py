"""Patterns and word lists of the secret detection in `secrets`.

Every expression is applied only where a word or a long run of characters gives a reason to, and backtracks little
(bounded or possessive repetition), so that masking reads tens of megabytes a second for any input.
"""

import re

TOKEN = re.compile(
    rb"""(?<![A-Za-z0-9_-])(?:
      (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])                       # Amazon
    | gh[pousr]_[A-Za-z0-9]{36,255}+ | github_pat_[A-Za-z0-9_]{36,255}+         # GitHub
    | gl(?:pat|ptt|dt|rt|soat|cbt|ft|imt|agent|oas)-[A-Za-z0-9_=.-]{20,300}+    # GitLab
    | xox[abceoprs]-[A-Za-z0-9-]{10,250}+ | xapp-\d-[A-Za-z0-9-]{20,250}+       # Slack
    | sk-(?:ant|proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{20,300}+                # Anthropic, OpenAI and others
    | sk-[A-Za-z0-9]{32,200}+
    | [srp]k_(?:live|test)_[A-Za-z0-9]{16,250}+ | whsec_[A-Za-z0-9+/=]{24,100}+           # Stripe
    | AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-]) | GOCSPX-[A-Za-z0-9_-]{28} | ya29\.[A-Za-z0-9_-]{20,500}+   # Google
    | npm_[A-Za-z0-9]{36,255}+ | pypi-[A-Za-z0-9_-]{50,400}+ | rubygems_[a-f0-9]{48}      # registries
    | SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}                                      # SendGrid
    | hf_[A-Za-z0-9]{30,60}+ | r8_[A-Za-z0-9]{37} | gsk_[A-Za-z0-9]{40,60}+               # models
    | do[oprt]_v1_[a-f0-9]{64} | dapi[a-f0-9]{32} | hv[sbr]\.[A-Za-z0-9_-]{24,300}+   # DigitalOcean and others
    | shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32} | lin_api_[A-Za-z0-9]{32,100}+ | PMAK-[a-f0-9]{24}-[a-f0-9]{34}
    | AGE-SECRET-KEY-1[0-9A-Z]{58} | \d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])        # age, Telegram
    | eyJ[A-Za-z0-9_-]{8,2000}+\.eyJ[A-Za-z0-9_-]{8,8000}+\.[A-Za-z0-9_-]{8,2000}+        # a signed token (JWT)
    )""",
    re.VERBOSE,
)
"""Tokens with a form of their own, by provider."""
TOKEN_START = re.compile(
    rb"A[KSBC][ICA]A|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox|xapp-|sk-|[srp]k_(?:live|test)_|whsec_|AIza|GOCSPX-|ya29\.|npm_"
    rb"|pypi-|rubygems_|SG\.|hf_|r8_|gsk_|_v1_|dapi|hv[sbr]\.|shp|lin_api_|PMAK-|AGE-|:AA|eyJ"
)
"""How tokens begin: searching for this is much quicker than for the whole pattern."""
TOKEN_START_OFFSETS = {b":AA": (8, 9, 10), b"_v1_": (3,)}
"""Distances from the start of a token to its `TOKEN_START` match, where that is not 0."""
MIN_TOKEN_RUN = 15
"""Shortest run of token bytes that is searched for tokens."""
TOKEN_BYTES = bytes(97 if (code < 128 and chr(code).isalnum()) or code in b"_.:+/=-" else 32 for code in range(256))
"""Translation of every byte a token can hold to `a`, so that `bytes.find` finds long runs of them quickly."""
TOKEN_RUN = re.compile(rb"a++")

KEY_LINE = re.compile(rb"-----(?P<which>BEGIN|END)(?: [A-Z0-9]{1,20}){0,4} PRIVATE KEY(?: BLOCK)?-----")
"""First and last line of a private key."""
KEY_BODY = re.compile(rb"""(?:[A-Za-z0-9+/=\s"',:;.#*>|()-]|\\[nrt\n])*+""")
SHORT_KEY_BODY = re.compile(
    rb"(?:(?:\n|\\[nr])[ \t#*>|]{0,8}+[A-Za-z0-9+/=]{4,}+[ \t]*+)+(?:\\r)?(?:\n|\\n)[ \t#*>|]*+"
)
"""The body of a key that is shorter than any real one. (A possessive group would fail before Python 3.11.5.)"""
MIN_KEY_CHARACTERS, MAX_KEY_BYTES = 48, 20_000
"""Fewest base64 characters of a real key, and bytes after which the search for its end stops."""

URL_PASSWORD = re.compile(rb"://[^\s/:@\"'<>`\\|]{0,100}+:(?P<value>[^\s/\"'<>`]{4,200})@(?=[\w\[$%{.-])")
"""`https://user:password@host`."""
SLACK_WEBHOOK = re.compile(
    rb"hooks\.slack\.com/services/(?P<value>T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{16,40}+)"
)
ACCOUNT_KEY = re.compile(rb"(?:account|sharedaccess)?key=(?P<value>[A-Za-z0-9+/]{40,100}+={0,2})", re.IGNORECASE)
AUTH_HEADER = re.compile(
    rb"(?P<how>bearer|basic|authorization:\s{0,3}token)[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}+={0,2})",
    re.IGNORECASE,
)
"""Value of an `Authorization` header."""
SECRET_NAMES = (b"pass", b"pwd", b"secret", b"token", b"credential", b"key")
"""Words in the names of secret values; the search starts at them."""
KEY_PREFIXES = tuple(
    word + between
    for word in b"api access secret auth private encryption signing account master service license app client".split()
    for between in (b"", b"_", b"-")
)
"""Words before `key` that make it the name of a secret: `api_key`, but not `sort_key`."""
ASSIGNMENT = re.compile(
    rb"""(?P<name>pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|key)
    (?:[_-]?(?:base|value|key|prod|dev|staging|live|\d{1,3}))?
    (?:\\{0,3}["'`])?[*]{0,2}(?:["'`]|\])?(?P<gap>[ \t]{0,8})
    (?P<sign> :[ \t]{0,4}[A-Za-z_][\w.\[\]|]{0,40}[ \t]{0,4}=(?!=)                      # a declared type may precede
      | :=|=>|=(?![=>~])|:(?!:)|\||>|(?<=[ \t]) )
    [*]{0,2}[ \t]{0,8}
    (?: (?:[rbuf]|@|\$)? (?P<quote>\\{0,3}["'`]) (?P<quoted>[!-~]{4,512}?) (?P=quote)
      | (?P<bare>[A-Za-z0-9+/_.~!@\#%^*?:-]{4,512}+={0,2}) (?=[\s,;&|<>)\]}"'`\\]|\Z) )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A secret name with its value: `password = "…"`, `"token": "…"`, `| key | … |`."""
FLAG_BEFORE_NAME = re.compile(rb"(?:(?:^|[\s\"'`])--[\w-]{0,40}|^[ \t]{0,20}ENV[ \t]{1,4}\w{0,60})\Z")
"""Text before a name whose value follows without `=` or `:`, as in `--password value`."""
LINE_START = re.compile(rb"""[ \t>\#/*-]{0,40}+(?:(?:export|set|env|-e)[ \t]{1,4})?[*"'`]{0,3}[\w.-]{0,60}\Z""")
"""Text before a name that begins its line, after comment signs, `export` and the like."""
VALUE_END = re.compile(rb"""[.]?["'`]{0,3}[ \t]{0,8}(?:\Z|[\n,;&}\])]|\#|//|\\n)""")
"""Text after a value without quotes that is complete."""
MAX_BEFORE_NAME = 120
"""Bytes of the line before a name that are looked at."""
CURL_PASSWORD = re.compile(
    rb"curl\b(?:[^\n]|\\\n){0,200}?[ \t](?:-u|--user)[ \t=]{0,2}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"'`]{4,200})"
)
"""`curl -u user:password`."""
FILLER = re.compile(
    rb"x{4}|\*{3}|\.{3}|<|>|\$\{|\$\(|\{\{|\}\}|%\(|%s|\[secret|change[_-]?(?:me|it)|example|placeholder|your"
    rb"|dummy|sample|redacted|masked|insert|replace|fake|mock|test|foobar|secret|passw|default|none|null",
    re.IGNORECASE,
)
"""Parts of example values."""
_PLACEHOLDER_WORDS = """
    your my the this some new old user username db api app access client auth oauth private public service password pass
    passwd passphrase passcode pwd pw secret token tokens key keys credential credentials change me it example sample an
    placeholder dummy test testing fake mock foo bar baz redacted masked hidden here insert replace default none null a
    true false yes no on off undefined empty string str text bytes integer int bool boolean number object any optional
    required todo value name field admin root guest postgres mysql rabbitmq mongo redis qwerty abc abcdef demo bearer v
    basic jwt csrf base64 sha md5 aes bcrypt hash hashed reset id input type wrong invalid bad good valid super is not
    with in to of and or for from see below enter env var file path url plain prompt ask inherit write read
    """.split()
PLACEHOLDER = re.compile(
    rf"(?:{'|'.join(sorted(_PLACEHOLDER_WORDS, key=len, reverse=True))}|x+|\d{{1,6}}\Z)++".encode()
)
"""A value made of placeholder words only, perhaps with a number at the end."""
TEMPLATE = re.compile(rb"x{4}|\*{3}|\.{3}|[<>()\[\]{}|`\"']|%s|%\w+%|://|\\[nu]", re.IGNORECASE)
"""Parts of values that are to be filled in or computed."""
TEMPLATE_IN_CONFIG = re.compile(rb"[xX]{4}|\*{3}|\.{3}|^[<\[({]|<[a-z]|[$%][({]|\{\{|\[secret|%s|://|\w\(.*\)")
"""The same in configuration files, where passwords may hold brackets and quotes."""
REFERENCE = re.compile(
    rb"[#./$@~%&*!:?-]{0,2}[\w.-]{0,60}+/[\w./*-]*+\Z|[#./$@%&*!:-][A-Za-z_.-]++\d?\Z"
    rb"|(?:self|this|config|settings|env|process|os)\.|[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++\Z|[A-Z]++(?:_[A-Z0-9]++)++\Z"
    rb"|[\w-]++:\Z|arn:"
)
"""A path, a variable or another reference to a value instead of a value."""
LABEL = re.compile(rb"[A-Z][a-z]+[.!?:*]*|[A-Za-z]+(?:[-_][A-Za-z]*){1,2}+|\d{1,5}")
"""A value in a configuration file that is a word or a number rather than a secret."""
PUNCTUATION = re.compile(rb"[!@#$%^&*?+=~]")
CONFIG_LANGUAGES = frozenset("json yaml toml ini properties dotenv docker xml".split())
BRACKET = re.compile(rb"[{}()\[\]|]")
"""Signs of code."""
COMMON_PASSWORDS = frozenset(
    map(str.encode, (*_PLACEHOLDER_WORDS, "changeme", "oauth2", "1234", "12345", "123456", "port"))
)
"""Passwords of examples."""
TEMPLATE_IN_URL = re.compile(rb"\*{3}|\.{3}|x{4}|[${}\[\]%<>()|/\"'`]", re.IGNORECASE)
"""The same as `TEMPLATE` in the password of a URL."""
ENTITY = re.compile(rb"&(?:quot|apos|amp|#\d{2,3}|#[xX][0-9a-fA-F]{2});|\\_")
"""HTML entities and escaped underscores of Markdown."""
MAX_CHECKED = 128
"""Number of bytes of a value that are checked."""
HEX = re.compile(rb"[0-9a-f]{20,}|[0-9A-F]{20,}")
CHARACTER_RUN = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|\d+")
"""Runs of letters of one case or of digits; random values have short runs."""
CHARACTER_CLASSES = tuple(map(re.compile, (rb"[a-z]", rb"[A-Z]", rb"\d", rb"[^A-Za-z0-9_.\- /]")))
"""Lower case, upper case, digits and punctuation."""
