r"""Masking of secrets in texts before they are stored, shown or sent.

Files that hold only secrets are never opened (setting `ingest.secret_files`). This module masks secrets inside of other
texts: in a guide, a test, a configuration. There are three classes:

- tokens with a form of their own (`ghp_…`, `AKIA…`, a private key between its two lines): always masked, unless they
  are a filler such as `ghp_xxxx`;
- passwords in URLs and headers (`https://me:…@host`, `Bearer …`);
- values assigned to a name such as `api_key` or `password`, if they look random or look like a real value. Code is full
  of `token = next_token()` and pages of "password: see below", so the second test depends on the type of the file.

HTML entities (`&quot;`) are decoded first. Hashes, identifiers and images in base64 have no such form and no such name,
and are not masked. The number of lines stays the same.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import zip_longest
from math import log2
from typing import Literal

from msgspec import Struct

from waymeet.ingest.filetypes import file_type
from waymeet.ingest.read import secret_patterns as patterns

MASK = b"[secret]"
_MIN_REPEATED, _MAX_REPEATED = 16, 128
"""Length of a value whose other occurrences are masked, too; a shorter one may be a common word."""
_MAX_REPEATED_VALUES = 32
"""Values whose other occurrences are searched for, the longest first."""

Span = tuple[int, int]
TextKind = Literal["config", "code", "prose"]


class MaskedText(Struct, frozen=True):
    """A text with masked secrets and their number."""

    text: str
    number: int = 0

    @property
    def warning(self) -> str:
        """Number of masked secrets in words, or "" if there are none."""
        return f"{self.number} secret{'s' * (self.number > 1)} masked" if self.number else ""


def mask_secrets(text: str, path: str = "") -> MaskedText:
    """Replace every secret in a text by `[secret]`, by the rules for the type of its path.

    >>> mask_secrets('url = "https://me:s3cr3t-42@host/"; token = next_token()')
    MaskedText(text='url = "https://me:[secret]@host/"; token = next_token()', number=1)
    >>> mask_secrets('api_key: "q8Zr4TnX2vLw9KbY7mPd"').text, mask_secrets("password = 'changeme'").number
    ('api_key: "[secret]"', 0)
    >>> mask_secrets("password: sunflower", "set.yaml").text, mask_secrets("password: sunflower", "guide.md").number
    ('password: [secret]', 0)
    """
    parts = split_secrets(text, path)
    if len(parts) == 1:
        return MaskedText(text)
    masks = (MASK.decode() + "\n" * secret.count("\n") for secret in parts[1::2])
    masked = "".join(part for pair in zip(parts[::2], (*masks, ""), strict=True) for part in pair)
    return MaskedText(masked, len(parts) // 2)


def split_secrets(text: str, path: str = "") -> list[str]:
    """Split a text into plain parts and secrets, in turn, with a plain part first and last.

    >>> split_secrets("https://me:s3cr3t-42@host/")
    ['https://me:', 's3cr3t-42', '@host/']
    """
    raw = text.encode("utf-8", "surrogatepass")
    spans = sorted(_find_secrets(raw, _text_kind(path)))
    if not spans:
        return [text]
    parts: list[bytes] = []
    position = 0
    for start, end in sorted({*spans, *find_repeats(raw, spans)}):
        if end <= position:
            continue  # inside of a span that is masked already
        begin = max(start, position)
        parts += (raw[position:begin], raw[begin:end])
        position = end
    return [part.decode("utf-8", "surrogatepass") for part in (*parts, raw[position:])]


def find_repeats(raw: bytes, spans: Sequence[Span]) -> Iterator[Span]:
    """Find all occurrences of the values at the given spans.

    >>> list(find_repeats(b"key = 0123456789abcdef; print: 0123456789abcdef", [(6, 22)]))
    [(6, 22), (31, 47)]
    """
    values = {raw[start:end] for start, end in spans if _MIN_REPEATED <= end - start <= _MAX_REPEATED}
    one_line = (value for value in values if b"\n" not in value)
    longest = sorted(one_line, key=lambda value: (-len(value), value))[:_MAX_REPEATED_VALUES]
    if longest:
        yield from (match.span() for match in re.finditer(b"|".join(map(re.escape, longest)), raw))


def _text_kind(path: str) -> TextKind:
    """Classify a file as configuration, where any value may be a secret, code or prose."""
    name = path.rpartition("/")[2].lower()
    kind, language = file_type(path)
    if language in patterns.CONFIG_LANGUAGES or re.match(r"\.env|docker-compose|dockerfile|\.\w+rc\Z", name):
        return "config"
    return "code" if kind == "code" else "prose"


def _find_secrets(raw: bytes, kind: TextKind) -> Iterator[Span]:
    """Find secrets in a text after decoding entities, as spans of the text before that."""
    entities = list(patterns.ENTITY.finditer(raw)) if b"&" in raw or b"\\_" in raw else []
    if not entities:
        yield from _find_in_plain(raw, kind)
        return
    plain = patterns.ENTITY.sub(_decode_entity, raw)
    positions, shifts = [], [0]
    for match in entities:
        positions.append(match.start() - shifts[-1])
        shifts.append(shifts[-1] + len(match.group()) - len(_decode_entity(match)))
    for span in _find_in_plain(plain, kind):
        start, end = (position + shifts[bisect_left(positions, position)] for position in span)
        yield start, end


def _decode_entity(match: re.Match[bytes]) -> bytes:
    """Decode an entity to its character, unless that is not a visible ASCII character."""
    character = unescape(match.group().removeprefix(b"\\").decode())
    return character.encode() if "!" <= character <= "~" else match.group()


def _find_in_plain(raw: bytes, kind: TextKind) -> Iterator[Span]:
    lower = raw.lower()
    if b"private key" in lower:
        yield from _find_private_keys(raw)
    yield from _find_tokens(raw)
    yield from _find_in_urls(raw)
    yield from _find_in_headers(raw, lower)
    yield from _find_assigned(raw, lower, kind)


def _find_private_keys(raw: bytes) -> Iterator[Span]:
    """Find the bodies of private keys, also those without a last line."""
    lines = [(match["which"], match.start(), match.end()) for match in patterns.KEY_LINE.finditer(raw)]
    for (which, _, start), following in zip_longest(lines, lines[1:]):
        end = min(following[1] if following else len(raw), start + patterns.MAX_KEY_BYTES)
        body = patterns.KEY_BODY.match(raw, start, end) if which == b"BEGIN" else None
        characters = sum(map(len, re.findall(rb"[A-Za-z0-9+/]{10,}+", body.group()))) if body else 0
        is_long = characters >= patterns.MIN_KEY_CHARACTERS
        if body and (is_long or (following and patterns.SHORT_KEY_BODY.fullmatch(raw, start, end))):
            yield start + raw.startswith(b"\n", start), start + len(body.group().rstrip(b"\n \t\"'"))


def _find_tokens(raw: bytes) -> Iterator[Span]:
    """Find tokens that have a form of their own."""
    # Only long runs of token bytes are searched: `find` on the translated text is much faster than an expression.
    runs, shortest = raw.translate(patterns.TOKEN_BYTES), b"a" * patterns.MIN_TOKEN_RUN
    start = runs.find(shortest)
    while start >= 0:
        run = patterns.TOKEN_RUN.match(runs, start)
        end = run.end() if run else start + patterns.MIN_TOKEN_RUN
        position = start
        while sign := patterns.TOKEN_START.search(raw, position, end):
            position = sign.start()
            offsets = patterns.TOKEN_START_OFFSETS.get(sign.group(), (0,))
            matches = (patterns.TOKEN.match(raw, max(position - offset, 0), end) for offset in offsets)
            token = next(filter(None, matches), None)
            if token and not _is_filler_token(token.group()):
                yield token.span()
            position = token.end() if token else sign.end()
        start = runs.find(shortest, end)


def _find_in_urls(raw: bytes) -> Iterator[Span]:
    """Find passwords in URLs and curl commands, and Slack webhooks."""
    for word, pattern in ((b"://", patterns.URL_PASSWORD), (b"curl", patterns.CURL_PASSWORD)):
        for match in filter(None, (pattern.match(raw, position) for position in _find_all(raw, word))):
            value = match["value"]
            if value.lower() not in patterns.COMMON_PASSWORDS and not patterns.TEMPLATE_IN_URL.search(value):
                yield match.span("value")
    for position in _find_all(raw, b"hooks.slack.com"):
        if hook := patterns.SLACK_WEBHOOK.match(raw, position):
            yield hook.span("value")


def _find_in_headers(raw: bytes, lower: bytes) -> Iterator[Span]:
    """Find credentials in authorization headers and account keys in connection strings."""
    for word in (b"bearer", b"basic", b"authorization"):
        for position in _find_all(lower, word):
            match = patterns.AUTH_HEADER.match(raw, position)
            if match and _is_credential(match["how"], match["value"]):
                yield match.span("value")
    for position in _find_all(lower, b"key="):
        if (match := patterns.ACCOUNT_KEY.match(raw, position)) and _is_random(match["value"]):
            yield match.span("value")


def _find_assigned(raw: bytes, lower: bytes, kind: TextKind) -> Iterator[Span]:
    """Find secret values that are assigned to a name such as `password`."""
    for word in patterns.SECRET_NAMES:
        for position in _find_all(lower, word):
            before = lower[max(position - 12, 0) : position]
            if before.endswith(b"publickey") or (word == b"key" and not before.endswith(patterns.KEY_PREFIXES)):
                continue
            match = patterns.ASSIGNMENT.match(raw, position)
            if match and _is_assignment(match) and (span := _secret_span(match, kind)):
                yield span


def _secret_span(match: re.Match[bytes], kind: TextKind) -> Span | None:
    """Return the span of an assigned value if it is a secret."""
    name = match["name"].lower()
    if value := match["quoted"]:
        is_secret = _is_random(value) or _is_real_value(value, name, kind) or _is_strong_password(value, name)
        return match.span("quoted") if is_secret else None
    value = match["bare"]
    if _is_random(value) and b":" not in value and b"?" not in value:
        return match.span("bare")
    return match.span("bare") if _is_complete(match, kind) and _is_real_value(value, name, kind) else None


def _is_strong_password(value: bytes, name: bytes) -> bool:
    """Return whether a password has characters of at least three classes."""
    if len(value) < 8 or not name.startswith((b"pass", b"pwd")) or patterns.FILLER.search(value):
        return False
    return sum(bool(characters.search(value)) for characters in patterns.CHARACTER_CLASSES) >= 3


def _is_assignment(match: re.Match[bytes]) -> bool:
    """Return whether the text between a name and a value assigns it: a bar only in a table."""
    sign = match["sign"]
    if sign not in {b"", b"|", b">"}:
        return True
    if sign == b">":
        return match.string.startswith(b"</", match.end())
    before = _before(match)
    return before.lstrip().startswith(b"|") if sign else patterns.FLAG_BEFORE_NAME.search(before) is not None


def _is_complete(match: re.Match[bytes], kind: TextKind) -> bool:
    """Return whether a value without quotes is a literal, not a type or a word of a sentence."""
    sign, raw = match["sign"], match.string
    if sign in {b"", b"|", b">"}:
        return True
    is_variable = sign == b"=" and not match["gap"] and match["name"].isupper()  # NAME=value
    if not (patterns.VALUE_END.match(raw, match.end()) or (is_variable and raw.startswith(b" ", match.end()))):
        return False
    before = _before(match)
    is_parameter = before.endswith((b";", b"&", b"?")) or patterns.FLAG_BEFORE_NAME.search(before)
    if kind == "config" or (sign == b"=" and is_parameter):
        return True
    is_comment = before.lstrip().startswith((b"#", b"//", b"*"))
    if kind == "code" and not is_variable and not is_comment:
        return False
    return (is_variable and kind == "prose") or patterns.LINE_START.match(before) is not None


def _before(match: re.Match[bytes]) -> bytes:
    """Return the text before a name on its line."""
    earliest = max(match.start() - patterns.MAX_BEFORE_NAME, 0)
    return match.string[max(match.string.rfind(b"\n", earliest, match.start()) + 1, earliest) : match.start()]


def _is_real_value(value: bytes, name: bytes, kind: TextKind) -> bool:
    """Return whether a value looks like a real one.

    In a configuration any value may, in other files no plain word.
    """
    value = value[: patterns.MAX_CHECKED]
    is_password = name.startswith((b"pass", b"pwd", b"secret"))
    if _is_placeholder(value) or _is_template(value, is_strict=not (is_password and kind == "config")):
        return False
    is_mixed = _is_mixed(value)
    if not is_password:
        return is_mixed and len(value) >= 8 and not patterns.FILLER.search(value)
    if kind == "config":
        return is_mixed or not (patterns.LABEL.fullmatch(value) or (value.isdigit() and name == b"secret"))
    return len(value) >= 6 and (is_mixed or (len(value) >= 12 and value.isalpha() and value.islower()))


def _is_placeholder(value: bytes) -> bool:
    """Return whether a value is empty, a reference, or made of placeholder words."""
    alphanumeric = _alphanumeric(value)
    is_reference = patterns.REFERENCE.match(value)
    return not alphanumeric or bool(is_reference) or patterns.PLACEHOLDER.fullmatch(alphanumeric) is not None


def _is_template(value: bytes, *, is_strict: bool) -> bool:
    """Return whether a value is to be filled in or computed."""
    return (patterns.TEMPLATE if is_strict else patterns.TEMPLATE_IN_CONFIG).search(value) is not None


def _is_mixed(value: bytes) -> bool:
    """Return whether a value mixes letters with digits, or has punctuation before its end."""
    if 0 < _count_digits(value) < len(_alphanumeric(value)):
        return True
    return not value.isdigit() and patterns.PUNCTUATION.search(value.rstrip(b"!?=")) is not None


def _alphanumeric(value: bytes) -> bytes:
    return re.sub(rb"[^a-z0-9]", b"", value.lower())


def _count_digits(value: bytes) -> int:
    return sum(48 <= code < 58 for code in value)


def _is_credential(scheme: bytes, value: bytes) -> bool:
    """Return whether a value after the name of an authorization scheme is a credential.

    `basic` is also a common word, so only random values count after it.
    """
    if _is_random(value):
        return True
    return scheme.lower() == b"bearer" and 2 <= _count_digits(value) < len(value) and not patterns.FILLER.search(value)


def _is_random(value: bytes) -> bool:
    """Return whether a value looks random: long, of high entropy, with short runs of letters.

    >>> _is_random(b"q8Zr4TnX2vLw9KbY7mPd"), _is_random(b"resetPasswordToken2024"), _is_random(b"request.headers.token")
    (True, False, False)
    """
    value = value[: patterns.MAX_CHECKED]
    runs = patterns.CHARACTER_RUN.findall(value)
    if len(value) < 16 or not runs or value.isdigit() or patterns.BRACKET.search(value):
        return False
    if patterns.FILLER.search(value):
        return False
    if patterns.HEX.fullmatch(value):
        return True
    mean_run = sum(map(len, runs)) / len(runs)
    entropy = -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())  # in bits
    digit_runs = sum(map(bytes.isdigit, runs))
    max_run = 2.3 if not digit_runs else 4.0 if digit_runs > 1 and value.isalnum() else 3.0
    return (mean_run < max_run and entropy > 3.1) or (digit_runs > 0 and mean_run < 4.5 and entropy > 4.2)


def _is_filler_token(token: bytes) -> bool:
    """Return whether a token only shows the form (`ghp_xxxx…`, Amazon's own EXAMPLE)."""
    if token.endswith(b"EXAMPLE"):
        return True
    if token.startswith(b"A") and len(token) == 20:  # Amazon's keys have a fixed length: only all X is a filler
        return set(token[4:]) == {88}
    return len(set(token[8:])) <= 4 or b"xxxx" in token.lower()


def _find_all(raw: bytes, word: bytes) -> Iterator[int]:
    """Yield the positions of a word."""
    position = raw.find(word)
    while position >= 0:
        yield position
        position = raw.find(word, position + len(word))
