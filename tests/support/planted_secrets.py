"""Secrets of every kind, drawn by lot, so that none stands in a file of this repository."""

from __future__ import annotations

import base64
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

_BASE62 = ascii_letters + digits
_HEX = digits + "abcdef"


def dice(seed: int) -> Random:
    """Give a source of chance that can be repeated."""
    return Random(seed)  # noqa: S311 - these secrets protect nothing


def drawn(rng: Random, length: int, letters: str = _BASE62) -> str:
    """Draw letters, with small and capital ones and digits among them wherever there are any."""
    while True:
        text = "".join(rng.choices(letters, k=length))
        if any(letter in digits for letter in text) and any(letter not in digits for letter in text):
            return text


def lines(rng: Random) -> dict[str, tuple[str, str]]:
    """Give for each kind the secret and a line, or several, that it stands in."""
    secrets = {
        "amazon": "AKIA" + drawn(rng, 16, ascii_uppercase + "234567"),
        "github": "ghp_" + drawn(rng, 36),
        "github-fine": "github_pat_" + drawn(rng, 22) + "_" + drawn(rng, 59),
        "gitlab": "glpat-" + drawn(rng, 20),
        "slack": f"xoxb-{drawn(rng, 12, digits + 'a')}-{drawn(rng, 24)}",
        "openai": "sk-proj-" + drawn(rng, 48),
        "openai-old": "sk-" + drawn(rng, 48),
        "anthropic": "sk-ant-api03-" + drawn(rng, 80),
        "stripe": "sk_live_" + drawn(rng, 24),
        "google": "AIza" + drawn(rng, 35),
        "google-client": "GOCSPX-" + drawn(rng, 28),
        "npm": "npm_" + drawn(rng, 36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + drawn(rng, 80),
        "sendgrid": f"SG.{drawn(rng, 22)}.{drawn(rng, 43)}",
        "hugging-face": "hf_" + drawn(rng, 34),
        "digital-ocean": "dop_v1_" + drawn(rng, 64, _HEX),
        "telegram": f"{rng.randrange(10**9, 10**10)}:AA{drawn(rng, 33)}",
        "jwt": ".".join((_encoded('{"alg":"HS256"}'), _encoded(f'{{"sub":"{drawn(rng, 12)}"}}'), drawn(rng, 43))),
    }
    found = {kind: (secret, f"the key {secret} is used") for kind, secret in secrets.items()}
    found |= {f"{kind}, quoted": (secret, f'call("{secret}")') for kind, secret in secrets.items()}
    for name, form in {
        "python": 'API_KEY = "{}"',
        "typed": 'const apiKey: string = "{}";',
        "yaml": "  client_secret: {}",
        "json": '{{"access_token": "{}"}}',
        "shell": "export AUTH_TOKEN={}",
        "inline code": "run `AUTH_TOKEN={} make` or `make AUTH_TOKEN={}`",
        "compose": '  - "DB_PASSWORD={}"',
        "query": "https://example.org/?access_token={}&page=2",
        "argument": "connect(api_key={})",
        "call": "connect(host, password='{}', port=3)",
        "ini": "secret_access_key = {}",
        "header": "curl -H 'Authorization: Bearer {}'",
        "environment": "DB_PASSWORD={}",
        "hash": "password => '{}',",
    }.items():
        secret = drawn(rng, 32)
        found[name] = (secret, form.replace("{}", secret).replace("{{", "{").replace("}}", "}"))
    human = drawn(rng, 5, ascii_lowercase + digits) + "!Kw7" + drawn(rng, 3)
    found["password"] = (human, f'password = "{human}"')
    address = drawn(rng, 12)
    found["address"] = (address, f"postgres://app:{address}@db.example.org:5432/app")
    body = "\n".join(base64.b64encode(rng.randbytes(48)).decode() for _ in range(12))
    found["key"] = (body.split("\n")[5], f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----")
    flat = base64.b64encode(rng.randbytes(160)).decode()
    found["key in a string"] = (flat[20:], rf'"-----BEGIN PRIVATE KEY-----\n{flat}\n-----END PRIVATE KEY-----\n"')
    open_ended = base64.b64encode(rng.randbytes(120)).decode()
    found["key without an end"] = (open_ended[10:], f"-----BEGIN EC PRIVATE KEY-----\n{open_ended}")
    return found


def chosen(rng: Random) -> dict[str, tuple[str, str, str]]:
    """Give for each kind the secret, a line that it stands in, and the name of a file that holds such lines."""
    word = "".join(rng.choices("bcdfghjklmnpqrtvwz", k=7))
    human, key, long = f"{word}{rng.randrange(10, 100)}", drawn(rng, 20), word + word[::-1]
    quoted = key.join(("&quot;", "&quot;"))
    return {
        "yaml": (human, f"password: {human}", "a.yaml"),
        "yaml word": (word, f"  mysql_pwd: {word}", "b.yml"),
        "yaml quoted": (f"{human}{{(!", f"password: '{human}{{(!'  # comment", "c.yaml"),
        "yaml flow": (human, f"{{user: me, password: {human}}}", "d.yaml"),
        "ini": (human, f"password = {human}!", "e.ini"),
        "json": (word, f'{{"db_password": "{word}"}}', "f.json"),
        "properties": (word, f"db.password={word}", "g.properties"),
        "shell": (human, f"export DB_PASSWORD={human}", "h.sh"),
        "before a command": (human, f"PGPASSWORD={human} psql", "i.sh"),
        "python": (human, f'password = "{human}supersecret"', "j.py"),
        "python word": (long, f"client_secret = '{long}'", "k.py"),
        "comment": (human, f"# password: {human}", "l.py"),
        "connection": (human, f'"Server=db;Uid=sa;Pwd={human};"', "m.cs"),
        "prose": (human, f"Password: {human}", "n.md"),
        "no name": (human, f"mysql_pwd: {human}!", ""),
        "xml": (human, f"<password>{human}</password>", "o.xml"),
        "entities": (key, f"<!doctype html><html><p>api_key = {quoted}</p>", "p.html"),
        "address": (human, f"<!doctype html><html><p>https:&#x2F;&#x2F;me:{human}@host</p>", "q.html"),
        "token": (key, f"<!doctype html><html><h1>gh&#112;_{key}{key}</h1>", "r.html"),
        "escaped token": (key, f"# ghp\\_{key}{key}", "s.md"),
        "escaped quotes": (key, f'x = "{{\\"api_key\\": \\"{key}\\"}}"', "t.js"),
        "bold": (key, f"**api_key**: `{key}`", "u.md"),
        "bold with colon": (key, f"**api_key:** {key}", "v.md"),
        "table": (key, f"| a | b |\n|---|---|\n| `api_key` | {key} |", "w.md"),
        "docker": (key, f"ENV API_KEY {key}", "Dockerfile"),
        "option": (human, f"run --db-password {human} now", "x.md"),
        "option with a sign": (human, f"run --token={human}", "ab.sh"),
        "curl": (human, f"curl -X POST \\\n  -u me:{human} https://example.org", "y.sh"),
        "short key": (word, f"-----BEGIN RSA PRIVATE KEY-----\n{word}==\n-----END RSA PRIVATE KEY-----", "z.md"),
        "plain id": ("AKIA" + "AB" * 8, f"id {'AKIA' + 'AB' * 8}", "aa.md"),
    }


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
