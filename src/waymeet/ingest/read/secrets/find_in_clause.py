"""Finding passwords in notes: words that no language has, near a word for a password.

People write "use X as the password", "pw X", "admin/X (login)", or a heading with the value below it. So in prose, the
line of such a word and the lines after it are searched for words that look like a password.
"""

import re
from collections.abc import Iterator

from waymeet.ingest.read.secrets import value_tests as values
from waymeet.ingest.read.secrets.spans import Span, find_line_end, find_line_start

_NAME = re.compile(
    "(?:password|passwd|passphrase|passcode|passwort|kennwort|wachtwoord|parola|contrase|senha|mot de passe|mdp"
    "|clave|community string|пароль|Пароль|パスワード|密码|密碼|口令|비밀번호|ログイン|アカウント|账号|账户"
    "|credential|zugang|identifiant|log(?:ged)?[ -]?in(?:to)?\\b|sign in\\b"
    "|(?<![a-z])(?:pass|pw|pwd|psk|pin|login)\\b)".encode(),
    re.IGNORECASE,
)
"""Words for a password or a login."""
_KEY_NAME = re.compile(
    (
        "(?:api[ -]?(?:key|token|schl)|access token|token|secret|jeton|clé d.api|schlüssel|ключ|токен|キー|トークン"
        "|密钥|令牌|키)"
    ).encode(),
    re.IGNORECASE,
)
"""Words for another secret."""
_WORD = re.compile(rb"[A-Za-z0-9!@#$%^&*+~?._-]{8,64}")
_BEFORE, _AFTER = frozenset(b" \t`\"'(*/:,>|\xa0"), frozenset(b" \t`\"')*,;.:>|")
"""Bytes beside a word that stands for itself."""
_LINES_AFTER = 3
_MAX_LINE = 600


def find_in_clause(raw: bytes, position: int) -> Iterator[Span]:
    """Find words that look like a password, from the line of a name at a position on."""
    is_password = _NAME.match(raw, position) is not None
    if not is_password and not _KEY_NAME.match(raw, position):
        return
    start = find_line_start(raw, position, _MAX_LINE)
    end = find_line_end(raw, start, _MAX_LINE + 1)
    if start < 0 or end - start > _MAX_LINE:
        return
    for word in _WORD.finditer(raw, start, end):
        if _stands_alone(raw, word) and _is_password_word(_strip(word.group()), is_password=is_password):
            yield word.start(), word.start() + len(_strip(word.group()))
    yield from _find_below(raw, end, is_password=is_password)


def _find_below(raw: bytes, end: int, *, is_password: bool) -> Iterator[Span]:
    """Find a password that is the last word of one of the next lines."""
    for _ in range(_LINES_AFTER):
        start, end = end + 1, find_line_end(raw, end + 1, _MAX_LINE)
        words = list(_WORD.finditer(raw, start, min(end, start + _MAX_LINE))) if start < len(raw) else []
        if words and raw[words[-1].end() : end].strip(b" \t`\"'*).") == b"" and _stands_alone(raw, words[-1]):
            value = _strip(words[-1].group())
            if _is_password_word(value, is_password=is_password) and values.is_scattered(value):
                yield words[-1].start(), words[-1].start() + len(value)


def _strip(word: bytes) -> bytes:
    """Remove the punctuation of a sentence from the end of a word."""
    return word.rstrip(b".,?_-") if not word.endswith(b"!") else word


def _stands_alone(raw: bytes, word: re.Match[bytes]) -> bool:
    """Return whether a word is not a part of a path, a URL, an address or an expression."""
    before, after = raw[word.start() - 1 : word.start()], raw[word.end() : word.end() + 1]
    is_start = not before or before == b"\n" or before[0] in _BEFORE or before[0] >= 0x80
    is_end = not after or after in {b"\n", b"\r"} or after[0] in _AFTER or after[0] >= 0x80
    is_path = before == b"/" and raw[word.start() - 2 : word.start() - 1] not in {b" ", b"n", b"t", b"r"}
    return is_start and is_end and not is_path and b"@" not in word.group() and not _is_in_url(raw, word.start())


def _is_in_url(raw: bytes, position: int) -> bool:
    """Return whether a position is inside of a URL."""
    earliest = max(position - _MAX_LINE, 0)
    start = max(raw.rfind(sign, earliest, position) for sign in (b" ", b"\n")) + 1
    return b"://" in raw[max(start, earliest) : position]


def _is_password_word(value: bytes, *, is_password: bool) -> bool:
    """Return whether a word looks like a password or a token."""
    if (
        len(value) < 8
        or _KEYS_OR_CODES.search(value)
        or values.is_placeholder(value)
        or values.is_technical(value)
        or values.has_filler(value)
    ):
        return False
    if not is_password:
        return values.is_machine_made(value)
    return values.is_scattered(value) or _WORDS_AND_NUMBER.fullmatch(value) is not None


_KEYS_OR_CODES = re.compile(rb"%[0-9A-F]{2}|^(?:[A-Z][a-z]+[-+])+\w{1,4}$|^[A-Z]{2,}-\d")
"""Keys of a keyboard, characters of a URL, numbers of standards."""
_WORDS_AND_NUMBER = re.compile(
    rb"[a-z]{4,}[-_][a-z]{4,}[-_]\d{2,5}|[A-Z][a-z]{3,}[_-]?(?:[A-Z][a-z]{3,})?\d{2,4}[!?#$]"
)
"""Words with a number: `harbor-cactus-6420`, `ThunderIsland5817!`."""
