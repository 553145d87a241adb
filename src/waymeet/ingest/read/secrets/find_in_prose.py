"""Finding secrets in sentences: "the password is …", in several languages."""

import re

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.find_assigned import OTHER_KEYS, SECRET_KEYS, TextKind
from waymeet.ingest.read.secrets.spans import Span, line_before


def _any(words: str) -> str:
    return "|".join(re.escape(word.replace("_", " ")) for word in sorted(words.split(), key=len, reverse=True))


_PASSWORDS = (
    "password passwd passphrase passcode passe pwd pass pw log_in sign_in login logins zugangsdaten credentials pin "
    "passwort kennwort losungswort zugangscode mot_de_passe mdp contraseña clave senha palavra-passe wachtwoord "
    "lösenord adgangskode salasana hasło parola пароль Пароль パスワード パスフレーズ 暗証番号 合言葉 ログイン情報 "
    "密码 密碼 口令 暗号 비밀번호 암호"
)
_OTHERS = (
    "token secret key キー 키 api_key apikey api-key access_key secret_key private_key credential credentials "
    "geheimnis schlüssel jeton clé ключ токен トークン シークレット apiキー api_キー アクセスキー 秘密鍵 "
    "密钥 秘钥 令牌 金鑰 토큰 api키"
)
_VERBS = (
    "with using mit is was are lautet ist war heißt heisst est était es era é er är on jest это set_to changed_to "
    "remains"
)
_ADVERBS = "now currently still jetzt nun aktuell simply just nur maintenant ahora"
_SENTENCE = re.compile(
    rf"""(?P<name>{_any(_PASSWORDS + " " + _OTHERS)})(?:s|en|es)?["'`*)]{{0,3}}
    (?: (?P<between>(?:[ ][^\n.:;!?"`=|<>{{}}()\[\]\#/]{{0,60}}?)?)
        (?:(?<=[ ])(?:{_any(_VERBS)})(?:[ ](?:{_any(_ADVERBS)}))?[ ]?:?[ ]
          |[ ]?(?P<link>->|→|⇒|—|–|:|=)[ ]?)
      | [ ]?(?:は|が|を|：|是|为|為|改成了?|改为了?|设为|設為|叫|는|은|가)[ ]?(?:今|現在|现在|目前)?
      | [ ](?P<loose>)(?:[(](?:now|currently|jetzt|aktuell)[ ]?:?[ ]?|(?=[`"'])|(?=“|„|「))
    )
    (?P<user>[\w.@-]{{2,40}}[ ]?(?:/|\\|,|:)[ ]?)?
    (?: (?:["'`*]{{1,2}}|“|‘|«[ ]?|「|『|„)
        (?P<quoted>(?:(?!”|’|»|」|』|“|‘)[^\s"'`*]){{4,100}})(?=["'`*]|”|’|[ ]?»|」|』|“|‘)
      | (?P<bare>[!-~]{{4,100}}) )
    """.replace("\n    ", "\n").encode(),
    re.VERBOSE | re.IGNORECASE,
)
_ACCOUNT_WORDS = (b"login", b"log in", b"sign in", b"credential", b"zugang", "ログイン".encode())
"""Words after which a user may precede the password: `login: ana / x`."""
_CODE = re.compile(rb"\w=|=[\"'\w]|[()<>{}\[\]]|^//|^\\\\")
"""Signs of code in a word."""
_SHORT_WORD = re.compile(rb"pin|pw|pass(?!w|p)|key|login", re.IGNORECASE)
"""Words that are also parts of other words, such as `spine`."""
_PIN = re.compile(rb"\d{4,8}")
_TRAILING = b".,;:!?)]}\"'`*"


def find_in_sentence(raw: bytes, position: int, kind: TextKind) -> Span | None:
    """Find the secret that a sentence gives after the name at a position."""
    if _SHORT_WORD.match(raw, position) and raw[position - 1 : position].isalpha():
        return None
    match = _SENTENCE.match(raw, position)
    if not match or (kind == "code" and match["link"] == b"="):
        return None
    return _secret_span(match)


_BEFORE_NAME = re.compile(
    rb"""(?:["'`]|\xe2\x80\x9c)(?P<value>[!-~]{4,60}?)(?:["'`]|\xe2\x80\x9d)
    [ ](?:as|is|was|als|ist|comme|como)[ ](?:(?:the|your|my|our|a|das|dein|ihr|le|la)[ ])?(?:[\w-]{1,20}[ ]){0,2}\Z""",
    re.VERBOSE,
)
"""A value in quotes before the name: `Use "x" as the password`."""
_WHOLE_NAME = re.compile(rb"(?:pass(?:word|phrase|code|wort)|token|secret|key|pin|kennwort)\b", re.IGNORECASE)


def find_before(raw: bytes, position: int) -> Span | None:
    """Find the secret that a sentence gives before the name at a position."""
    before = line_before(raw, position)
    match = _BEFORE_NAME.search(before) if before.endswith(b" ") and _WHOLE_NAME.match(raw, position) else None
    if (
        not match
        or _CODE.search(match["value"])
        or not (values.is_chosen(match["value"]) or values.is_strong_password(match["value"]))
    ):
        return None
    offset = position - len(before)
    return offset + match.start("value"), offset + match.end("value")


def _secret_span(match: re.Match[bytes]) -> Span | None:
    """Return the span of the value that a sentence gives, if it is a secret."""
    if match["user"] is not None and not match["name"].lower().startswith(_ACCOUNT_WORDS):
        return None
    if match["name"].lower() == b"key" and not _is_secret_key(
        match["quoted"] or match["bare"].rstrip(_TRAILING), match
    ):
        return None
    if value := match["quoted"]:
        return match.span("quoted") if _is_secret_quote(value, is_loose=match["loose"] is not None) else None
    value, start = match["bare"].rstrip(_TRAILING), match.start("bare")
    return (start, start + len(value)) if _is_secret_bare(value, match) else None


def _is_secret_quote(value: bytes, *, is_loose: bool) -> bool:
    """Return whether a value in quotes is a password rather than a name or a type."""
    if _CODE.search(value) or values.is_placeholder(value) or values.is_template(value, is_strict=True):
        return False
    return values.is_chosen(value) if is_loose else values.is_mixed(value) and not values.is_technical(value)


def _is_secret_bare(value: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a value without quotes is a secret."""
    is_pin = match["name"] == b"PIN" or (match["name"].lower() == b"pin" and not match["link"])
    if is_pin and _PIN.fullmatch(value):
        return True
    return len(value) >= 6 and not _CODE.search(value) and _is_secret_word(value)


def _is_secret_key(value: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a key is the kind of key that is secret."""
    before = match.string[max(match.start() - 16, 0) : match.start()].lower()
    if before.endswith(SECRET_KEYS):
        return values.is_random(value)
    return not before.rstrip(b"_- .").endswith(OTHER_KEYS) and values.is_machine_made(value)


def _is_secret_word(value: bytes) -> bool:
    """Return whether a word of a sentence is no word of a language."""
    if values.is_template(value, is_strict=True) or values.is_technical(value):
        return False
    if values.is_random(value):
        return True
    return not values.is_placeholder(value) and (values.is_strong_password(value) or values.is_chosen(value))
