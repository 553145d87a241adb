"""Servers that other machines can reach: TLS, a declared proxy and tokens are needed."""

import json
import shutil
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from support.server_process import PATIENCE, command, isolated_environment, make

from waymeet.errors import UsageError
from waymeet.interfaces.http.process import ServeOptions, check_encryption
from waymeet.project.registered import registry

from .conftest import Run


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1."""
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED: TLS, for there is no openssl here")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    arguments = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*arguments, *files], check=True, capture_output=True, timeout=PATIENCE)
    return cert, key


def test_what_is_missing_is_said_in_one_line(tmp_path: Path, project: Path, run: Run) -> None:
    refused = run("serve", "--host", "0.0.0.0")  # noqa: S104 - it is refused
    assert (refused.code, "nothing would be encrypted" in refused.err) == (2, True)
    assert "--behind-proxy" in refused.err
    registry.register(project, name="one")
    team = run("serve", "--all", "--host", "0.0.0.0", "--behind-proxy")  # noqa: S104 - it is refused
    assert (team.code, "waymeet token add NAME --read one" in team.err) == (2, True)
    missing = run("serve", "--tls-cert", str(tmp_path / "none.pem"))
    assert "TLS cannot be used with" in missing.err
    assert "--tls-key needs --tls-cert" in run("serve", "--tls-key", "key.pem").err
    (tmp_path / "bad.pem").write_text("no certificate", encoding="utf-8")
    with pytest.raises(UsageError, match="TLS cannot be used"):
        check_encryption(ServeOptions(certificate=tmp_path / "bad.pem"))
    check_encryption(ServeOptions())
    check_encryption(ServeOptions(host="192.0.2.1", is_behind_proxy=True))


def test_answers_are_encrypted(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    root, environment = make(tmp_path / "project"), isolated_environment(tmp_path)
    cert, key = certificate
    token = command(environment, root, "serve", "--show-token").stdout.strip()
    arguments = ["serve", "--port", "0", "--json", "--tls-cert", str(cert), "--tls-key", str(key)]
    process = subprocess.Popen(
        [sys.executable, "-m", "waymeet", *arguments], env=environment, cwd=root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        address = json.loads(process.stdout.readline())["address"]
        assert address.startswith("https://127.0.0.1:")
        request = urllib.request.Request(f"{address}/v1/status", headers={"Authorization": f"Bearer {token}"})  # noqa: S310
        context = ssl.create_default_context(cafile=str(cert))
        with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as reply:  # noqa: S310 - our own server
            assert reply.status == 200
        found = command(environment, root, "search", "keys")
        assert found.returncode == 0, "commands on this machine work without it"
        assert command(environment, root, "serve", "--stop").returncode == 0
    finally:
        process.kill()
        process.communicate()
