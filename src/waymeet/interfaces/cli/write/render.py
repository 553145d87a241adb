"""Notes, tasks and skills as lines for people and as JSON."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from waymeet.errors import ConflictError
from waymeet.interfaces.render.text import Line
from waymeet.notebook import Item, Notebook, PastVersion, RemovedItem, SavedItem, skill_steps
from waymeet.notebook.fields import SINGULAR

_VERDICTS = {"same": "the same as", "update": "update or supersede?", "related": "related to"}
_COLUMNS = {
    "notes": (),
    "tasks": ("status", "priority", "due", "assignee"),
    "skills": (),
}


def as_json(item: Item, notebook: Notebook | None = None) -> dict[str, Any]:
    """Give an entry as JSON; with the notebook, also who links to it and, of a skill, how often it was used."""
    found: dict[str, Any] = msgspec.to_builtins(item)
    found.pop("text")
    if item.kind == "skills":
        found["steps"] = list(skill_steps(item))
    if notebook is not None:
        found["linked_from"] = [{"document": source, "kind": kind} for source, kind in notebook.backlinks(item.id)]
        if item.kind == "skills":
            found["usage"] = msgspec.to_builtins(notebook.usage().get(item.id))
    return found


def saved_json(saved: SavedItem) -> dict[str, Any]:
    """Give what came of saving as JSON."""
    found: dict[str, Any] = msgspec.to_builtins(saved)
    return {**found, "item": as_json(saved.item)}


def conflict_json(error: ConflictError) -> dict[str, Any]:
    """Give a conflict as JSON, with both texts."""
    told = error.message.partition("\n")[0]
    return {"conflict": {"message": told, "version": error.version, "current": error.current, "refused": error.refused}}


def item_lines(items: tuple[Item, ...], counts: dict[str, int]) -> Iterator[Line]:
    """List entries, one line each, and what is wrong with them."""
    wide = max((len(item.name) for item in items), default=0)
    for item in items:
        line = [(item.name.ljust(min(wide, 40)), "bold cyan"), (f"  {item.title}", "")]
        said = [item.value(key) for key in _COLUMNS[item.kind] if item.value(key)]
        if said:
            line.append((f"  {' · '.join(said)}", "green"))
        if item.values("tags"):
            line.append((f"  #{' #'.join(item.values('tags'))}", "dim"))
        if counts.get(item.id):
            line.append((f"  used {counts[item.id]}×", "dim"))
        yield line
        for problem in item.problems:
            yield [(f"  {problem}", "yellow")]


def history_lines(versions: tuple[PastVersion, ...]) -> Iterator[Line]:
    """List past versions, the newest first."""
    for each in versions:
        when = datetime.fromtimestamp(each.kept_ns / 1e9).isoformat(" ", "seconds")
        yield [(each.version, "bold cyan"), (f"  {when}  {each.size:,} bytes", "dim")]


def saved_lines(saved: SavedItem) -> Iterator[Line]:
    """Say what was written, what it resembles and what it may contradict."""
    done = "Wrote" if saved.changed else "Unchanged:"
    yield [(f"{done} ", ""), (saved.item.id, "bold cyan"), (f" (version {saved.item.version})", "dim")]
    for each in saved.similar:
        how = f" ({each.similarity:.2f} by {each.method})"
        yield [(f"{_VERDICTS[each.verdict]} ", "yellow"), (each.id, "cyan"), (f"  {each.title}{how}", "dim")]
    for other in saved.contradictions:
        yield [(f"{other.reason}: ", "yellow"), (other.id, "cyan"), (f"  {other.title}", "dim")]
        if other.mine:
            yield [("   this  │ ", "dim"), (other.mine, "")]
            yield [("   other │ ", "dim"), (other.theirs, "")]
    yield from ([(f"note: {note}", "dim")] for note in saved.notes)


def removed_lines(removed: RemovedItem, kind: str) -> Iterator[Line]:
    """Say what was removed, what referred to it, and how it comes back."""
    yield [("Removed ", ""), (removed.id, "bold cyan")]
    yield from ([(f"  {path} no longer says {relation}", "dim")] for path, relation in removed.unlinked)
    yield from ([(f"  {path} still links to it", "yellow")] for path in removed.dangling)
    yield from ([(f"note: {note}", "dim")] for note in removed.notes)
    yield [(f"To bring it back: waymeet {SINGULAR[kind]} restore {removed.id} {removed.version}", "dim")]
