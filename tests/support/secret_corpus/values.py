"""Random values for the secret corpus: characters of an alphabet, passwords, encodings."""

from __future__ import annotations

import base64
import json
import string
import uuid
import zlib
from collections.abc import Callable
from random import Random
from urllib.parse import quote

Value = Callable[[Random, str], str]

ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "letters": string.ascii_letters,
    "small": string.ascii_lowercase,
    "capitals": string.ascii_uppercase,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "base32": string.ascii_uppercase + "234567",
    "crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "bech32": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "BECH32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "b64": string.ascii_letters + string.digits + "+/",
    "url64": string.ascii_letters + string.digits + "-_",
    "azure": string.ascii_letters + string.digits + "-_~.",
    "strong": string.ascii_letters + string.digits + "!*-_.~+",
    "wild": string.ascii_letters + string.digits + "!*-_.~+#$&%@?^",
}
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
WORDS = (
    "harbor tulip kestrel granite meadow lantern copper falcon willow saffron breeze orbit cactus marble violet "
    "thunder pepper canyon walnut ginger rocket winter summer dragon coffee silver monkey purple island forest"
).split()


def characters(alphabet: str) -> Value:
    """Make a generator of so many characters, `40` or `20-30`, that look random."""

    def value(rng: Random, argument: str) -> str:
        least, _, most = argument.partition("-")
        length = rng.randint(int(least), int(most or least))
        while True:
            text = "".join(rng.choices(alphabet, k=length))
            if _is_likely(text, alphabet):
                return text

    return value


def _is_likely(text: str, alphabet: str) -> bool:
    """Say whether a text is no number with a zero in front, has letters and digits, and no full stop at its ends."""
    if alphabet.isdigit():
        return len(text) < 5 or text[0] != "0"
    if len(text) < 12 or alphabet.isalpha():
        return True
    has_both = any(map(str.isalpha, text)) and any(map(str.isdigit, text))
    return has_both and ("." not in alphabet or (text[0].isalnum() and text[-1].isalnum()))


def password(rng: Random, argument: str) -> str:
    """Choose a password as people make them: words with numbers and signs, or one of a generator."""
    one, two = rng.sample(WORDS, 2)
    number = rng.randint(10, 9999)
    styles = (
        f"{one.capitalize()}{two.capitalize()}{number}!",
        f"{one}-{two}-{number}",
        f"{one.capitalize()}_{rng.randint(1970, 2026)}!",
        f"{one.replace('e', '3').replace('o', '0').replace('i', '1').replace('a', '4')}{two.capitalize()}{number}",
        characters(ALPHABETS["strong"])(rng, "14-20"),
        characters(ALPHABETS["alnum"])(rng, "12-24"),
    )
    return rng.choice(styles)


def generated_password(rng: Random, argument: str) -> str:
    """Make a password of a password manager."""
    return characters(ALPHABETS["strong"])(rng, argument or "14-22")


def passphrase(rng: Random, argument: str) -> str:
    """Choose so many words, with spaces between them."""
    return " ".join(rng.sample(WORDS, int(argument or "5")))


def wrap(rng: Random, argument: str) -> str:
    """Make base64 of about so many characters after a prefix, in lines of 64: `prefix count`."""
    prefix, count = argument.split(" ")
    length = int(count) - (len(prefix) + int(count)) % 64 + 32
    text = prefix + characters(ALPHABETS["b64"])(rng, str(length))
    return "\n".join(text[start : start + 64] for start in range(0, len(text), 64))


def encoded_pem(rng: Random, argument: str) -> str:
    """Make PEM text and encode it in base64 again, as kubeconfig files have it: `prefix count label`."""
    prefix, count, label = argument.split(" ", 2)
    body = wrap(rng, f"{prefix} {count}")
    return base64.b64encode(f"-----BEGIN {label}-----\n{body}\n-----END {label}-----\n".encode()).decode()


def checksummed(rng: Random, argument: str) -> str:
    """Make 30 characters and their CRC-32 in base 62, as GitHub and npm do."""
    body = characters(ALPHABETS["alnum"])(rng, "30")
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, 62)
        digits = BASE62[digit] + digits
    return body + digits


def web_token(rng: Random, argument: str) -> str:
    """Make a JSON Web Token with a signature of HS256."""
    claims = {"sub": f"user-{rng.randint(100, 9999)}", "iat": 1_700_000_000 + rng.randint(0, 10**7), "role": argument}
    objects = ({"alg": "HS256", "typ": "JWT"}, claims)
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in objects]
    parts.append(rng.randbytes(32))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def dump(rng: Random, argument: str) -> str:
    """Make lines of a hex dump."""
    lines = []
    for number in range(int(argument)):
        content = rng.randbytes(16)
        pairs = " ".join(content[start : start + 2].hex() for start in range(0, 16, 2))
        seen = "".join(chr(byte) if 32 < byte < 127 else "." for byte in content)
        lines.append(f"{number * 16:08x}: {pairs}  {seen}")
    return "\n".join(lines)


VALUES: dict[str, Value] = {
    **{name: characters(alphabet) for name, alphabet in ALPHABETS.items()},
    "password": password,
    "generated": generated_password,
    "passphrase": passphrase,
    "word": lambda rng, argument: rng.choice(WORDS),
    "number": lambda rng, argument: str(rng.randint(*map(int, argument.split(" ")))),
    "choose": lambda rng, argument: rng.choice(argument.split("|")),
    "uuid": lambda rng, argument: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "bytes64": lambda rng, argument: base64.b64encode(rng.randbytes(int(argument))).decode(),
    "base64": lambda rng, argument: base64.b64encode(argument.encode()).decode(),
    "quote": lambda rng, argument: quote(argument, safe=""),
    "escape": lambda rng, argument: argument.replace("\n", "\\n"),
    "join": lambda rng, argument: argument.replace("\n", ""),
    "begin": lambda rng, argument: f"-----BEGIN {argument}-----",
    "end": lambda rng, argument: f"-----END {argument}-----",
    "wrap": wrap,
    "pem64": encoded_pem,
    "checksummed": checksummed,
    "jwt": web_token,
    "dump": dump,
}
