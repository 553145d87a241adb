"""Tokens, the limit of their requests, and the audit log."""

import json
from pathlib import Path

import pytest

from waymeet.errors import NotFoundError, UsageError
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.teams import token_store
from waymeet.interfaces.teams.audit_log import AuditLog
from waymeet.interfaces.teams.rate_limit import RateLimit
from waymeet.interfaces.teams.token_store import TokenChecker, add_token, revoke_token, tokens_file


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_only_a_digest_is_stored_and_only_for_the_user() -> None:
    token, text = add_token("anna", ["p1"], ["p2"], 0)
    secret = text.split("_", 2)[2]  # it may contain an underscore
    stored = tokens_file().read_text(encoding="utf-8")
    assert text not in stored
    assert secret not in stored
    assert len(text) > 60
    assert tokens_file().stat().st_mode & 0o077 == 0
    sender = TokenChecker().find_sender(text)
    assert sender
    assert (sender.name, sender.may_read("p1"), sender.may_write("p1")) == ("anna", True, False)
    assert (sender.may_read("p2"), sender.may_write("p2"), sender.may_read("p3")) == (True, True, False)
    assert token.digest in stored


def test_wrong_revoked_and_expired_tokens_have_no_sender() -> None:
    now = [1000.0]
    checker = TokenChecker(lambda: now[0])
    _, first = add_token("anna", ["p1"], [], 2000)
    _, second = add_token("ben", ["p1"], [], 0)
    for wrong in ("", "x", first[:-1], first[:-1] + ("A" if first[-1] != "A" else "B"), f"{first} ", first.upper()):
        assert checker.find_sender(wrong) is None, wrong
    mixed = "_".join((*first.split("_")[:2], second.split("_", 2)[2]))
    assert checker.find_sender(mixed) is None, "the secret of another token"
    assert checker.find_sender(first)
    now[0] = 2000.0
    assert checker.find_sender(first) is None, "expired"
    assert checker.find_sender(second)
    revoke_token("ben")
    assert checker.find_sender(second) is None, "revoked while the server runs"
    tokens_file().unlink()
    assert checker.find_sender(second) is None
    with pytest.raises(NotFoundError):
        revoke_token("ben")


def test_names_are_unique_among_valid_tokens_and_the_owner_is_none_of_them() -> None:
    add_token("anna", ["p1"], [], 0)
    with pytest.raises(UsageError, match="There is a valid token anna"):
        add_token("anna", ["p1"], [], 0)
    revoke_token("anna")
    add_token("anna", ["p1"], [], 0)
    assert [token.state(0) for token in token_store.list_tokens()] == ["revoked", "valid"]
    for name in ("Owner", "a b", "", "-x"):
        with pytest.raises(UsageError):
            add_token(name, ["p1"], [], 0)


def test_a_damaged_file_refuses_all_and_is_not_overwritten() -> None:
    tokens_file().parent.mkdir(parents=True)
    tokens_file().write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        TokenChecker().find_sender("x")
    with pytest.raises(UsageError, match="cannot be read"):
        add_token("anna", ["p1"], [], 0)
    assert tokens_file().read_text(encoding="utf-8") == "{"


def test_each_sender_has_a_limit_of_its_own() -> None:
    now = [0.0]
    limit = RateLimit(60, lambda: now[0])
    for _ in range(6):
        limit.take("anna")
    with pytest.raises(RequestRefusedError) as refused:
        limit.take("anna")
    assert refused.value.failure.status == 429
    assert refused.value.headers == {"Retry-After": "1"}
    limit.take("ben")
    now[0] = 1.0
    limit.take("anna")
    with pytest.raises(RequestRefusedError):
        limit.take("anna")


def test_the_log_is_rotated_and_masks_secrets(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.log", max_bytes=1000, old_files=2, clock=lambda: 0.0)
    for number in range(40):
        log.record("anna", "api", "createNote", "done", f"r{number}")
    log.record("anna", "api", "updateNote", "done", "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8")
    files = sorted(path.name for path in tmp_path.glob("audit.log*") if path.suffix != ".lock")
    assert files == ["audit.log", "audit.log.1", "audit.log.2"]
    assert all((tmp_path / name).stat().st_size <= 1200 for name in files)
    assert (tmp_path / "audit.log").stat().st_mode & 0o077 == 0
    last = json.loads((tmp_path / "audit.log").read_text(encoding="utf-8").splitlines()[-1])
    assert (last["time"], last["token"], last["operation"]) == ("1970-01-01T00:00:00.000+00:00", "anna", "updateNote")
    assert "a1B2" not in last["request"]
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        AuditLog(tmp_path / "file" / "audit.log")
