r"""Masking what looks like a secret, before anything of a text is kept, shown or sent.

Files that hold nothing else are never opened (setting `ingest.secret_files`). Here it is about a key that stands in the
middle of something worth finding: in a guide, a test, a configuration. Three sorts are told apart:

- tokens whose very form says what they are (`ghp_…`, `AKIA…`, a private key between its two lines): always masked,
  unless they are a filler such as `ghp_xxxx`;
- passwords in addresses and headers (`https://me:…@host`, `Bearer …`);
- values given to a name such as `api_key` or `password`: where they look drawn by lot, or chosen by somebody. Code is
  full of `token = next_token()` and pages of "password: see below", so that what counts as chosen depends on the file.
  What is written by entities (`&quot;`) is looked at as it reads.

Hashes, identifiers and pictures in base64 have no such form and no such name, and stay. The number of lines stays the
same. Each expression is tried only where a word or a long run of letters gives reason to, and reads on without coming
back far (bounded or possessive repetition): tens of megabytes a second, whatever the text.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import zip_longest
from math import log2

from msgspec import Struct

from waymeet.ingest.filetypes import file_type

_SHORTEST, _LONGEST = 16, 128
"""Of this length a value is a secret also where nothing says so; a shorter one may be a common word."""
_MOST = 32
"""How many values are looked for, the longest first."""


def again(raw: bytes, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Find the values that stand in some places wherever they stand.

    >>> list(again(b"key = 0123456789abcdef; print: 0123456789abcdef", [(6, 22)]))
    [(6, 22), (31, 47)]
    """
    values = {raw[start:end] for start, end in places if _SHORTEST <= end - start <= _LONGEST}
    known = sorted((each for each in values if b"\n" not in each), key=lambda each: (-len(each), each))[:_MOST]
    if known:
        yield from (found.span() for found in re.finditer(b"|".join(map(re.escape, known)), raw))


MASK = b"[secret]"
Span = tuple[int, int]

