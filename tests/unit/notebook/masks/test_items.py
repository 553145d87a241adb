"""Notes, tasks and skills with secrets: what is shown of them, and changes based on that."""

from pathlib import Path

import pytest
from support.planted_secrets import dice, drawn

from waymeet.errors import ConflictError, MaskedValueError
from waymeet.notebook import Notebook, skill_steps
from waymeet.notebook.masks.items import mask_item
from waymeet.settings import Ingest, Settings

_RNG = dice(7)
TOKEN, OTHER, PASSWORD = "ghp_" + drawn(_RNG, 36), "ghp_" + drawn(_RNG, 36), drawn(_RNG, 20)
KEY = "\n".join(drawn(_RNG, 64) for _ in range(4))
_NOTE = f"""---
# of the team
title: Access of {TOKEN}
tags: [ops, {OTHER}]
api_key: "{PASSWORD}"   # since May
pin: 4711
nested: {{client_secret: {PASSWORD}}}
---
# Access

The token is {TOKEN}, and again {PASSWORD}.

-----BEGIN PRIVATE KEY-----
{KEY}
-----END PRIVATE KEY-----

Shown as [secret].
"""
_SECRETS = (TOKEN, OTHER, PASSWORD, *KEY.split("\n"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "root" / ".waymeet" / "notes" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text(_NOTE)
    return path


@pytest.fixture
def notebook(path: Path, tmp_path: Path) -> Notebook:
    return Notebook(path.parents[2], Settings(), tmp_path / "index.db")


def test_no_secret_of_an_item_is_shown(notebook: Notebook) -> None:
    shown = mask_item(notebook.read("a"))
    assert not [secret for secret in _SECRETS if secret in repr(shown)]
    assert shown.title == "Access of [secret]"
    assert shown.fields == {
        "title": "Access of [secret]",
        "tags": ["ops", "[secret]"],
        "api_key": "[secret]",
        "pin": 4711,
        "nested": {"client_secret": "[secret]"},
    }
    assert shown.version == notebook.read("a").version


def test_fields_that_are_sent_back_keep_their_values(notebook: Notebook, path: Path) -> None:
    shown = mask_item(notebook.read("a"))
    fields = {"tags": ["[secret]", "ops", "new"], "api_key": "[secret]"}
    notebook.update("a", version=shown.version, title="Access, formerly of [secret]", fields=fields)
    saved = notebook.read("a")
    assert saved.title == f"Access, formerly of {TOKEN}"
    assert saved.fields["tags"] == [OTHER, "ops", "new"]
    assert saved.fields["api_key"] == PASSWORD
    assert "# of the team\n" in path.read_text()
    assert f'api_key: "{PASSWORD}"   # since May' in path.read_text()


def test_a_changed_body_keeps_the_values(notebook: Notebook, path: Path) -> None:
    shown = mask_item(notebook.read("a"))
    body = shown.body.replace("# Access", "# Access to the server").replace("Shown", "It is shown") + "\nMore.\n"
    saved = notebook.update("a", version=shown.version, body=body)
    expected = _NOTE.replace("# Access\n", "# Access to the server\n").replace("Shown", "It is shown")
    assert path.read_text() == expected.replace("---\n# Access", "---\n\n# Access") + "\nMore.\n"
    assert any("were kept (lines 3, 6 of the new text)" in note for note in saved.notes), saved.notes


def test_the_whole_text_can_be_sent_back_with_its_front_matter(notebook: Notebook, path: Path) -> None:
    shown = mask_item(notebook.read("a"))
    notebook.update("a", version=shown.version, body=shown.text.replace("pin: 4711", "pin: 815"))
    assert path.read_text() == _NOTE.replace("pin: 4711", "pin: 815")


def test_an_uncertain_change_writes_nothing(notebook: Notebook, path: Path) -> None:
    path.write_text(f"# A\n- {TOKEN}\n- {OTHER}\nend\n")
    with pytest.raises(MaskedValueError, match=r"line 2 of the new text .*lines 2, 3 of the file"):
        notebook.update("a", version=notebook.read("a").version, body="# A\n- [secret]\nend\n")
    assert path.read_text() == f"# A\n- {TOKEN}\n- {OTHER}\nend\n"


def test_a_conflict_shows_masked_texts_on_which_a_change_can_be_based(notebook: Notebook, path: Path) -> None:
    version = notebook.read("a").version
    path.write_text(f"{_NOTE}\nChanged by an editor.\n")
    with pytest.raises(ConflictError) as refused:
        notebook.update("a", version=version, body=f"Mine, with {OTHER}.")
    error = refused.value
    assert not [secret for secret in _SECRETS if secret in f"{error} {error.current} {error.refused}"]
    assert "Mine, with [secret]." in error.refused
    notebook.update("a", version=error.version, body=error.current.replace("by an editor", "by two editors"))
    assert path.read_text() == f"{_NOTE}\nChanged by two editors.\n"
    with pytest.raises(ConflictError) as refused:
        notebook.delete("a", version=version)
    assert not [secret for secret in _SECRETS if secret in f"{refused.value} {refused.value.current}"]


def test_an_editor_may_write_a_mask_over_a_value(notebook: Notebook, path: Path) -> None:
    """The text in an editor is not masked: a mask in it was typed on purpose."""
    notebook.update("a", version=notebook.read("a").version, text=_NOTE.replace(TOKEN, "[secret]"), has_masks=False)
    assert path.read_text() == _NOTE.replace(TOKEN, "[secret]")


def test_a_new_item_with_masks_is_saved_with_a_warning(notebook: Notebook, path: Path) -> None:
    saved = notebook.create("notes", "Copy", "Copied.\n\ntoken: [secret]\n")
    assert any("it is a mask, not a value" in note for note in saved.notes)


def test_steps_of_a_skill_keep_their_values(notebook: Notebook) -> None:
    item = notebook.create("skills", "Deploy", steps=("Build", f"Log in with {TOKEN}", "Ship")).item
    shown = skill_steps(mask_item(item))
    assert shown == ("Build", "Log in with [secret]", "Ship")
    saved = notebook.update(item.id, version=item.version, steps=("Test", *shown, "Look"))
    assert skill_steps(saved.item) == ("Test", "Build", f"Log in with {TOKEN}", "Ship", "Look")


def test_restoring_a_past_version_brings_back_its_values(notebook: Notebook, path: Path) -> None:
    first = notebook.read("a")
    second = notebook.update("a", version=first.version, body="Nothing any more.").item
    notebook.restore("a", first.version, version=second.version)
    assert path.read_text() == _NOTE


def test_similar_items_are_compared_without_their_secrets(notebook: Notebook) -> None:
    text = f"The password of the server is not {PASSWORD}. The password of the server api_key={PASSWORD} is set."
    notebook.create("notes", "One", text)
    saved = notebook.create("notes", "Two", text.replace("is not", "is"))
    assert saved.similar
    assert PASSWORD not in repr((saved.similar, saved.contradictions))


def test_nothing_is_masked_if_the_user_does_not_want_it(path: Path, tmp_path: Path) -> None:
    settings = Settings(ingest=Ingest(mask_secrets=False))
    notebook = Notebook(path.parents[2], settings, tmp_path / "index.db")
    with pytest.raises(ConflictError) as refused:
        notebook.update("a", version="other", body="Mine.")
    assert TOKEN in refused.value.current
