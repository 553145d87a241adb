"""Finding values that are assigned to a name such as `password` or `api_key`."""

import re
from typing import Literal

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.spans import Span, line_before

TextKind = Literal["config", "code", "prose"]

SECRET_KEYS = tuple(
    word + between
    for word in (
        b"api access secret auth private encryption signing signature account master service license app client server "
        b"shared storage ssh deploy webhook admin crypt cipher rsa aes hmac jwt session sdk unseal recovery "
        b"integration consumer tacacs-server radius-server"
    ).split()
    for between in (b"", b"_", b"-", b" ", b".")
)
"""Words before `key` that make it the name of a secret: `api_key`, but not `sort_key`."""
OTHER_KEYS = tuple(
    (
        b"public primary foreign sort cache partition index map object hash unique composite row column dict lookup "
        b"message translation i18n range cluster group item host known publishable idempotency shortcut hot arrow "
        b"context data- websocket site"
    ).split()
)
"""Words before `key` that make it the name of something else."""
_SHORT_NAMES = (b"pw", b"pat", b"psk", b"auth", b"sid", b"sess", b"salt", b"bearer")
"""Names that are also parts of common words: they count only as whole words."""

_NAME = re.compile(
    rb"""(?P<name>pass(?:word|wd|phrase|code|wort|key)?|pwd|pw|psk|pat|secret|token|credentials?|key|authtok|auth|kennwort|clave
      |senha|contrase\xc3\xb1a|sess(?:ion)?(?:_?id)?|sid|salt|bearer|pepper|macaroon(?:hex)?|masterauth)
    (?:[_-]?(?:base|value|key|data|hash|text|plain|string|b64|base64|token|secret|tok|hex|prod|production|dev|staging|stage|live
      |test|old|new|main|primary|secondary|default|admin|root|user|app|db|ci|\d{1,3})){0,2}
    (?:[_-][a-z])?(?:[ ]\d{1,2})?(?![A-Za-z0-9])""",
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = rb"""(?:[rbuf]|@|\$|N)?(?P<quote>\\{0,3}["'`])(?P<quoted>[ -~]{3,8000}?)(?P=quote)"""
_BARE = rb"""(?P<bare>[A-Za-z0-9+/_.~!@\#%^*?$:-]{3,8000}+={0,2})(?=[\s,;&|<>)\]}"'`\\]|\Z)"""
_SIGN = re.compile(
    rb"""(?:\\{0,3}["'`])?[*]{0,2}(?:["'`]|\])?(?P<gap>[ \t]{0,8})
    (?P<sign> :[ \t]{0,4}[A-Za-z_&'][\w.\[\]|&'<> ]{0,40}?[ \t]{0,4}=(?!=)                 # a declared type may precede
      | :=|=>|={2,3}(?=[ ]?["'])|=(?![=>~])|:(?!:)|::(?=[ ])|\||>|(?<=[ \t]) )
    [*]{0,2}[ \t]{0,8}(?:"""
    + _QUOTED
    + rb"|"
    + _BARE
    + rb")",
    re.VERBOSE | re.IGNORECASE,
)
"""`password = "…"`, `"token": "…"`, `| key | … |`."""
_PHRASE = re.compile(
    rb"""(?:["'`]?[*]{0,2}[ \t]{0,4}[:=>][*]{0,2}[ \t]{0,4}|[ ](?P<quote>["'`]))
    (?P<phrase>[A-Za-z0-9'-]{2,20}(?:[ ][A-Za-z0-9'-]{2,20}){3,11})(?(quote)(?P=quote)|(?=[ \t]*(?:</|\r?\n|\Z|\#)))""",
    re.VERBOSE,
)
"""A passphrase of several words, without quotes, up to the end of the line."""
_CALL = re.compile(
    rb"""(?:
      # <add key="password" value="x">
      \\?["'`]?[ \t]{0,4}[,;>)]?\s{1,24}["']?(?:value|default|content)["']?[ \t]{0,4}[:=][ \t]{0,4}
      # define("DB_PASSWORD", "x"), setPassword("x")
      | (?P<form>\]?\\?["'`]\s{0,8},\s{0,8} | \([ \t]{0,4})
      # <key>password</key><string>x</string>
      | </key>\s{0,20}<string>
      # cy.get("#password").type("x")
      | \]?["'`]\)\s{0,8}\.\s{0,4}\w{2,12}\(\s{0,4}
      # "password": {"value": "x"
      | ["']?\s{0,4}:\s{0,8}\{\s{0,24}["']?value["']?[ \t]{0,4}[:=][ \t]{0,4}
      # variable "password" { default = "x" }
      | ["'`\]][ \t]{0,4}\{\s{1,40}(?:[a-z_]{1,20}[ \t]{0,8}=[^\n]{0,100}\s{1,40}){0,5}?default[ \t]{0,8}=[ \t]{0,4}
    )(?:"""
    + _QUOTED
    + rb"|"
    + _BARE
    + rb")",
    re.VERBOSE | re.IGNORECASE,
)
"""A name whose value is an argument or an attribute beside it."""
_FIRST_ARGUMENT = re.compile(rb"[\[({][ \t]{0,4}[\"'`][\w.#\[\]='\"-]{0,60}\Z")
"""Text before a name that is the first argument of a call, or of a pair."""
_FLAG_BEFORE_NAME = re.compile(
    rb"""(?: (?:^|[\s"'`])--?[\w-]{0,40}
      | ^[ \t]{0,20}(?:ENV|ARG|\#[ \t]{0,4}define|setx?|SET|setenv|property)[ \t]{1,8}
        (?:-\w{1,8}[ \t]{1,4}){0,3}[\w.]{0,60} )\Z""",
    re.VERBOSE,
)
"""Text before a name whose value follows without `=` or `:`, as in `--password value`."""
_PARAMETER_START = re.compile(rb"(?:^|[\s,;&?=\"'`:(])(?:-{1,2}D?)?(?:[\w-]{1,40}[.=])*[\w-]{0,40}\Z")
"""Text before a name that begins an argument: `-Dgpg.passphrase=x`, `--set db.password=x`, `user=a,password=x`."""
_LINE_START = re.compile(
    rb"""[ \t>\#/*+-]{0,40}+(?:(?:export|set|env|-e|\d{1,3}\.)[ \t]{1,4})?[*"'`]{0,3}[\w.-]{0,60}\Z"""
)
"""Text before a name that begins its line, after comment signs, `export` and the like."""
_LABEL_START = re.compile(
    rb"""[ \t>\#/*+-]{0,40}+(?:\d{1,3}\.[ \t]{1,4})?[*"'`]{0,3}[\w.-]{0,60}(?:[ ][\w.-]{1,20}){0,4}[ ]?\Z"""
)
"""Text before a name at the end of a label, as in `Admin password:`."""
_DIRECTIVE_START = re.compile(rb"[ \t]{0,20}(?:[\w.-]{1,30}[ ]){0,2}[\w.-]{0,40}")
"""Text before a name that begins a line of settings."""
_LINE_END = re.compile(rb"[ \t;]*(?:\r?\n|\Z)")
_VALUE_END = re.compile(rb"""[.]?["'`*]{0,3}[ \t]{0,8}(?:\Z|[\n,;&}\])]|\#|//|\\n|-->)""")
"""Text after a value without quotes that is complete."""


def find_assigned(raw: bytes, lower: bytes, position: int, kind: TextKind) -> Span | None:
    """Find the secret value that is assigned to the name at a position."""
    name = _NAME.match(raw, position)
    if not name or not _is_secret_name(lower, position, name):
        return None
    is_doubtful = _is_doubtful(lower, position, name)
    is_phrase_name = name["name"].lower().startswith((b"pass", b"secret", b"kennwort"))
    if is_phrase_name and (phrase := _PHRASE.match(raw, name.end())):
        return phrase.span("phrase") if values.is_passphrase(phrase["phrase"]) else None
    match = _SIGN.match(raw, name.end())
    if match and _is_assignment(match, name):
        return _secret_span(match, name, kind, is_doubtful=is_doubtful)
    match = _CALL.match(raw, name.end())
    if not match or not _is_argument(match, name):
        return None
    return _secret_span(match, name, kind, is_doubtful=is_doubtful)


def _is_doubtful(lower: bytes, position: int, name: re.Match[bytes]) -> bool:
    """Return whether a name is often that of something else, so that only random values count."""
    word = name["name"]
    if word.lower() in {b"sid", b"salt"} or word.lower().startswith(b"sess"):
        return True
    is_variable = word.isupper() and name.string[position - 1 : position] == b"_"  # OPENWEATHER_KEY
    is_secret_key = lower[max(position - 16, 0) : position].endswith(SECRET_KEYS)
    return word.lower() == b"key" and not is_secret_key and not is_variable


def _is_argument(match: re.Match[bytes], name: re.Match[bytes]) -> bool:
    """Return whether the value beside a name belongs to it.

    It does in `define("DB_PASSWORD", "x")`, but not in a list of words.
    """
    if match["form"] is None:
        return True
    if match["bare"]:
        return False
    return match["form"].startswith(b"(") or _FIRST_ARGUMENT.search(line_before(name.string, name.start())) is not None


def _is_secret_name(lower: bytes, position: int, name: re.Match[bytes]) -> bool:
    """Return whether a word is the name of a secret: `api_key`, but not `sort_key` or `compass`."""
    before, word = lower[max(position - 16, 0) : position], name["name"].lower()
    if before.endswith((b"publickey", b"public_key_", b"csrf", b"xsrf")):
        return False
    if word == b"key":
        return not before.rstrip(b"_- .").endswith(OTHER_KEYS)
    if word.startswith(_SHORT_NAMES):
        return not before[-1:].isalpha() or name.string[position : position + 1].isupper()
    return True


def _secret_span(match: re.Match[bytes], name: re.Match[bytes], kind: TextKind, *, is_doubtful: bool) -> Span | None:
    """Return the span of an assigned value if it is a secret."""
    word = name["name"].lower()
    group = "quoted" if match["quoted"] else "bare"
    value = match[group]
    if is_doubtful:
        return match.span(group) if values.is_machine_made(value) else None
    if word == b"auth":
        return match.span(group) if values.is_basic_credential(value) else None
    if group == "quoted":
        return match.span(group) if _is_secret_literal(value, word, kind) else None
    if values.is_random(value) and b":" not in value and b"?" not in value and b"$" not in value[:1]:
        return match.span(group)
    is_complete = "sign" not in match.groupdict() or _is_complete(match, name, kind)
    return match.span(group) if is_complete and _is_real(value, word, kind) else None


def _is_secret_literal(value: bytes, word: bytes, kind: TextKind) -> bool:
    """Return whether a quoted value is a secret."""
    if b" " in value:
        return word.startswith((b"pass", b"secret", b"kennwort")) and values.is_passphrase(value)
    is_strong = word.startswith((b"pass", b"pw", b"psk")) and values.is_strong_password(value)
    return values.is_random(value) or _is_real(value, word, kind) or is_strong or values.is_symbol_mix(value)


def _is_real(value: bytes, word: bytes, kind: TextKind) -> bool:
    is_password = word.startswith((b"pass", b"pw", b"psk", b"secret", b"kennwort", b"clave", b"senha", b"contrase"))
    if word == b"secret" and kind == "config" and value.isdigit():
        return False
    return values.is_real_value(value, is_password=is_password, in_config=kind == "config")


def _is_assignment(match: re.Match[bytes], name: re.Match[bytes]) -> bool:
    """Return whether the text between a name and a value assigns it: a bar only in a table."""
    sign = match["sign"]
    if sign not in {b"", b"|", b">"}:
        return True
    if sign == b">":
        return match.string.startswith((b"</", b"</"), match.end())
    before = line_before(match.string, name.start())
    if sign:
        return before.lstrip().startswith(b"|")
    return _FLAG_BEFORE_NAME.search(before) is not None or _is_directive(match, before)


def _is_directive(match: re.Match[bytes], before: bytes) -> bool:
    """Return whether a line is a name and a value with a blank between: `requirepass x`."""
    value = match["bare"]
    if not value or not _LINE_END.match(match.string, match.end()):
        return False
    is_strong = values.is_strong_password(value) or values.is_machine_made(value)
    if _DIRECTIVE_START.fullmatch(before):
        return is_strong or (b" " not in before.strip() and values.is_chosen(value))
    return values.is_machine_made(value) and before[-1:] in {b"-", b"_", b" "}


def _is_complete(match: re.Match[bytes], name: re.Match[bytes], kind: TextKind) -> bool:
    """Return whether a value without quotes is a literal, not a type or a word of a sentence."""
    sign, raw = match["sign"], match.string
    if sign in {b"", b"|", b">"}:
        return True
    is_tight = sign == b"=" and not match["gap"]  # name=value
    is_variable = is_tight and name["name"].isupper()
    may_continue = is_variable or (is_tight and kind == "prose")
    if not (_VALUE_END.match(raw, match.end()) or (may_continue and raw.startswith(b" ", match.end()))):
        return False
    before = line_before(raw, name.start())
    if kind == "config" or (sign == b"=" and _is_parameter(before)):
        return True
    if kind == "code":
        return (is_variable or before.lstrip().startswith((b"#", b"//", b"*"))) and _is_line_start(before, sign, kind)
    return (
        is_variable or (is_tight and _PARAMETER_START.search(before) is not None) or _is_line_start(before, sign, kind)
    )


def _is_parameter(before: bytes) -> bool:
    """Return whether the text before a name makes it a parameter of a URL or a command."""
    return before.endswith((b";", b"&", b"?")) or _FLAG_BEFORE_NAME.search(before) is not None


def _is_line_start(before: bytes, sign: bytes, kind: TextKind) -> bool:
    """Return whether a name begins its line, or ends the label that does."""
    return (_LABEL_START if sign == b":" and kind == "prose" else _LINE_START).match(before) is not None