_TOKEN = re.compile(
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
_SIGN = re.compile(
    rb"A[KSBC][ICA]A|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox|xapp-|sk-|[srp]k_(?:live|test)_|whsec_|AIza|GOCSPX-|ya29\.|npm_"
    rb"|pypi-|rubygems_|SG\.|hf_|r8_|gsk_|_v1_|dapi|hv[sbr]\.|shp|lin_api_|PMAK-|AGE-|:AA|eyJ"
)
"""How tokens begin: looking for this is much quicker than for the whole form."""
_BACKS = {b":AA": (8, 9, 10), b"_v1_": (3,)}
"""How far before its sign a token begins, where it does not begin with it."""
_LEAST = 15
_RUNS = bytes(97 if (code < 128 and chr(code).isalnum()) or code in b"_.:+/=-" else 32 for code in range(256))
"""Turns everything a token can hold into one letter, so that a long run of it is found at the speed of `find`."""
_RUN_END = re.compile(rb"a++")

_KEY_LINE = re.compile(rb"-----(?P<which>BEGIN|END)(?: [A-Z0-9]{1,20}){0,4} PRIVATE KEY(?: BLOCK)?-----")
_KEY_TEXT = re.compile(rb"""(?:[A-Za-z0-9+/=\s"',:;.#*>|()-]|\\[nrt\n])*+""")
_KEY_SHORT = re.compile(rb"(?:(?:\n|\\[nr])[ \t#*>|]{0,8}+[A-Za-z0-9+/=]{4,}+[ \t]*+)+(?:\\r)?(?:\n|\\n)[ \t#*>|]*+")
"""The whole of a key that is shorter than any real one. (A possessive group would fail before Python 3.11.5.)"""
_KEY_LEAST, _KEY_MOST = 48, 20_000

_IN_ADDRESS = re.compile(rb"://[^\s/:@\"'<>`\\|]{0,100}+:(?P<value>[^\s/\"'<>`]{4,200})@(?=[\w\[$%{.-])")
_IN_WEBHOOK = re.compile(rb"hooks\.slack\.com/services/(?P<value>T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{16,40}+)")
_IN_ACCOUNT = re.compile(rb"(?:account|sharedaccess)?key=(?P<value>[A-Za-z0-9+/]{40,100}+={0,2})", re.IGNORECASE)
_IN_HEADER = re.compile(
    rb"(?P<how>bearer|basic|authorization:\s{0,3}token)[ \t]{1,3}(?P<value>[A-Za-z0-9._~+/-]{16,2000}+={0,2})",
    re.IGNORECASE,
)
_WORDS = (b"pass", b"pwd", b"secret", b"token", b"credential", b"key")
_BEFORE_KEY = tuple(
    word + between
    for word in b"api access secret auth private encryption signing account master service license app client".split()
    for between in (b"", b"_", b"-")
)
_GIVEN = re.compile(
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
_FLAG = re.compile(rb"(?:(?:^|[\s\"'`])--[\w-]{0,40}|^[ \t]{0,20}ENV[ \t]{1,4}\w{0,60})\Z")
"""What precedes a name whose value follows without a sign."""
_ALONE = re.compile(rb"""[ \t>\#/*-]{0,40}+(?:(?:export|set|env|-e)[ \t]{1,4})?[*"'`]{0,3}[\w.-]{0,60}\Z""")
_ENDS = re.compile(rb"""[.]?["'`]{0,3}[ \t]{0,8}(?:\Z|[\n,;&}\])]|\#|//|\\n)""")
_LINE = 120
_BY_HAND = re.compile(
    rb"curl\b(?:[^\n]|\\\n){0,200}?[ \t](?:-u|--user)[ \t=]{0,2}[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"'`]{4,200})"
)
_FILLER = re.compile(
    rb"x{4}|\*{3}|\.{3}|<|>|\$\{|\$\(|\{\{|\}\}|%\(|%s|\[secret|change[_-]?(?:me|it)|example|placeholder|your"
    rb"|dummy|sample|redacted|masked|insert|replace|fake|mock|test|foobar|secret|passw|default|none|null",
    re.IGNORECASE,
)
_MEANT = """
    your my the this some new old user username db api app access client auth oauth private public service password pass
    passwd passphrase passcode pwd pw secret token tokens key keys credential credentials change me it example sample an
    placeholder dummy test testing fake mock foo bar baz redacted masked hidden here insert replace default none null a
    true false yes no on off undefined empty string str text bytes integer int bool boolean number object any optional
    required todo value name field admin root guest postgres mysql rabbitmq mongo redis qwerty abc abcdef demo bearer v
    basic jwt csrf base64 sha md5 aes bcrypt hash hashed reset id input type wrong invalid bad good valid super is not
    with in to of and or for from see below enter env var file path url plain prompt ask inherit write read
    """.split()
_PLACEHOLDER = re.compile(rf"(?:{'|'.join(sorted(_MEANT, key=len, reverse=True))}|x+|\d{{1,6}}\Z)++".encode())
"""A value that is nothing but words for what belongs there, with a number behind them perhaps."""
_SHOWN_IN = re.compile(rb"x{4}|\*{3}|\.{3}|[<>()\[\]{}|`\"']|%s|%\w+%|://|\\[nu]", re.IGNORECASE)
_SHOWN_IN_SETTINGS = re.compile(rb"[xX]{4}|\*{3}|\.{3}|^[<\[({]|<[a-z]|[$%][({]|\{\{|\[secret|%s|://|\w\(.*\)")
_NO_VALUE = re.compile(
    rb"[#./$@~%&*!:?-]{0,2}[\w.-]{0,60}+/[\w./*-]*+\Z|[#./$@%&*!:-][A-Za-z_.-]++\d?\Z"
    rb"|(?:self|this|config|settings|env|process|os)\.|[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++\Z|[A-Z]++(?:_[A-Z0-9]++)++\Z"
    rb"|[\w-]++:\Z|arn:"
)
"""What refers to a value, or shows where one belongs."""
_LABEL = re.compile(rb"[A-Z][a-z]+[.!?:*]*|[A-Za-z]+(?:[-_][A-Za-z]*){1,2}+|\d{1,5}")
_MARKS = re.compile(rb"[!@#$%^&*?+=~]")
_CONFIG = frozenset("json yaml toml ini properties dotenv docker xml".split())
_CODE = re.compile(rb"[{}()\[\]|]")
_USUAL = frozenset(map(str.encode, (*_MEANT, "changeme", "oauth2", "1234", "12345", "123456", "port")))
_SHOWN = re.compile(rb"\*{3}|\.{3}|x{4}|[${}\[\]%<>()|/\"'`]", re.IGNORECASE)
_ESCAPED = re.compile(rb"&(?:quot|apos|amp|#\d{2,3}|#[xX][0-9a-fA-F]{2});|\\_")
_JUDGED = 128
"""How much of a value is looked at."""
_HEX = re.compile(rb"[0-9a-f]{20,}|[0-9A-F]{20,}")
_PIECE = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|\d+")
_SORTS = tuple(map(re.compile, (rb"[a-z]", rb"[A-Z]", rb"\d", rb"[^A-Za-z0-9_.\- /]")))


class MaskedText(Struct, frozen=True):
    """A text without its secrets, and how many there were."""

    text: str
    number: int = 0

    @property
    def note(self) -> str:
        """Say how many secrets are masked; nothing if there are none."""
        return f"{self.number} secret{'s' * (self.number > 1)} masked" if self.number else ""


def mask_secrets(text: str, path: str = "") -> MaskedText:
    """Replace every secret in a text; the path tells what sort of text it is.

    >>> mask_secrets('url = "https://me:s3cr3t-42@host/"; token = next_token()')
    MaskedText(text='url = "https://me:[secret]@host/"; token = next_token()', number=1)
    >>> mask_secrets('api_key: "q8Zr4TnX2vLw9KbY7mPd"').text, mask_secrets("password = 'changeme'").number
    ('api_key: "[secret]"', 0)
    >>> mask_secrets("password: sunflower", "set.yaml").text, mask_secrets("password: sunflower", "guide.md").number
    ('password: [secret]', 0)
    """
    raw = text.encode("utf-8", "surrogatepass")
    places = sorted(_read_places(raw, _sort(path)))
    if not places:
        return MaskedText(text)
    places = sorted({*places, *again(raw, places)})
    parts: list[bytes] = []
    at = number = 0
    for start, end in places:
        if end <= at:
            continue  # inside of one that is masked already
        parts += (raw[at : max(start, at)], MASK, b"\n" * raw.count(b"\n", start, end))
        at, number = end, number + 1
    return MaskedText(b"".join((*parts, raw[at:])).decode("utf-8", "surrogatepass"), number)


def _sort(path: str) -> str:
    """Tell settings, where every value is one, from code and from everything else."""
    name = path.rpartition("/")[2].lower()
    kind, language = file_type(path)
    if language in _CONFIG or re.match(r"\.env|docker-compose|dockerfile|\.\w+rc\Z", name):
        return "config"
    return "code" if kind == "code" else "prose"


def _read_places(raw: bytes, sort: str) -> Iterator[Span]:
    """Find secrets in a text as it reads, and where they stand as it is written."""
    written = list(_ESCAPED.finditer(raw)) if b"&" in raw or b"\\_" in raw else []
    if not written:
        yield from _places(raw, sort)
        return
    plain = _ESCAPED.sub(_letter, raw)
    ats, shifts = [], [0]
    for match in written:
        ats.append(match.start() - shifts[-1])
        shifts.append(shifts[-1] + len(match.group()) - len(_letter(match)))
    for span in _places(plain, sort):
        start, end = (each + shifts[bisect_left(ats, each)] for each in span)
        yield start, end


def _letter(match: re.Match[bytes]) -> bytes:
    """Give the letter that an entity stands for; one that is no visible letter of ASCII stays."""
    letter = unescape(match.group().removeprefix(b"\\").decode())
    return letter.encode() if "!" <= letter <= "~" else match.group()


def _places(raw: bytes, sort: str) -> Iterator[Span]:
    low = raw.lower()
    if b"private key" in low:
        yield from _keys(raw)
    yield from _tokens(raw)
    yield from _in_addresses(raw)
    yield from _in_headers(raw, low)
    yield from _given(raw, low, sort)


def _keys(raw: bytes) -> Iterator[Span]:
    """Find what stands between the two lines of a private key, or behind the first where the second is missing."""
    lines = [(match["which"], match.start(), match.end()) for match in _KEY_LINE.finditer(raw)]
    for (which, _, begin), following in zip_longest(lines, lines[1:]):
        end = min(following[1] if following else len(raw), begin + _KEY_MOST)
        body = _KEY_TEXT.match(raw, begin, end) if which == b"BEGIN" else None
        letters = sum(map(len, re.findall(rb"[A-Za-z0-9+/]{10,}+", body.group()))) if body else 0
        if body and (letters >= _KEY_LEAST or (following and _KEY_SHORT.fullmatch(raw, begin, end))):
            yield begin + raw.startswith(b"\n", begin), begin + len(body.group().rstrip(b"\n \t\"'"))


def _tokens(raw: bytes) -> Iterator[Span]:
    """Find tokens that can be told by their form."""
    runs = raw.translate(_RUNS)
    start = runs.find(b"a" * _LEAST)
    while start >= 0:
        run = _RUN_END.match(runs, start)
        end = run.end() if run else start + _LEAST
        at = start
        while sign := _SIGN.search(raw, at, end):
            at = sign.start()
            backs = _BACKS.get(sign.group(), (0,))
            token = next((found for back in backs if (found := _TOKEN.match(raw, max(at - back, 0), end))), None)
            if token and not _is_filler_token(token.group()):
                yield token.span()
            at = token.end() if token else sign.end()
        start = runs.find(b"a" * _LEAST, end)


def _in_addresses(raw: bytes) -> Iterator[Span]:
    for word, form in ((b"://", _IN_ADDRESS), (b"curl", _BY_HAND)):
        for match in filter(None, (form.match(raw, at) for at in _every(raw, word))):
            if match["value"].lower() not in _USUAL and not _SHOWN.search(match["value"]):
                yield match.span("value")
    for at in _every(raw, b"hooks.slack.com"):
        if hook := _IN_WEBHOOK.match(raw, at):
            yield hook.span("value")


def _in_headers(raw: bytes, low: bytes) -> Iterator[Span]:
    for word in (b"bearer", b"basic", b"authorization"):
        for at in _every(low, word):
            match = _IN_HEADER.match(raw, at)
            if match and _is_credential(match["how"], match["value"]):
                yield match.span("value")
    for at in _every(low, b"key="):
        if (match := _IN_ACCOUNT.match(raw, at)) and _is_drawn(match["value"]):
            yield match.span("value")


def _given(raw: bytes, low: bytes, sort: str) -> Iterator[Span]:
    """Find values that are given to a name which promises a secret."""
    for word in _WORDS:
        for at in _every(low, word):
            before = low[max(at - 12, 0) : at]
            if before.endswith(b"publickey") or (word == b"key" and not before.endswith(_BEFORE_KEY)):
                continue
            match = _GIVEN.match(raw, at)
            if match and (span := _judged(match, sort)):
                yield span


def _judged(match: re.Match[bytes], sort: str) -> Span | None:
    """Judge the value that a name is given, by the name, the form of the value and where it stands."""
    which = "quoted" if match["quoted"] else "bare"
    value = match[which]
    name = match["name"].lower()
    if not _is_told(match):
        return None
    if which == "quoted":
        return (
            match.span(which) if _is_drawn(value) or _is_chosen(value, name, sort) or _is_strong(value, name) else None
        )
    if _is_drawn(value) and b":" not in value and b"?" not in value:
        return match.span(which)
    return match.span(which) if _is_alone(match, sort) and _is_chosen(value, name, sort) else None


def _is_strong(value: bytes, name: bytes) -> bool:
    """Tell whether a password has letters of many sorts."""
    if len(value) < 8 or not name.startswith((b"pass", b"pwd")) or _FILLER.search(value):
        return False
    return sum(bool(sort.search(value)) for sort in _SORTS) >= 3


def _is_told(match: re.Match[bytes]) -> bool:
    """Tell whether what stands between a name and a value gives one to the other: a bar does so only in a table."""
    sign = match["sign"]
    if sign not in {b"", b"|", b">"}:
        return True
    if sign == b">":
        return match.string.startswith(b"</", match.end())
    before = _before(match)
    return before.lstrip().startswith(b"|") if sign else _FLAG.search(before) is not None


def _is_alone(match: re.Match[bytes], sort: str) -> bool:
    """Tell a value without quotes that is written down from a name, a type or the first word of a sentence."""
    sign, raw = match["sign"], match.string
    if sign in {b"", b"|", b">"}:
        return True
    shouted = sign == b"=" and not match["gap"] and match["name"].isupper()
    if not (_ENDS.match(raw, match.end()) or (shouted and raw.startswith(b" ", match.end()))):
        return False
    before = _before(match)
    if sort == "config" or (sign == b"=" and (before.endswith((b";", b"&", b"?")) or _FLAG.search(before))):
        return True
    if sort == "code" and not shouted and not before.lstrip().startswith((b"#", b"//", b"*")):
        return False
    return (shouted and sort == "prose") or _ALONE.match(before) is not None


def _before(match: re.Match[bytes]) -> bytes:
    """Give what precedes a name on its line."""
    least = max(match.start() - _LINE, 0)
    return match.string[max(match.string.rfind(b"\n", least, match.start()) + 1, least) : match.start()]


def _is_chosen(value: bytes, name: bytes, sort: str) -> bool:
    """Tell whether a value looks like one that somebody chose: in settings any may be, elsewhere it is no mere word."""
    value = value[:_JUDGED]
    letters = re.sub(rb"[^a-z0-9]", b"", value.lower())
    if not letters or _NO_VALUE.match(value) or _PLACEHOLDER.fullmatch(letters):
        return False
    human = name.startswith((b"pass", b"pwd", b"secret"))
    if (_SHOWN_IN_SETTINGS if human and sort == "config" else _SHOWN_IN).search(value):
        return False
    digits = sum(48 <= code < 58 for code in value)
    mixed = 0 < digits < len(letters) or (not value.isdigit() and _MARKS.search(value.rstrip(b"!?=")) is not None)
    if not human:
        return mixed and len(value) >= 8 and not _FILLER.search(value)
    if sort == "config":
        return mixed or not (_LABEL.fullmatch(value) or (value.isdigit() and name == b"secret"))
    return len(value) >= 6 and (mixed or (len(value) >= 12 and value.isalpha() and value.islower()))


def _is_credential(how: bytes, value: bytes) -> bool:
    """Judge what follows the name of a scheme; `basic` is also a word, so that more is asked of it."""
    digits = sum(48 <= code < 58 for code in value)
    return _is_drawn(value) or (how.lower() == b"bearer" and 2 <= digits < len(value) and not _FILLER.search(value))


def _is_drawn(value: bytes) -> bool:
    """Tell whether a value looks drawn by lot: long, varied, and its letters and digits change often.

    >>> _is_drawn(b"q8Zr4TnX2vLw9KbY7mPd"), _is_drawn(b"resetPasswordToken2024"), _is_drawn(b"request.headers.token")
    (True, False, False)
    """
    value = value[:_JUDGED]
    pieces = _PIECE.findall(value)
    if len(value) < 16 or not pieces or value.isdigit() or _CODE.search(value):
        return False
    if _FILLER.search(value):
        return False
    if _HEX.fullmatch(value):
        return True
    length = sum(map(len, pieces)) / len(pieces)
    variety = -sum(times / len(value) * log2(times / len(value)) for times in Counter(value).values())  # in bits
    figures = sum(map(bytes.isdigit, pieces))
    shortest = 2.3 if not figures else 4.0 if figures > 1 and value.isalnum() else 3.0
    return (length < shortest and variety > 3.1) or (figures > 0 and length < 4.5 and variety > 4.2)


def _is_filler_token(token: bytes) -> bool:
    """Tell a token that only shows the form (`ghp_xxxx…`, Amazon's own EXAMPLE) from a real one."""
    if token.endswith(b"EXAMPLE"):
        return True
    if token.startswith(b"A") and len(token) == 20:  # Amazon's are as long as they must be: no chance, but no filler
        return set(token[4:]) == {88}
    return len(set(token[8:])) <= 4 or b"xxxx" in token.lower()


def _every(raw: bytes, word: bytes) -> Iterator[int]:
    """Yield where a word stands."""
    at = raw.find(word)
    while at >= 0:
        yield at
        at = raw.find(word, at + len(word))
