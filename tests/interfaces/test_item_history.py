"""The operations on past versions of notes, tasks and skills."""

from collections.abc import Callable
from typing import Any

import pytest

from waymeet.errors import ConflictError, ItemNotFoundError

Ask = Callable[..., Any]


def test_past_versions_are_listed_read_and_restored(ask: Ask) -> None:
    first = ask("remember", kind="notes", title="Tide", text="It is high.").item
    second = ask("update", id=first.id, version=first.version, text="It is low.").item
    history = ask("history", id=first.id)
    assert [version.version for version in history.versions] == [second.version, first.version]
    assert (history.version, history.text, history.current) == (second.version, "", "")
    past = ask("history", id="Tide", past_version=first.version)
    assert past.text.endswith("It is high.\n")
    assert past.current.endswith("It is low.\n")
    with pytest.raises(ConflictError):
        ask("restore_version", id=first.id, past_version=first.version, version=first.version)
    restored = ask("restore_version", id=first.id, past_version=first.version, version=second.version)
    assert restored.item.text == "It is high.\n"


def test_a_removed_item_is_restored(ask: Ask) -> None:
    item = ask("remember", kind="tasks", title="Gauge", text="Repair it.").item
    ask("forget", id=item.id, version=item.version)
    history = ask("history", id=item.id, past_version=item.version)
    assert (history.version, history.current) == ("", "")
    assert "Repair it." in history.text
    assert ask("restore_version", id=item.id, past_version=item.version, version="").item.version == item.version
    with pytest.raises(ItemNotFoundError):
        ask("history", id=item.id, past_version="0000")
    with pytest.raises(ItemNotFoundError):
        ask("history", id="notes/none.md")
