"""Conflicts: pairs of items that contradict or nearly repeat each other.

A conflict is found when an item is saved, and by the relations `contradicts` and `conflicts_with`. A resolved one is
found again only after a text changed. Conflicts are stored in a JSON file beside the index.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.notebook.atomic_replace import version_of
from waymeet.notebook.item import Item
from waymeet.notebook.relations import Directory
from waymeet.notebook.similar import ItemComparison, Text, compare_texts
from waymeet.search.feedback.json_file import lock_file, write_json
from waymeet.settings import NotebookSettings

RESOLUTIONS = ("keep_both", "merged", "superseded")
CONFLICT_RELATIONS = ("contradicts", "conflicts_with")
_TEXT_CHANGED = "text_changed"
_LINKED = "linked by "
_LOCK_SECONDS = 10.0
_MAX_CONFLICTS = 5000
_VERDICTS = {"same": "duplicate", "update": "near-duplicate"}


class Side(Struct, frozen=True):
    """One of the two items of a conflict."""

    id: str
    title: str
    sentence: str = ""
    """The sentence that may contradict the other item, if there is one."""
    digest: str = ""
    """A hash of its title and body; a resolved conflict is found again after it changed."""


class Conflict(Struct, frozen=True, omit_defaults=True):
    """Two items that contradict or nearly repeat each other."""

    id: str
    one: Side
    other: Side
    reasons: tuple[str, ...]
    since_ns: int
    """Time at which it was found, in nanoseconds since 1970."""
    by_vectors: bool = False
    """Whether it was found by vectors only, so that comparing terms does not find it."""
    resolution: str = ""
    """`keep_both`, `merged`, `superseded`, or `text_changed` if a text was changed so that they agree."""
    resolved_ns: int = 0

    @property
    def pair(self) -> frozenset[str]:
        """Return the ids of both items."""
        return frozenset((self.one.id, self.other.id))


def read_conflicts(file: Path) -> tuple[Conflict, ...]:
    """Read all conflicts, also resolved ones.

    Raises:
        UsageError: the file is unreadable or damaged.
    """
    try:
        return tuple(msgspec.json.decode(file.read_bytes(), type=list[Conflict]))
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{file} cannot be read: {error}.", "Move it away to start without conflicts.") from error


def change_conflicts(file: Path, change: Callable[[tuple[Conflict, ...]], Iterable[Conflict]]) -> tuple[Conflict, ...]:
    """Change the stored conflicts while no other process does, and return them.

    Raises:
        UsageError: the file is damaged.
        OSError: it cannot be written.
    """
    with lock_file(file, _LOCK_SECONDS):
        before = read_conflicts(file)
        after = tuple(change(before))
        if len(after) > _MAX_CONFLICTS:  # open ones are kept, then those resolved last
            after = tuple(sorted(after, key=lambda conflict: (bool(conflict.resolution), -conflict.resolved_ns)))
            after = after[:_MAX_CONFLICTS]
        if after != before:
            write_json(file, after)
        return after


def conflict_id(one: str, other: str) -> str:
    """Compute the id of the conflict of two items, in any order.

    >>> conflict_id("a.md", "b.md") == conflict_id("b.md", "a.md"), len(conflict_id("a.md", "b.md"))
    (True, 8)
    """
    return version_of("\n".join(sorted((one, other))).encode())[:8]


def from_comparison(item: Item, comparison: ItemComparison, items: Mapping[str, Item], now: int) -> list[Conflict]:
    """List the conflicts that comparing an item with others found."""
    reasons: dict[str, list[str]] = {}
    sentences: dict[str, tuple[str, str]] = {}
    methods: dict[str, str] = {}
    for contradiction in comparison.contradictions:
        if contradiction.mine:  # others are known by their relation
            reasons.setdefault(contradiction.id, []).append(contradiction.reason)
            sentences[contradiction.id] = contradiction.mine, contradiction.theirs
    for similar in comparison.similar:
        if similar.verdict in _VERDICTS:
            reason = f"{_VERDICTS[similar.verdict]}: similarity {similar.similarity:.2f} by {similar.method}"
            reasons.setdefault(similar.id, []).append(reason)
            methods[similar.id] = similar.method
    conflicts = []
    for id_, found in reasons.items():
        if id_ in items:
            conflict = _make(item, items[id_], tuple(found), now, sentences.get(id_, ("", "")))
            conflicts.append(replace(conflict, by_vectors=methods.get(id_) == "vectors" and id_ not in sentences))
    return conflicts


def from_relations(items: Mapping[str, Item], now: int) -> Iterator[Conflict]:
    """Yield the conflicts that relations between items name."""
    linking = [item for item in items.values() if any(map(item.values, CONFLICT_RELATIONS))]
    directory = Directory(items.values()) if linking else None
    for item in linking if directory else ():
        for relation in CONFLICT_RELATIONS:
            for value in item.values(relation):
                target = directory.resolve(value, item.id) if directory else None
                if target and target != item.id:
                    yield _make(item, items[target], (f"{_LINKED}{relation}",), now)


def _make(
    one: Item, other: Item, reasons: tuple[str, ...], now: int, sentences: tuple[str, str] = ("", "")
) -> Conflict:
    """Make a conflict, with the sentences of both items if they may contradict each other."""
    sides = (
        Side(item.id, item.title, _mask(sentence, item), text_digest(item))
        for item, sentence in zip((one, other), sentences, strict=True)
    )
    first, second = sorted(sides, key=lambda side: side.id)
    return Conflict(conflict_id(one.id, other.id), first, second, reasons, now)


def _mask(sentence: str, item: Item) -> str:
    """Mask secrets of a sentence, as in the whole text of its item."""
    text = mask_secrets(f"{item.title}\n{item.body}", item.id)
    if not sentence or not text.number or sentence in text.text:
        return sentence
    masked = mask_secrets(sentence, item.id)
    return masked.text if masked.number else ""


def text_digest(item: Item) -> str:
    """Hash the title and the body of an item, without other front matter."""
    return version_of(f"{item.title}\n{item.body}".encode("utf-8", "surrogatepass"))


def merge_found(stored: Iterable[Conflict], found: Iterable[Conflict]) -> dict[str, Conflict]:
    """Add found conflicts to stored ones, by id.

    An open conflict keeps its date. A resolved one stays resolved unless a text changed.
    """
    merged = {conflict.id: conflict for conflict in stored}
    for conflict in found:
        before = merged.get(conflict.id)
        if before is None or (before.resolution and _digests(before) != _digests(conflict)):
            merged[conflict.id] = conflict
        elif not before.resolution:
            reasons = conflict.reasons
            if _digests(before) == _digests(conflict):
                reasons = tuple(dict.fromkeys((*before.reasons, *reasons)))
            sentences = conflict if conflict.one.sentence else before
            merged[conflict.id] = replace(
                conflict,
                one=replace(conflict.one, sentence=sentences.one.sentence),
                other=replace(conflict.other, sentence=sentences.other.sentence),
                reasons=reasons,
                since_ns=before.since_ns,
            )
    return merged


def close_vanished(
    conflicts: Mapping[str, Conflict], item: Item, found: Iterable[Conflict], now: int
) -> dict[str, Conflict]:
    """Resolve open conflicts of a changed item that comparing it did not find again."""
    found_ids = {conflict.id for conflict in found}
    digests = {item.id: text_digest(item)}
    return {
        id_: replace(_with_digests(conflict, digests), resolution=_TEXT_CHANGED, resolved_ns=now)
        if _is_vanished(conflict, item, found_ids)
        else conflict
        for id_, conflict in conflicts.items()
    }


def _with_digests(conflict: Conflict, digests: Mapping[str, str]) -> Conflict:
    one, other = (replace(side, digest=digests.get(side.id, side.digest)) for side in (conflict.one, conflict.other))
    return replace(conflict, one=one, other=other)


def _is_vanished(conflict: Conflict, item: Item, found_ids: set[str]) -> bool:
    if conflict.resolution or conflict.by_vectors or item.id not in conflict.pair or conflict.id in found_ids:
        return False
    side = conflict.one if conflict.one.id == item.id else conflict.other
    is_linked = any(reason.startswith(_LINKED) for reason in conflict.reasons)
    return not is_linked and side.digest != text_digest(item)


def recheck(
    conflicts: Mapping[str, Conflict], items: Mapping[str, Item], settings: NotebookSettings, now: int
) -> dict[str, Conflict]:
    """Compare pairs again of which an editor changed a text since."""
    checked = dict(conflicts)
    for conflict in conflicts.values():
        one, other = items.get(conflict.one.id), items.get(conflict.other.id)
        if one is None or other is None or (text_digest(one), text_digest(other)) == _digests(conflict):
            continue
        comparison = compare_texts(_to_text(one), [_to_text(other)], settings)
        found = from_comparison(one, comparison, items, now)
        checked = merge_found(checked.values(), found)
        for item in (one, other):
            checked = close_vanished(checked, item, found, now)
    return checked


def drop_removed_links(conflicts: Mapping[str, Conflict], linked_ids: set[str], now: int) -> dict[str, Conflict]:
    """Remove reasons of relations that are gone, and resolve conflicts without another reason."""
    checked = dict(conflicts)
    for id_, conflict in conflicts.items():
        left = tuple(reason for reason in conflict.reasons if not reason.startswith(_LINKED))
        if not conflict.resolution and id_ not in linked_ids and left != conflict.reasons:
            resolved = {} if left else {"resolution": _TEXT_CHANGED, "resolved_ns": now}
            checked[id_] = replace(conflict, reasons=left, **resolved)
    return checked


def list_open(conflicts: Iterable[Conflict], items: Mapping[str, Item]) -> Iterator[Conflict]:
    """Yield the conflicts that are not resolved, the oldest first, with the present titles.

    One that an item settles by the relation `supersedes`, or whose item was removed, is not listed.
    """
    directory: Directory | None = None
    for conflict in sorted(conflicts, key=lambda conflict: (conflict.since_ns, conflict.id)):
        one, other = items.get(conflict.one.id), items.get(conflict.other.id)
        if conflict.resolution or one is None or other is None:
            continue
        directory = directory or Directory(items.values())
        if _supersedes(one, other, directory) or _supersedes(other, one, directory):
            continue
        yield replace(
            conflict, one=replace(conflict.one, title=one.title), other=replace(conflict.other, title=other.title)
        )


def _supersedes(one: Item, other: Item, directory: Directory) -> bool:
    targets = (directory.resolve(value, one.id) for value in one.values("supersedes"))
    sources = (directory.resolve(value, other.id) for value in other.values("superseded_by"))
    return other.id in targets or one.id in sources


def find_conflict(conflicts: Iterable[Conflict], reference: str) -> Conflict:
    """Find an open conflict by its id or the start of it.

    Raises:
        ItemNotFoundError: there is none.
        UsageError: there are several.
    """
    prefix = reference.strip().lower()
    matches = [conflict for conflict in conflicts if prefix and conflict.id.startswith(prefix)]
    if not matches:
        raise ItemNotFoundError(f"There is no open conflict {reference!r}.", "To list them: waymeet note conflicts")
    if len(matches) > 1:
        raise UsageError(f"{reference!r} may mean any of {', '.join(conflict.id for conflict in matches[:5])}.")
    return matches[0]


def parse_resolution(name: str) -> str:
    """Parse the name of a resolution.

    >>> parse_resolution("Keep-both")
    'keep_both'
    """
    resolution = name.strip().lower().replace("-", "_")
    if resolution in RESOLUTIONS:
        return resolution
    raise UsageError(f"There is no resolution {name!r}.", f"The resolutions are {', '.join(RESOLUTIONS)}.")


def mark_resolved(conflict: Conflict, resolution: str, items: Mapping[str, Item], now: int) -> Conflict:
    """Return a conflict as resolved for the present texts."""
    current = _with_digests(conflict, {id_: text_digest(item) for id_, item in items.items()})
    return replace(current, resolution=resolution, resolved_ns=now)


def rename_conflicts(file: Path, renamed: Mapping[str, str]) -> None:
    """Move the conflicts of renamed items to their new paths, old path → new path."""
    if not any(conflict.pair & renamed.keys() for conflict in read_conflicts(file)):
        return

    def rename(conflict: Conflict) -> Conflict:
        sides = (replace(side, id=renamed.get(side.id, side.id)) for side in (conflict.one, conflict.other))
        one, other = sorted(sides, key=lambda side: side.id)
        return replace(conflict, id=conflict_id(one.id, other.id), one=one, other=other)

    change_conflicts(file, lambda conflicts: {each.id: each for each in map(rename, conflicts)}.values())


def _digests(conflict: Conflict) -> tuple[str, str]:
    return conflict.one.digest, conflict.other.digest


def _to_text(item: Item) -> Text:
    return Text(item.id, item.title, item.body)
