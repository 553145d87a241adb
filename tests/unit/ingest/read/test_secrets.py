"""Masking: what is a secret goes, what only looks like one stays, and no text takes long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.planted_secrets import chosen, dice, drawn, lines
from support.processor_time import processor_seconds

from waymeet.ingest.build.entry import build_entry
from waymeet.ingest.read.decode import Decoded
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.settings import Chunking
from waymeet.types import Fingerprint

KINDS = sorted(lines(dice(1)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_a_secret_is_masked_wherever_it_stands(kind: str, seed: int) -> None:
    secret, line = lines(dice(seed))[kind]
    for text in (line, f"Vor dem Schlüssel 検索\n{line}\ndahinter\n", f"    {line}\n" * 3):
        found = mask_secrets(text)
        assert secret not in found.text
        assert found.text.count("\n") == text.count("\n")
        assert found.number >= 1
        assert found.warning
        assert mask_secrets(found.text).text == found.text


@pytest.mark.parametrize("kind", sorted(chosen(dice(1))))
@pytest.mark.parametrize("seed", range(5))
def test_a_chosen_password_is_masked_too(kind: str, seed: int) -> None:
    secret, line, path = chosen(dice(seed))[kind]
    for text in (line, f"Vor dem Schlüssel 検索 &#x691c; &amp;\n{line}\ndahinter\n"):
        found = mask_secrets(text, path)
        assert secret not in found.text
        assert found.number == 1
        assert found.text.count("\n") == text.count("\n")
        assert mask_secrets(found.text, path).text == found.text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        *(
            ("a.yaml", f"password: {value}")
            for value in (
                *("null", "true", "none", "~", "''", "xxxx", "changeme", "example", "string", "integer", "<your-key>"),
                *("$dbpass2", "${DB_PASS2}", "{{ pass2 }}", "${{ secrets.X2 }}", "!Ref Pass2", "*anchor", "!vault |"),
                *("/run/pass2", "your-password", "Password", "see below", "{type: string}", "config.password2"),
            )
        ),
        ("a.py", "password: str"),
        ("a.ts", "password: string;"),
        ("a.kt", "password: Sha256Hash"),
        ("a.py", "connect(password=password2)"),
        ("a.py", 'token = "access_token"'),
        ("a.py", "token | None"),
        ("a.py", 'x.startswith("-----BEGIN PRIVATE KEY-----") and x.endswith("-----END PRIVATE KEY-----")'),
        ("a.py", '"-----BEGIN PRIVATE KEY-----\\n" + key + "\\n-----END PRIVATE KEY-----"'),
        ("a.md", "-----BEGIN RSA PRIVATE KEY-----\nYOUR KEY HERE\n-----END RSA PRIVATE KEY-----"),
        ("a.md", "the password: see below"),
        ("a.md", "Password: required"),
        ("a.md", "| password | string |"),
        ("a.md", "| token | The token2 to use |"),
        ("a.md", "--token TOKEN or --password <password>"),
        ("a.json", '{"password": "Password", "token": "comment.line"}'),
        ("a.json", '{"password": "Mot de passe"}'),
        ("a.json", '{"password": "Wachtwoord"}'),
        ("a.yaml", "id-token: write"),
        ("a.yaml", "secret: my-tls-secret"),
        ("a.yaml", "token: ${TOKEN}"),
        ("a.sh", "docker run -u 1000:1000 image"),
    ],
)
def test_what_stands_for_a_secret_stays(path: str, text: str) -> None:
    assert mask_secrets(text, path).text == text


@pytest.mark.parametrize(
    "text",
    [
        "password = get_password()",
        "password = os.environ['DB_PASSWORD_2']",
        "password: ${DB_PASSWORD}",
        "password = 'changeme'",
        'password = "Enter your new password!"',
        "secret: <your-secret-key-here>",
        "api_key = YOUR_API_KEY_123",
        'api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"',
        "token = tokens[index2].value3",
        "token = self._tokenizer.next_token2()",
        "let secret = sha256_hmac_sha512;",
        "resetPasswordToken = resetPasswordToken2024",
        "access_token: string | null",
        "def check(password: str = DEFAULT_PASSWORD_2024) -> None:",
        "commit d670460b4b4aece5915caf5c68d12f560a9fe3e4",
        '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5Fv=="',
        "hash = sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "token_digest = 'e3b0c44298fc1c149afbf4c8996fb924'",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "![](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4)",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7\n-----END PUBLIC KEY-----",
        "looks for `-----BEGIN RSA PRIVATE KEY-----` at the start of the file and says so when it is found there",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN_FOR_SERVICE_2",
        "the bearer authentication-scheme-of-the-web",
        "https://user:password@example.org/",
        "https://${USER}:${PASSWORD}@host/",
        "http://localhost:8080/a@b",
        "https://example.org:443/@scope/package@1.2.3",
        "class sk-folding-cube-of-the-loading-animation-container",
        "PWD=/home/someone/projects/app2/src3",
        "key = lambda item: item.name2.lower3",
        "primary_key = 'a1b2c3d4e5f6a7b8c9d0'",
        "secret: true",
        "tokens: 128000",
        "1. README.md#L10-L24  0.20  Login",
        "the password is described in AuthService.py#L120-L140 and login.ts#L5",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_secrets(text).text == text


@pytest.mark.parametrize(
    "text",
    ["<h1>gh<b>p_{0}{0}</b></h1>", "<p>x</p><p>api_key = <i></i>{0}</p>", "<p><a href='b'>api_<b>key</b>: {0}</a>"],
)
def test_what_becomes_a_secret_without_its_markup_is_masked(text: str) -> None:
    pytest.importorskip("selectolax")
    secret = drawn(dice(4), 20)
    page = Decoded("<!doctype html><html><body>" + text.format(secret), "utf-8")
    assert secret not in repr(build_entry("a.html", page, Fingerprint("", 1, 0), Chunking()).entry)
    assert secret in repr(build_entry("a.html", page, Fingerprint("", 1, 0), Chunking(), mask=False).entry)


def test_a_long_secret_is_masked_where_nothing_says_that_it_is_one() -> None:
    value = "9f3c1b7ae2d84560b1f7c03d5e6a8912"
    text = f"$ python -c 'print(token_hex())'\n'{value}'\n\nSECRET_KEY = '{value}'\n"
    assert value not in mask_secrets(text, "docs/config.rst").text
    assert mask_secrets(f"'{value}'\n").number == 0, "a hash alone stays"


def test_the_number_of_secrets_is_told() -> None:
    rng = dice(3)
    keys = [f"AKIA{drawn(rng, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}" for _ in range(3)]
    assert mask_secrets(" ".join(keys)).warning == "3 secrets masked"
    assert mask_secrets(keys[0]).warning == "1 secret masked"
    assert mask_secrets("nothing here").warning == ""


PIECES = st.sampled_from(
    [
        *(
            "pass",
            "password",
            "secret",
            "token",
            "api_key",
            "key",
            "=",
            ":",
            " = ",
            '"',
            "'",
            "`",
            "://",
            "@",
            "\n",
            " ",
        ),
        *(
            "eyJ",
            ".",
            "-",
            "_",
            "ghp_",
            "sk-",
            "AKIA",
            "a1B2c3D4e5F6g7H8",
            "0" * 40,
            "aB3" * 30,
            "bearer ",
            "é",
            "検",
            "\\n",
            "&quot;",
            "&#x2F;",
            "\\_",
            "| ",
            "--",
            "**",
            "curl ",
            "-u me:",
            "hunter2",
        ),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ", "…", "\ud800"),
    ]
)


PATHS = st.sampled_from(["", "a.yaml", "a.py", "a.md"])


@given(st.lists(PIECES, max_size=40).map("".join), PATHS)
def test_lines_stay_lines_and_masking_twice_is_masking_once(text: str, path: str) -> None:
    once = mask_secrets(text, path)
    assert once.text.count("\n") == text.count("\n")
    assert (once.number == 0) == (once.text == text)
    assert mask_secrets(once.text, path).text == once.text


@pytest.mark.slow
@given(st.lists(PIECES, min_size=1, max_size=4).map("".join), PATHS)
def test_no_text_takes_long(piece: str, path: str) -> None:
    with processor_seconds(4.0):  # it takes some hundredths; a pattern that backtracks takes minutes
        mask_secrets((piece * (60_000 // len(piece) + 1))[:60_000], path)
