"""Tests of values: random, chosen by a person, placeholder, template, reference."""

import re
from base64 import b64decode
from collections import Counter
from math import log2

MAX_CHECKED = 128
"""Number of bytes of a value that are checked."""
_MASKED = re.compile(rb"x{4}|\*{3}|\.{3}|<|\$\{|\{\{|\[secret|example|placeholder|your", re.IGNORECASE)
"""Parts of values that only show a form."""
_FILLER = re.compile(
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
    required todo value production prod staging please before deploy real secure strong random generate generated very
    long actual own name field admin root guest postgres mysql rabbitmq mongo redis qwerty abc abcdef demo bearer v
    basic jwt csrf base64 sha md5 aes bcrypt hash hashed reset id input type wrong invalid bad good valid super is not
    with in to of and or for from see below enter env var file path url plain prompt ask inherit write read
    """.split()
_PLACEHOLDER = re.compile(
    rf"(?:{'|'.join(sorted(_PLACEHOLDER_WORDS, key=len, reverse=True))}|x+|\d{{1,6}}\Z)++".encode()
)
"""A value made of placeholder words only, perhaps with a number at the end."""
_TEMPLATE = re.compile(rb"x{4}|\*{3}|\.{3}|[<>()\[\]{}|`\"']|%s|%\w+%|://|\\[nu]", re.IGNORECASE)
"""Parts of values that are to be filled in or computed."""
_TEMPLATE_IN_CONFIG = re.compile(rb"[xX]{4}|\*{3}|\.{3}|^[<\[({]|<[a-z]|[$%][({]|\{\{|\[secret|%s|://|\w\(.*\)")
"""The same in configuration files, where passwords may hold brackets and quotes."""
_TEMPLATE_IN_URL = re.compile(rb"\*{3}|\.{3}|x{4}|[${}\[\]%<>()|/\"'`]", re.IGNORECASE)
"""The same in the password of a URL."""
_REFERENCE = re.compile(
    rb"\#[0-9a-fA-F]{3,8}\Z|\$\w++(?::\w*+)?\Z|[#./$@~%&*!:?-]{0,2}[\w.-]{0,60}+/[\w./*-]*+\Z|[#./$@%&*!:-][A-Za-z_.-]++\d?\Z"
    rb"|(?:self|this|config|settings|env|process|os)\.|[A-Za-z_][a-z_]*+(?:[A-Z][a-z]++)*+(?:\.[A-Za-z_]\w*+)++\Z|[A-Z]++(?:_[A-Z0-9]++)++\Z"
    rb"|[\w-]++:\Z|arn:"
)
"""A path, a variable or another reference to a value instead of a value."""
_DOTTED = re.compile(rb"[A-Za-z_][a-z_]*+(?:[A-Z][a-z]++)*+(?:\.[a-z_]++)*+\.[A-Za-z_]\w*+\Z")
"""Names with dots, as of modules and attributes."""
_LABEL = re.compile(rb"[A-Z][a-z]+[.!?:*]*|[A-Za-z]+(?:[-_][A-Za-z]*){1,2}+|\d{1,5}")
"""A value in a configuration file that is a word or a number rather than a secret."""
_PUNCTUATION = re.compile(rb"[!@#$%^&*?+=~]")
_BRACKET = re.compile(rb"[{}()\[\]|]")
"""Signs of code."""
_COMMON_PASSWORDS = frozenset(
    map(str.encode, (*_PLACEHOLDER_WORDS, "changeme", "oauth2", "tiger", "1234", "12345", "123456", "port"))
)
"""Passwords of examples."""
_TECHNICAL_PART = (
    rb"(?:(?:sha|md|aes|rsa|utf|iso|base|argon|pbkdf|bcrypt|scrypt|hmac|hs|rs|es|ps|ipv|oauth|ed|http|mp|log|ec|chacha"
    rb"|blake|curve|tls|ssl|int|uint|float|win|python|py|java|crc|des|rc|ripemd)[-_]?\d++[a-z]{0,4}+"
    rb"|s3|k8s|i18n|l10n|a11y|x509|x86|x64|h26[45]|p(?:256|384|521)|v\d++(?:\.\d++)*+|c99|b64|i386|h2c?|[a-z]++)"
)
_TECHNICAL = re.compile(rb"(?:\d++-)?" + _TECHNICAL_PART + rb"(?:[-_./]" + _TECHNICAL_PART + rb")*+\Z", re.IGNORECASE)
"""Names of algorithms, encodings and versions, which mix letters and digits, too."""
_APP_PASSWORD = re.compile(rb"[a-z]{4}(?:-[a-z]{4}){3}")
"""An app-specific password of Apple."""
_CODE_LIKE = re.compile(rb"\w\(\w*\)|\]\(|\)\.|[({]\w{3,}[)}]|\w{12,}|\\|\(\?|[aA0]-[zZ9]|\*{3}|\{\w+[}\[]")
_WORDS = re.compile(rb"(?:^|[-_.])[a-z]{3,}[-_.]")
"""A word between separators, as in the names of caches and resources."""
_PUBLIC = re.compile(
    rb"arn:|pk[._]|0x[0-9a-fA-F]{40}\Z|Ag[A-D][A-Za-z0-9+/]{150}|QWxhZGRpbjpvcGVu|[\w./-]{1,100}+#L\d++(?:-L?\d++)?\Z"
)
"""Values that are public or encrypted: names of resources, publishable keys, addresses, sealed secrets, citations."""
_VERSION = re.compile(rb"v?\d+\.\d|sha\d{1,3}-")
_UUID = re.compile(rb"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{8,4000}={0,2}")
_MIN_SEQUENCE = 8
_SEQUENCE = b"01234567890123456789abcdefghijklmnopqrstuvwxyz"
_HEX = re.compile(rb"[0-9a-f]{20,}|[0-9A-F]{20,}")
_CHARACTER_RUN = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|\d+")
"""Runs of letters of one case or of digits; random values have short runs."""
_CHARACTER_CLASSES = tuple(map(re.compile, (rb"[a-z]", rb"[A-Z]", rb"\d", rb"[^A-Za-z0-9_.\- /]")))
"""Lower case, upper case, digits and punctuation."""


def is_random(value: bytes) -> bool:
    """Return whether a value looks random: long, of high entropy, with short runs of letters.

    >>> is_random(b"q8Zr4TnX2vLw9KbY7mPd"), is_random(b"resetPasswordToken2024"), is_random(b"request.headers.token")
    (True, False, False)
    """
    value = value[:MAX_CHECKED]
    runs = _CHARACTER_RUN.findall(value)
    if len(value) < 16 or not runs or value.isdigit() or _BRACKET.search(value) or _PUBLIC.match(value):
        return False
    if has_filler(value) or has_sequence(value.lower()) or _DOTTED.match(value):
        return False
    if _HEX.fullmatch(value):
        return True
    mean_run = sum(map(len, runs)) / len(runs)
    entropy = -sum(count / len(value) * log2(count / len(value)) for count in Counter(value).values())  # in bits
    digit_runs = sum(map(bytes.isdigit, runs))
    max_run = 2.3 if not digit_runs else 4.0 if digit_runs > 1 and value.isalnum() else 3.0
    return (mean_run < max_run and entropy > 3.1) or (digit_runs > 0 and mean_run < 4.5 and entropy > 4.2)


def has_sequence(value: bytes) -> bool:
    """Return whether a value in lower case contains many characters in their order.

    >>> has_sequence(b"1234567890"), has_sequence(b"9f3c1b7ae2d84560")
    (True, False)
    """
    pieces = (value[position : position + _MIN_SEQUENCE] for position in range(len(value) - _MIN_SEQUENCE + 1))
    return any(piece in _SEQUENCE for piece in pieces)


def is_uuid(value: bytes) -> bool:
    """Return whether a value is a UUID."""
    return _UUID.fullmatch(value) is not None


def is_machine_made(value: bytes) -> bool:
    """Return whether a value is random, long and no hexadecimal hash.

    >>> is_machine_made(b"mPOkJEpT55gyfDQTdhO1MgfLnVt05HSW"), is_machine_made(b"9f3c1b7ae2d84560b1f7c03d5e6a8912")
    (True, False)
    """
    is_long = len(value) >= 20 and is_random(value) and not _HEX.fullmatch(value)
    is_name = value.startswith(b"/") or b":" in value or is_uuid(value) or _VERSION.match(value) is not None
    return is_long and not is_name and _WORDS.search(value) is None


def is_session_id(value: bytes) -> bool:
    """Return whether a value is a long word of letters and digits.

    >>> is_session_id(b"wyefuneules7a63n6tovgjtaziuisxws"), is_session_id(b"dark")
    (True, False)
    """
    return len(value) >= 24 and value.isalnum() and 0 < count_digits(value) < len(value) and not has_filler(value)


def is_basic_credential(value: bytes) -> bool:
    """Return whether a value is a user and a password in base64.

    >>> is_basic_credential(b"YWxpY2U6aHVudGVyMg=="), is_basic_credential(b"required")
    (True, False)
    """
    if len(value) < 12 or not _BASE64.fullmatch(value) or _PUBLIC.match(value):
        return False
    if len(value.rstrip(b"=")) % 4 == 1:
        return False
    plain = b64decode(value.rstrip(b"=") + b"==")
    return plain.count(b":") >= 1 and all(32 <= code < 127 for code in plain)


def is_real_value(value: bytes, *, is_password: bool, in_config: bool) -> bool:
    """Return whether a value looks like a real one.

    In a configuration any value may, in other files no plain word.
    """
    value = value[:MAX_CHECKED]
    if is_placeholder(value) or is_template(value, is_strict=not (is_password and in_config)):
        return False
    mixed = is_mixed(value) and not is_technical(value)
    if not is_password:
        return mixed and len(value) >= 8 and not has_filler(value)
    if in_config:
        return mixed or not _LABEL.fullmatch(value)
    return len(value) >= 6 and (mixed or (len(value) >= 12 and value.isalpha() and value.islower()))


def is_strong_password(value: bytes) -> bool:
    """Return whether a value has characters of at least three classes."""
    if len(value) < 8 or has_filler(value):
        return False
    return sum(bool(characters.search(value)) for characters in _CHARACTER_CLASSES) >= 3


def is_scattered(value: bytes) -> bool:
    """Return whether letters of both cases and digits alternate as in no name or word.

    >>> is_scattered(b"Qmws2P3CWX7P3R"), is_scattered(b"w1ll0wMonkey4407"), is_scattered(b"UserForm2")
    (True, True, False)
    """
    runs = _CHARACTER_RUN.findall(value)
    digit_runs = sum(map(bytes.isdigit, runs))
    if len(value) < 10 or digit_runs == 0 or not any(map(bytes.isalpha, runs)) or b"/" in value:
        return False
    if sum(map(bytes.isdigit, value.split(b"-"))) > 1 or _DOTTED.match(value) or _HEX.fullmatch(value):
        return False
    has_both_cases = value.lower() != value and value.upper() != value
    mean_run = sum(map(len, runs)) / len(runs)
    return has_both_cases and ((mean_run <= 3.0 and len(runs) >= 4) or (digit_runs >= 3 and mean_run <= 4.0))


def is_chosen(value: bytes) -> bool:
    """Return whether a value mixes letters and digits like a password that a person chose.

    >>> is_chosen(b"hunter2"), is_chosen(b"s3cr3t"), is_chosen(b"sha256"), is_chosen(b"reset")
    (True, True, False, False)
    """
    letters = sum(bytes((code,)).isalpha() for code in value)
    is_word_like = letters >= 3 and count_digits(value) >= 1 and b"/" not in value
    return is_word_like and not has_filler(value) and not is_placeholder(value) and not is_technical(value)


def is_placeholder(value: bytes) -> bool:
    """Return whether a value is empty, a reference, or made of placeholder words."""
    alphanumeric = re.sub(rb"[^a-z0-9]", b"", value.lower())
    return (
        not alphanumeric
        or bool(_PUBLIC.match(value) or _REFERENCE.match(value))
        or _PLACEHOLDER.fullmatch(alphanumeric) is not None
    )


def is_template(value: bytes, *, is_strict: bool) -> bool:
    """Return whether a value is to be filled in or computed."""
    return (_TEMPLATE if is_strict else _TEMPLATE_IN_CONFIG).search(value) is not None


def is_url_password(value: bytes) -> bool:
    """Return whether the password in a URL or a command is a real one."""
    return value.lower() not in _COMMON_PASSWORDS and not _TEMPLATE_IN_URL.search(value)


def is_example(value: bytes) -> bool:
    """Return whether a value of a known form only shows the form."""
    return len(set(value)) <= 4 or _MASKED.search(value) is not None


def has_filler(value: bytes) -> bool:
    """Return whether a value contains a part of example values."""
    return _FILLER.search(value) is not None


def is_mixed(value: bytes) -> bool:
    """Return whether a value mixes letters with digits, or has punctuation before its end."""
    letters = sum(bytes((code,)).isalpha() for code in value)
    if letters and any(48 <= code < 58 for code in value):
        return True
    if _APP_PASSWORD.fullmatch(value) or (len(value) >= 10 and value.isalpha() and _mean_run(value) < 3.0):
        return True
    return not value.isdigit() and _PUNCTUATION.search(value.rstrip(b"!?=")) is not None


def _mean_run(value: bytes) -> float:
    """Compute the mean length of the runs of letters of one case and of digits."""
    runs = _CHARACTER_RUN.findall(value)
    return sum(map(len, runs)) / len(runs) if runs else 0.0


def is_symbol_mix(value: bytes) -> bool:
    """Return whether a long value mixes letters with many signs, as keys of frameworks do."""
    signs = set(value) & set(b"!@#$%^&*()-_=+{}[]|;:,.<>?/~`")
    if len(value) < 20 or len(signs) < 4 or b" " in value or b"://" in value or has_sequence(value.lower()):
        return False
    return count_digits(value) > 0 and len(set(value)) >= 12 and not _CODE_LIKE.search(value)


def is_technical(value: bytes) -> bool:
    """Return whether a value is the name of an algorithm, an encoding or a version.

    >>> is_technical(b"SHA-256"), is_technical(b"hunter2")
    (True, False)
    """
    return count_digits(value) > 0 and _TECHNICAL.match(value) is not None


def count_digits(value: bytes) -> int:
    """Count the digits of a value."""
    return sum(48 <= code < 58 for code in value)


_PHRASE_WORD = re.compile(rb"[A-Za-z0-9'-]{2,}")
_FUNCTION_WORDS = frozenset(
    map(
        str.encode,
        """
        the your you is are be must at to a an please enter for of de not and or with in on by from as this that has
        have will can should may was were it if no cannot least than more less our their his her my la le les des du el
        los per each when use used only any all into after before between via new set value number string der die das
        ein eine und oder nicht mit für von zu im ist
        """.split(),
    )
)
"""Words of sentences, which are not in passphrases."""


def is_passphrase(value: bytes) -> bool:
    """Return whether a value is a passphrase of several words, not a sentence or a label.

    >>> is_passphrase(b"correct horse battery staple"), is_passphrase(b"must have at least eight characters")
    (True, False)
    """
    words = value.split()
    if len(words) < 4 or has_filler(value) or not all(map(_PHRASE_WORD.fullmatch, words)):
        return False
    return not any(word.lower() in _FUNCTION_WORDS for word in words)
