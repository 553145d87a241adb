"""Changes of agents' settings files: only the entry changes, comments stay, and the change can be undone."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from waymeet.errors import ConflictError, UsageError
from waymeet.interfaces.agents import jsonc_edit, toml_edit
from waymeet.interfaces.agents.config_file import apply_plan, is_registered, plan_registration, plan_removal
from waymeet.interfaces.agents.known_agents import AGENTS, server_entry, server_name, settings_file

VSCODE = """\
// servers of this project
{
    "inputs": [], /* none */
    "servers": {
        // the first one
        "other": { "command": "x", "args": ["//no", "/*comment*/"], }, // keep me
    },
}
"""


@pytest.fixture(autouse=True)
def _away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CODEX_HOME", raising=False)


def test_a_value_is_put_between_comments() -> None:
    text = jsonc_edit.with_value(VSCODE, ["servers", "waymeet"], {"command": "waymeet", "args": ["mcp"]})
    assert text == VSCODE.replace(
        "// keep me\n",
        '// keep me\n        "waymeet": {\n            "command": "waymeet",\n            "args": ["mcp"]\n        }\n',
    )
    assert jsonc_edit.without_value(text, ["servers", "waymeet"]) == VSCODE.replace("}, // keep", "} // keep")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 1}', '{"x": 1, "a": {"b": 1}}'),
        ('{"a": {}}', '{"a": {\n  "b": 1\n}}'),
        ('{\r\n\t"x": 1\r\n}\r\n', '{\r\n\t"x": 1,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'),
        ('{\n  "a": {\n    "b": 2 // two\n  }\n}', '{\n  "a": {\n    "b": 1 // two\n  }\n}'),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("// only a comment", '// only a comment\n{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("\ufeff{}", '\ufeff{\n  "a": {\n    "b": 1\n  }\n}'),
    ],
)
def test_values_are_set_in_the_manner_of_the_file(before: str, after: str) -> None:
    assert jsonc_edit.with_value(before, ["a", "b"], 1) == after
    assert jsonc_edit.loads(after)["a"] == {"b": 1}


@pytest.mark.parametrize(
    "text", ["{", '{"a" 1}', "[1 2]", '{"a": }', "{} {}", '{"a": "x', "nul", '{"a": {}} x', "[" * 5000]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        jsonc_edit.loads(text)


_VALUES = some.recursive(
    some.none() | some.booleans() | some.integers(-99, 99) | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)
_OBJECTS = some.dictionaries(some.text(max_size=4), _VALUES, max_size=4)


@given(_OBJECTS, _OBJECTS, some.sampled_from([None, 1, 2, "\t"]))
def test_setting_and_removing_changes_nothing_else(
    rest: dict[str, object], servers: dict[str, object], indent: int
) -> None:
    whole = {**rest, "servers": servers}
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    assert jsonc_edit.loads(text) == whole
    entry = {"command": "w", "args": ["mcp"]}
    there = jsonc_edit.with_value(text, ["servers", "waymeet"], entry)
    assert json.loads(there) == {**whole, "servers": {**servers, "waymeet": entry}}
    assert json.loads(jsonc_edit.without_value(there, ["servers", "waymeet"])) == whole


def test_toml_keeps_what_is_around_a_table() -> None:
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other] # theirs\ncommand = "o"\n\n[tui]\n'
    entry = {"command": "waymeet", "args": ["mcp"]}
    after = toml_edit.set_values(before, ["mcp_servers", "waymeet"], entry)
    assert after == before + '\n[mcp_servers.waymeet]\ncommand = "waymeet"\nargs = ["mcp"]\n'
    changed = toml_edit.set_values(
        f"{after}env = {{ A = '1' }}\n[last]\n", ["mcp_servers", "waymeet"], {**entry, "args": ["m"]}
    )
    assert toml_edit.loads(changed)["mcp_servers"]["waymeet"] == {
        "command": "waymeet",
        "args": ["m"],
        "env": {"A": "1"},
    }
    assert toml_edit.loads(toml_edit.remove_table(changed, ["mcp_servers", "waymeet"])) == {
        **toml_edit.loads(before),
        "last": {},
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "mcp_servers = { a = { command = 'x' } } # mine\n",
            "mcp_servers = { a = { command = 'x' }, waymeet = {command = \"w\"}} # mine\n",
        ),
        (
            'a = """\n[mcp_servers.waymeet]\n"""\n',
            'a = """\n[mcp_servers.waymeet]\n"""\n\n[mcp_servers.waymeet]\ncommand = "w"\n',
        ),
        (
            "[mcp_servers.waymeet]\nargs = [ 'x' ] # mine\n\n# The rest.\n[tui]\n",
            "[mcp_servers.waymeet]\nargs = [ 'x' ] # mine\ncommand = \"w\"\n\n# The rest.\n[tui]\n",
        ),
    ],
)
def test_toml_is_edited_in_the_form_the_file_has(before: str, after: str) -> None:
    assert toml_edit.set_values(before, ["mcp_servers", "waymeet"], {"command": "w"}) == after


def test_removing_a_table_keeps_the_comment_above_the_next() -> None:
    text = '# One.\n[mcp_servers.waymeet]\ncommand = "w"\n\n# The rest.\n[tui]\na = 1\n'
    assert toml_edit.remove_table(text, ["mcp_servers", "waymeet"]) == "# One.\n\n# The rest.\n[tui]\na = 1\n"


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_is_registered_and_unregistered_to_the_byte(name: str, tmp_path: Path) -> None:
    agent, root = AGENTS[name], tmp_path / "project"
    root.mkdir()
    for scope in agent.files:
        path, called = settings_file(agent, scope, root), server_name(agent, root)
        for content in (
            None,
            b"",
            b"\xef\xbb\xbf",
            b"# c\r\n[x]\r\na = 1" if agent.form == "toml" else b'{ "x" : [1,\r\n2 ] }',
        ):
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                path.chmod(0o640)
            plan = plan_registration(agent, path, called, server_entry(agent, scope, root))
            apply_plan(plan, remember=True)
            assert is_registered(agent, path, called)
            assert content is None or stat.S_IMODE(path.stat().st_mode) == 0o640
            again = plan_registration(agent, path, called, server_entry(agent, scope, root))
            assert not again.changes
            back = plan_removal(agent, path, called)
            assert back.exact
            apply_plan(back, remember=False)
            assert (path.read_bytes() if path.exists() else None) == content


def test_what_others_wrote_meanwhile_stays(tmp_path: Path) -> None:
    agent = AGENTS["cursor"]
    path = tmp_path / ".cursor" / "mcp.json"
    apply_plan(plan_registration(agent, path, "waymeet", server_entry(agent, "project", tmp_path)), remember=True)
    path.write_text(jsonc_edit.with_value(path.read_text(), ["mcpServers", "mine"], {"url": "u"}))
    back = plan_removal(agent, path, "waymeet")
    assert not back.exact
    apply_plan(back, remember=False)
    assert json.loads(path.read_text()) == {"mcpServers": {"mine": {"url": "u"}}}


def test_a_second_registration_still_leads_back_to_the_beginning(tmp_path: Path) -> None:
    agent, path = AGENTS["codex"], tmp_path / "config.toml"
    path.write_bytes(b"a = 1 # one")
    apply_plan(plan_registration(agent, path, "waymeet", {"command": "a", "args": []}), remember=True)
    apply_plan(plan_registration(agent, path, "waymeet", {"command": "b", "args": ["x"]}), remember=True)
    apply_plan(plan_removal(agent, path, "waymeet"), remember=False)
    assert path.read_bytes() == b"a = 1 # one"


@pytest.mark.parametrize("name", ["claude-desktop", "codex"])
def test_one_of_two_projects_is_taken_out_and_the_other_stays(name: str, tmp_path: Path) -> None:
    agent, path = AGENTS[name], tmp_path / "settings"
    path.write_bytes(b"# mine\n" if agent.form == "toml" else b'{ "theme": "dark" } // mine\n')
    before = path.read_bytes()
    apply_plan(plan_registration(agent, path, "waymeet-shop", {"command": "a", "args": []}), remember=True)
    apply_plan(plan_registration(agent, path, "waymeet-blog", {"command": "a", "args": []}), remember=True)
    back = plan_removal(agent, path, "waymeet-blog")
    assert not back.exact
    apply_plan(back, remember=False)
    assert is_registered(agent, path, "waymeet-shop")
    assert not is_registered(agent, path, "waymeet-blog")
    apply_plan(plan_removal(agent, path, "waymeet-shop"), remember=False)
    assert path.read_bytes() == before


def test_keys_of_the_entry_that_the_user_added_stay(tmp_path: Path) -> None:
    agent, path = AGENTS["claude-code"], tmp_path / ".mcp.json"
    path.write_text('{"mcpServers": {"waymeet": {"command": "old", "env": {"A": "1"}}}}')
    apply_plan(plan_registration(agent, path, "waymeet", {"command": "new", "args": ["mcp"]}), remember=True)
    entry = json.loads(path.read_text())["mcpServers"]["waymeet"]
    assert entry == {"command": "new", "env": {"A": "1"}, "args": ["mcp"]}


def test_a_file_that_changes_between_plan_and_deed_is_left_alone(tmp_path: Path) -> None:
    agent, path = AGENTS["claude-code"], tmp_path / ".mcp.json"
    plan = plan_registration(agent, path, "waymeet", {"command": "w", "args": []})
    path.write_text("{}")
    with pytest.raises(ConflictError):
        apply_plan(plan, remember=True)
    assert path.read_text() == "{}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("claude-code", b"{ broken"),
        ("claude-code", b"[]"),
        ("claude-code", b'{"mcpServers": []}'),
        ("claude-code", b"\xff\xfe"),
        ("codex", b"= broken"),
        ("codex", b"mcp_servers = 1"),
        ("codex", b"[[mcp_servers]]"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"cannot be changed|not UTF-8"):
        plan_registration(AGENTS[name], path, "waymeet", {"command": "w", "args": []})
    assert path.read_bytes() == content


def test_what_is_kept_is_for_the_users_eyes_only(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    path.write_text('{"key": "secret"}')
    apply_plan(plan_registration(AGENTS["claude-code"], path, "waymeet", {"command": "w", "args": []}), remember=True)
    (record,) = (tmp_path / "data" / "waymeet" / "agents").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_a_link_of_the_project_that_leads_out_of_it_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".mcp.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(UsageError, match="leads out"):
        settings_file(AGENTS["claude-code"], "project", root)


def test_a_link_of_the_users_own_is_kept(tmp_path: Path) -> None:
    home, real = tmp_path / "home", tmp_path / "dotfiles.json"
    home.mkdir()
    real.write_text("{}")
    (home / ".claude.json").symlink_to(real)
    agent = AGENTS["claude-code"]
    apply_plan(
        plan_registration(agent, settings_file(agent, "user", tmp_path), "waymeet", {"command": "w", "args": []}),
        remember=True,
    )
    assert (home / ".claude.json").is_symlink()
    assert "waymeet" in real.read_text()


def test_places() -> None:
    home, root = Path(os.environ["HOME"]), Path("/p")
    config = Path(os.environ["XDG_CONFIG_HOME"])
    assert {(name, scope): make(root) for name, agent in AGENTS.items() for scope, make in agent.files.items()} == {
        ("claude-code", "project"): root / ".mcp.json",
        ("claude-code", "user"): home / ".claude.json",
        ("claude-desktop", "user"): config / "Claude" / "claude_desktop_config.json",
        ("cursor", "project"): root / ".cursor" / "mcp.json",
        ("cursor", "user"): home / ".cursor" / "mcp.json",
        ("vscode", "project"): root / ".vscode" / "mcp.json",
        ("vscode", "user"): config / "Code" / "User" / "mcp.json",
        ("codex", "project"): root / ".codex" / "config.toml",
        ("codex", "user"): home / ".codex" / "config.toml",
    }
