"""The function through which everything passes that leaves the process."""

import ast
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, TextContent
from support.planted_secrets import dice, drawn, lines

import waymeet.interfaces
from waymeet.errors import UsageError
from waymeet.interfaces import outgoing
from waymeet.interfaces.masked_paths import unmask_path
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.types import Section

TOKEN, PASSWORD = "ghp_" + drawn(dice(3), 36), drawn(dice(4), 20)
_INTERFACES = Path(waymeet.interfaces.__file__).parent


class _Pair(NamedTuple):
    name: str
    value: str


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        (f"see {TOKEN}", "see [secret]"),
        ([f"docs/{TOKEN}.md#L1-L3", 3, None], ["docs/[secret].md#L1-L3", 3, None]),
        ({"api_key": PASSWORD, "other": PASSWORD[:5]}, {"api_key": "[secret]", "other": PASSWORD[:5]}),
        ({"api_key": PASSWORD, "text": f"it is {PASSWORD}"}, {"api_key": "[secret]", "text": "it is [secret]"}),
        ({TOKEN: 1}, {"[secret]": 1}),
        ({"nested": {"client_secret": [PASSWORD]}}, {"nested": {"client_secret": ["[secret]"]}}),
        (_Pair("a", TOKEN), _Pair("a", "[secret]")),
        (frozenset({TOKEN}), frozenset({"[secret]"})),
    ],
)
def test_secrets_are_masked_in_every_type(value: object, masked: object) -> None:
    assert mask_outgoing(value, enabled=True) == masked
    assert type(mask_outgoing(value, enabled=True)) is type(value)
    assert mask_outgoing(value, enabled=False) is value
    assert mask_outgoing(masked, enabled=True) == masked


def test_ranges_of_a_masked_snippet_are_dropped() -> None:
    section = Section("a.md#L1-L1", 1, 1, (), f"the key {TOKEN}", ((4, 7),))
    assert mask_outgoing(section, enabled=True) == Section("a.md#L1-L1", 1, 1, (), "the key [secret]", ())
    clean = Section("a.md#L1-L1", 1, 1, (), "the key", ((4, 7),))
    assert mask_outgoing(clean, enabled=True) is clean


def test_results_of_the_protocol_are_masked() -> None:
    result = CallToolResult(content=[TextContent(text=f"x {TOKEN}")], structured_content={"id": TOKEN})
    masked = mask_outgoing(result, enabled=True)
    assert TOKEN not in masked.model_dump_json()
    assert isinstance(masked.content[0], TextContent)


@pytest.mark.parametrize("seed", range(3))
def test_every_planted_secret_is_looked_for(seed: int) -> None:
    """The quick check for signs of a secret lets none pass that the rules find."""
    from waymeet.ingest.read.secrets import mask_secrets

    for kind, (secret, line) in lines(dice(seed)).items():
        if secret not in mask_secrets(line).text:
            assert secret not in mask_outgoing(line, enabled=True), kind


# --- masked names -----------------------------------------------------------------------------------------------------


def test_a_masked_path_finds_its_file(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / f"{TOKEN}.md").write_text("x")
    (tmp_path / "docs" / "plain.md").write_text("x")
    (tmp_path / "docs" / "[a] [secret].md").write_text("x")
    for place in ("", "#L1-L3", ":3:4", "#a#b"):
        assert unmask_path(tmp_path, f"docs/[secret].md{place}") == f"docs/{TOKEN}.md{place}"
    for unchanged in (
        "docs/plain.md",
        "docs/[secret].txt",
        "../[secret]",
        "/[secret]",
        "[secret]",
        "docs/[a] [secret].md",
    ):
        assert unmask_path(tmp_path, unchanged) == unchanged
    (tmp_path / "docs" / f"{TOKEN[::-1][:36].join(('ghp_', ''))}.md").write_text("x")
    with pytest.raises(UsageError, match="any of 2 files"):
        unmask_path(tmp_path, "docs/[secret].md")


# --- no way around it -------------------------------------------------------------------------------------------------


_MAY_ECHO = {
    "cli/common.py": "the functions that print, and fixed sentences",
    "cli/output_format.py": "masks files and lines",
    "cli/errors.py": "masks messages",
    "cli/__init__.py": "help",
    "cli/ask/editor.py": "masks the path",
    "cli/slow_notice.py": "fixed sentences and numbers",
    "cli/setup/completion.py": "a script",
    "cli/setup/open_page.py": "the server's own address with a one-time code, on request",
    "cli/setup/serve.py": "the server's own token, on request",
    "cli/setup/token.py": "a token that was just added, once",
    "cli/manage/check.py": "fixed sentences",
    "cli/manage/embedding_progress.py": "fixed sentences",
}
_MAY_ENCODE = {
    "http/endpoints.py": "json_response, which masks",
    "http/index_jobs.py": "masks events",
    "http/problems.py": "failures that the middleware has masked",
    "http/app.py": "the description of the API",
    "teams/app.py": "the description of the API",
    "teams/audit_log.py": "masks entries",
    "teams/token_store.py": "digests in the user's own file",
}


def _modules_calling(folder: str, *names: str) -> set[str]:
    """Name the modules that call one of the functions."""
    found = set()
    for path in (_INTERFACES / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in names:
                found.add(path.relative_to(_INTERFACES).as_posix())
    return found


def test_output_passes_the_functions_that_mask() -> None:
    """A module that prints or encodes by itself must be added here, with the reason why no secret leaves by it."""
    assert _modules_calling("cli", "click.echo", "print", "sys.stdout.write", "click.secho") <= set(_MAY_ECHO)
    for folder in ("http", "teams"):
        assert _modules_calling(folder, "msgspec.json.encode", "json.dumps", "JSONResponse") <= set(_MAY_ENCODE)


@given(
    text=st.text("aAbBkKeEyYtT1_-+= :/\n٣ſKé鍵×", max_size=40),
    word=st.sampled_from(["", "Token", "PASS", "keY", "https://", " -p ", "begin ", "abcdefghijkl", "ABCDEFGHIJK1"]),
)
def test_the_quick_search_for_signs_finds_what_the_expression_finds(text: str, word: str) -> None:
    middle = len(text) // 2
    mixed = text[:middle] + word + text[middle:]
    assert outgoing.has_sign(mixed) == bool(outgoing._SIGNS.search(mixed))
