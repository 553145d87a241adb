"""Names of secret values, and finding the secrets that belong to a name."""

import re
from collections.abc import Iterator

from waymeet.ingest.read.secrets.find_assigned import TextKind, find_assigned
from waymeet.ingest.read.secrets.find_in_clause import find_in_clause
from waymeet.ingest.read.secrets.find_in_columns import find_in_column, find_in_insert
from waymeet.ingest.read.secrets.find_in_prose import find_before, find_in_sentence
from waymeet.ingest.read.secrets.find_in_yaml import find_in_block
from waymeet.ingest.read.secrets.spans import Span

NAMES = (
    b"pass",
    b"pw",
    b"secret",
    b"token",
    b"credential",
    b"key",
    b"auth",
    b"psk",
    b"pin",
    b"salt",
    b"bearer",
    b"sess",
    b"sid=",
    b"_pat",
    b"login",
    b"log in",
    b"sign in",
    b"kennwort",
    b"clave",
    b"senha",
    b"contrase",
    b"mdp",
    b"mot de pass",
    b"wachtwoord",
    b"parola",
    b"jeton",
    b"zugang",
    b"pepper",
    b"macaroon",
    b"masterauth",
    b"identifiant",
    b"logged in",
    b"community string",
)
"""Words in the names of secret values, at which the search starts."""
OTHER_NAMES = tuple(
    map(
        str.encode,
        (
            "geheimnis schlüssel clé пароль Пароль ключ Ключ токен Токен "
            "パス 暗証番号 合言葉 トークン シークレット キー 秘密鍵 "
            "密 口令 秘钥 令牌 金鑰 ログイン アカウント 账号 账户 비밀번호 암호 토큰 키"
        ).split(),
    )
)
"""The same in texts that are not ASCII."""


_VARIABLE = re.compile(rb"\$\{\w*\Z")
"""Text before a name in the reference to a variable, `${DB_PASSWORD:-x}`."""


def find_after_name(raw: bytes, lower: bytes, found: int, kind: TextKind) -> Iterator[Span]:
    """Find the secrets that belong to the name at a position."""
    position = found + lower.startswith(b"_", found)
    if _VARIABLE.search(raw, max(position - 40, 0), position):
        return
    for span in (
        find_assigned(raw, lower, position, kind),
        find_in_sentence(raw, position, kind),
        find_before(raw, position),
    ):
        if span:
            yield span
    yield from find_in_insert(raw, lower, position)
    if kind == "prose":
        yield from find_in_clause(raw, position)
    if kind != "code":
        yield from find_in_column(raw, position)
        yield from find_in_block(raw, position)
