"""Notes, tasks and skills as lines of text and as JSON."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from waymeet.errors import ConflictError
from waymeet.interfaces.render.text import Line
from waymeet.notebook import Item, Notebook, PastVersion, RemovedItem, SavedItem, skill_steps
from waymeet.notebook.fields import SINGULAR

_VERDICTS = {"same": "duplicate of", "update": "similar, update or supersede?", "related": "related to"}
_COLUMNS = {
    "notes": (),
    "tasks": ("status", "priority", "due", "assignee"),
    "skills": (),
}


def item_json(item: Item, notebook: Notebook | None = None) -> dict[str, Any]:
    """Convert a masked item to JSON, with a notebook including its links and use count."""
    document: dict[str, Any] = msgspec.to_builtins(item)
    document.pop("text")
    if item.kind == "skills":
        document["steps"] = list(skill_steps(item))
    if notebook is not None:
        document["review"] = msgspec.to_builtins(notebook.review.states([item])[item.id])
        document["linked_from"] = [{"document": source, "kind": kind} for source, kind in notebook.backlinks(item.id)]
        if item.kind == "skills":
            document["usage"] = msgspec.to_builtins(notebook.usage().get(item.id))
    return document


def saved_json(saved: SavedItem) -> dict[str, Any]:
    """Convert the result of saving to JSON."""
    document: dict[str, Any] = msgspec.to_builtins(saved)
    return {**document, "item": item_json(saved.item)}


def conflict_json(error: ConflictError) -> dict[str, Any]:
    """Convert a conflict to JSON, with both texts."""
    message = error.message.partition("\n")[0]
    texts = {"current": error.current, "refused": error.refused}
    return {"conflict": {"message": message, "version": error.version, **texts}}


def item_lines(items: tuple[Item, ...], counts: dict[str, int]) -> Iterator[Line]:
    """List items, one per line, with their problems below."""
    width = max((len(item.name) for item in items), default=0)
    for item in items:
        line = [(item.name.ljust(min(width, 40)), "bold cyan"), (f"  {item.title}", "")]
        values = [item.value(key) for key in _COLUMNS[item.kind] if item.value(key)]
        if values:
            line.append((f"  {' · '.join(values)}", "green"))
        if item.values("tags"):
            line.append((f"  #{' #'.join(item.values('tags'))}", "dim"))
        if counts.get(item.id):
            line.append((f"  used {counts[item.id]}×", "dim"))
        yield line
        for problem in item.problems:
            yield [(f"  {problem}", "yellow")]


def history_lines(versions: tuple[PastVersion, ...]) -> Iterator[Line]:
    """List past versions, the newest first."""
    for version in versions:
        saved_at = datetime.fromtimestamp(version.kept_ns / 1e9).isoformat(" ", "seconds")
        yield [(version.version, "bold cyan"), (f"  {saved_at}  {version.size:,} bytes", "dim")]


def saved_lines(saved: SavedItem) -> Iterator[Line]:
    """Show the saved item, similar items and possible contradictions."""
    action = "Saved" if saved.changed else "Unchanged:"
    yield [(f"{action} ", ""), (saved.item.id, "bold cyan"), (f" (version {saved.item.version})", "dim")]
    for item in saved.similar:
        similarity = f" ({item.similarity:.2f} by {item.method})"
        yield [(f"{_VERDICTS[item.verdict]} ", "yellow"), (item.id, "cyan"), (f"  {item.title}{similarity}", "dim")]
    for other in saved.contradictions:
        yield [(f"{other.reason}: ", "yellow"), (other.id, "cyan"), (f"  {other.title}", "dim")]
        if other.mine:
            yield [("   this  │ ", "dim"), (other.mine, "")]
            yield [("   other │ ", "dim"), (other.theirs, "")]
    yield from ([(f"note: {note}", "dim")] for note in saved.notes)


def removed_lines(removed: RemovedItem, kind: str) -> Iterator[Line]:
    """Show the removed item, the relations to it, and the command that restores it."""
    yield [("Removed ", ""), (removed.id, "bold cyan")]
    yield from ([(f"  {path}: removed its relation {relation}", "dim")] for path, relation in removed.unlinked)
    yield from ([(f"  {path} still links to it", "yellow")] for path in removed.dangling)
    yield from ([(f"note: {note}", "dim")] for note in removed.notes)
    yield [(f"To restore it: waymeet {SINGULAR[kind]} restore {removed.id} {removed.version}", "dim")]
