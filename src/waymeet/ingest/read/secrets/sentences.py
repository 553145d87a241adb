"""Finding secrets in sentences: "the password is …", in several languages."""

import re
from waymeet.ingest.read.secrets import values
from waymeet.ingest.read.secrets.spans import Span


def _any(words: str) -> str:
    return "|".join(re.escape(word.replace("_", " ")) for word in sorted(words.split(), key=len, reverse=True))


_PASSWORDS = (
    "password passwd passphrase passcode pwd pass pw login logins zugangsdaten credentials pin passwort kennwort losungswort zugangscode mot_de_passe mdp "
    "contraseña clave senha palavra-passe wachtwoord lösenord adgangskode salasana hasło parola пароль "
    "パスワード パスフレーズ 暗証番号 合言葉 ログイン情報 密码 密碼 口令 暗号 비밀번호 암호"
)
_OTHERS = (
    "token secret api_key apikey api-key access_key secret_key private_key credential credentials geheimnis schlüssel "
    "jeton clé ключ токен トークン シークレット apiキー api_キー アクセスキー 秘密鍵 "
    "密钥 秘钥 令牌 金鑰 토큰 api키"
)
_VERBS = "is was are lautet ist war heißt heisst est était es era é er är on jest это set_to changed_to remains"
_SENTENCE = re.compile(
    rf"""(?P<name>{_any(_PASSWORDS + " " + _OTHERS)})(?:s|en|es)?["'`*)]{{0,3}}
    (?: (?P<between>(?:[ ][^\n.:;!?"'`=|<>{{}}()\[\]\#/]{{0,60}}?)?)
        (?:(?<=[ ])(?:{_any(_VERBS)})(?:[ ](?:now|currently|still|jetzt|nun|aktuell|simply|just|nur|maintenant|ahora))?[ ]?:?[ ]
          |[ ]?(?:->|→|⇒|—|–|:|=)[ ]?)
      | [ ]?(?:は|が|を|：|是|为|為|改成|改为|设为|設為|叫|는|은|가)[ ]?(?:今|現在|现在|目前)?
      | [ ](?:[(](?:now|currently|jetzt|aktuell)?[ ]?|(?=[`"'])|(?=“|„|「))
    )
    (?:[\w.@-]{{2,40}}[ ]?(?:/|\\|,)[ ]?)?
    (?: (?:["'`*]{{1,2}}|“|‘|«[ ]?|「|『|„)(?P<quoted>(?:(?!”|’|»|」|』|“|‘)[^\s"'`*]){{4,100}})(?=["'`*]|”|’|[ ]?»|」|』|“|‘)
      | (?P<bare>[!-~]{{6,100}}) )
    """.replace("\n    ", "\n").encode(),
    re.VERBOSE | re.IGNORECASE,
)
_TRAILING = b".,;:!?)]}\"'`*"


def find_in_sentence(raw: bytes, position: int) -> Span | None:
    """Find the secret that a sentence gives after the name at a position."""
    match = _SENTENCE.match(raw, position)
    return _secret_span(match) if match else None


def _secret_span(match: re.Match[bytes]) -> Span | None:
    if value := match["quoted"]:
        is_secret = not values.is_placeholder(value) and not values.is_template(value, is_strict=True)
        return match.span("quoted") if is_secret and _looks_chosen(value) else None
    value = match["bare"].rstrip(_TRAILING)
    start = match.start("bare")
    return (start, start + len(value)) if len(value) >= 6 and _is_secret_word(value) else None


def _looks_chosen(value: bytes) -> bool:
    """Return whether a quoted value may be a password rather than a name or a type."""
    return values.is_mixed(value) and not values.is_technical(value)


def _is_secret_word(value: bytes) -> bool:
    """Return whether a word of a sentence is no word of a language."""
    if values.is_template(value, is_strict=True) or values.is_technical(value):
        return False
    if values.is_random(value):
        return True
    return not values.is_placeholder(value) and (values.is_strong_password(value) or values.is_chosen(value))
