"""Reading and writing notes, tasks and skills: the same files that editors and git know."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from waymeet.analysis import replace_surrogates
from waymeet.errors import ConflictError, ItemNotFoundError, UsageError
from waymeet.ingest.discover.entry_kind import SKILL_PAGE
from waymeet.notebook import frontmatter_edit, usage
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.fields import ONLY_ONE, RELATIONS, SINGULAR, checked, urgency
from waymeet.notebook.file_names import one_line, slug
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.history import PastVersion
from waymeet.notebook.index_view import IndexView
from waymeet.notebook.item import Item, with_steps
from waymeet.notebook.relations import Directory, Targets, bare
from waymeet.notebook.similar import Contradiction, SimilarItem
from waymeet.notebook.writer import Change, Writer
from waymeet.settings import Settings

_TRIES = 5
_NONE = IndexView()


class SavedItem(Struct, frozen=True):
    """An entry as it was written, and what its author should know."""

    item: Item
    changed: bool = True
    similar: tuple[SimilarItem, ...] = ()
    """Entries of the same kind that resemble it, the likest first."""
    contradictions: tuple[Contradiction, ...] = ()
    notes: tuple[str, ...] = ()


class RemovedItem(Struct, frozen=True):
    """What was removed with an entry."""

    id: str
    version: str
    unlinked: tuple[tuple[str, str], ...] = ()
    """Other entries that referred to it, with the relation that was taken out of them."""
    dangling: tuple[str, ...] = ()
    """Documents whose text still links to it."""
    notes: tuple[str, ...] = ()


class Notebook:
    """The notes, tasks and skills of a project. A change must name the version of the entry it is based on."""

    def __init__(self, root: Path, settings: Settings, beside: Path, index: IndexView = _NONE) -> None:
        """`beside` is the index file, next to which the lock, counts and past versions are kept."""
        self._root = root
        self._settings = settings
        self._index = index
        self._counts = beside.with_name(f"{beside.name}.usage.json")
        self._shelves = Catalog(root, settings.notebook, index.skills)
        self._desk = Writer(self._shelves, beside, settings)

    def read(self, reference: str, kind: str = "") -> Item:
        """Read an entry by its path, its name, or its title."""
        self._desk.rescue()
        return self._shelves.load(self._found(reference, kind))[0]

    def list(self, kind: str, wanted: Mapping[str, Iterable[str]] | None = None) -> tuple[Item, ...]:
        """List the entries of a kind, by name, tasks by urgency.

        `wanted` gives for keys of the front matter the values that pass.
        """
        self._desk.rescue()
        asked = {key: {value.casefold() for value in values} for key, values in (wanted or {}).items()}
        found = (item for item in self._shelves.items(kind) if _passes(item, asked))
        return tuple(sorted(found, key=_place))

    def create(
        self,
        kind: str,
        title: str,
        body: str = "",
        fields: Mapping[str, Value] | None = None,
        steps: tuple[str, ...] = (),
    ) -> SavedItem:
        """Write a new entry. A body that brings front matter of its own keeps it."""
        title = one_line(title)
        if not title:
            raise UsageError(f"A {SINGULAR[kind]} needs a title.")
        text = frontmatter_edit.with_body(replace_surrogates(body), frontmatter_edit.body_of(replace_surrogates(body)))
        if steps:
            text = frontmatter_edit.with_body(
                text, with_steps(frontmatter_edit.body_of(text), tuple(map(one_line, steps)))
            )
        values = checked(kind, fields or {})
        if kind == "tasks" and not values.get("status") and "status" not in frontmatter_edit.read(text).values:
            values["status"] = "todo"
        name = slug(title, SINGULAR[kind])
        with self._alone():
            values = self._targets().resolved(f"{self._shelves.bases[kind].folder}/{name}.md", values)
            path = self._desk.create(kind, name, frontmatter_edit.with_fields(text, {"title": title, **values}))
            item = self._shelves.load(path)[0]
        return self._saved(item, compare=True)

    def update(
        self,
        reference: str,
        *,
        version: str,
        title: str | None = None,
        body: str | None = None,
        fields: Mapping[str, Value] | None = None,
        steps: tuple[str, ...] | None = None,
        text: str | None = None,
        kind: str = "",
    ) -> SavedItem:
        """Change an entry: its title, its body, fields of its front matter (None removes one), or all of its text.

        Raises:
            ConflictError: it is no longer of the version that the change is based on; nothing was written.
        """

        def change(item: Item, before: str) -> str:
            after = before if text is None else _in_the_manner_of(before, replace_surrogates(text))
            if body is not None:
                after = frontmatter_edit.with_body(after, replace_surrogates(body))
            if steps is not None:
                after = frontmatter_edit.with_body(
                    after, with_steps(frontmatter_edit.body_of(after), tuple(map(one_line, steps)))
                )
            values = self._targets().resolved(item.id, checked(item.kind, fields or {}))
            if title is not None:
                values["name" if item.id.endswith(SKILL_PAGE) else "title"] = one_line(title) or item.title
            return frontmatter_edit.with_fields(after, values) if values else after

        with self._alone():
            path = self._found(reference, kind)
            changed = self._desk.change(path, version, change)
            item = self._shelves.load(path)[0]
        return self._saved(item, changed=changed, compare=(title, body, text) != (None,) * 3)

    def link(self, reference: str, relation: str, target: str, *, version: str = "", kind: str = "") -> SavedItem:
        """Relate an entry to another, to a file or to a symbol (`src/a.py#name`); without a version, as it is now."""
        relation = _relation(relation)

        def change(item: Item, before: str) -> str:
            value = self._targets().written(item.id, replace_surrogates(target))
            if value in item.values(relation):
                return before
            kept = () if relation in ONLY_ONE else item.relation_targets(relation)
            return frontmatter_edit.with_fields(before, {relation: [*kept, value]})

        return self._at_last(reference, kind, version, change)

    def unlink(self, reference: str, relation: str, target: str, *, version: str = "", kind: str = "") -> SavedItem:
        """Take a relation back."""
        relation = _relation(relation)

        def change(item: Item, before: str) -> str:
            directory = Directory(self._shelves.everything().values())
            meant, values = directory.target(target, item.id), item.relation_targets(relation)
            kept = [
                each
                for each in values
                if target not in {each, bare(each)} and not (meant and directory.target(each, item.id) == meant)
            ]
            if len(kept) == len(values):
                raise ItemNotFoundError(f"{item.id} is not related to {target!r} by {relation}.")
            return frontmatter_edit.with_fields(before, {relation: kept or None})

        return self._at_last(reference, kind, version, change)

    def delete(self, reference: str, *, version: str, kind: str = "") -> RemovedItem:
        """Remove an entry, and the relations of other entries that lead to it.

        Raises:
            ConflictError: it is no longer of that version; nothing was removed.
        """
        with self._alone():
            path = self._found(reference, kind)
            referring = list(Directory(self._shelves.everything().values()).referring(path))
            dangling = {source for source, _ in self.inward(path)} - {item.id for item, _, _ in referring}
            removed = self._desk.remove(path, version)
            unlinked, notes = [], [*self._desk.rescue()]
            for item, relation, value in referring:
                try:
                    left = [each for each in self._shelves.load(item.id)[0].relation_targets(relation) if each != value]
                    self._desk.set(item.id, {relation: left or None})
                    unlinked.append((item.id, relation))
                except (ConflictError, UsageError) as error:
                    notes.append(f"{item.id} still says {relation}: {error.message.splitlines()[0]}")
            usage.forget(self._counts, path)
        return RemovedItem(path, removed.version, tuple(unlinked), tuple(sorted(dangling)), tuple(notes))

    def use(self, reference: str) -> tuple[Item, usage.Usage]:
        """Read a skill and count that it was used."""
        item = self.read(reference, "skills")
        with self._alone():
            return item, usage.used(self._counts, item.id)

    def usage(self) -> dict[str, usage.Usage]:
        """Say how often each skill was used, by id."""
        return usage.usage(self._counts)

    def history(self, reference: str, kind: str = "") -> tuple[PastVersion, ...]:
        """List the past versions of an entry that are kept, the newest first, also of one that is gone."""
        return self._desk.history.versions(self._once(reference, kind))

    def restore(self, reference: str, wanted: str, *, version: str, kind: str = "") -> SavedItem:
        """Give an entry the text of a past version again; the version that it is based on is empty if it is gone."""
        with self._alone():
            path = self._once(reference, kind)
            past = self._desk.history.recalled(path, wanted)
            if past is None:
                raise ItemNotFoundError(f"Version {wanted!r} of {path} is not kept.", "See its history.")
            self._desk.restore(path, version, past)
            return self._saved(self._shelves.load(path)[0])

    def inward(self, path: str) -> tuple[tuple[str, str], ...]:
        """List the documents that link to an entry, with the kind of link, as far as they are indexed."""
        return self._index.inward(path)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the right to write. The index is opened before: that takes longer than to write, and others wait."""
        self._index.usable()
        with self._desk.alone():
            yield

    def _found(self, reference: str, kind: str) -> str:
        return self._shelves.find(replace_surrogates(reference), kind)

    def _once(self, reference: str, kind: str) -> str:
        """Find an entry, or one that was there once, by its path, name or title."""
        try:
            return self._found(reference, kind)
        except ItemNotFoundError:
            path = replace_surrogates(reference).removeprefix("./")
            kinds = (kind,) if kind else SINGULAR
            names = (f"{self._shelves.bases[each].folder}/{slug(path, SINGULAR[each])}.md" for each in kinds)
            once = next(filter(self._desk.history.versions, (path, *names)), "")
            if not once:
                raise
            return once

    def _targets(self) -> Targets:
        return Targets(self._root, self._shelves.everything, self._index.usable())

    def _at_last(self, reference: str, kind: str, version: str, change: Change) -> SavedItem:
        """Make a change that fits any version; if an editor was quicker, again, unless a version was named."""
        with self._alone():
            path = self._found(reference, kind)
            for left in reversed(range(_TRIES)):
                try:
                    now = version or self._shelves.load(path)[0].version
                    changed = self._desk.change(path, now, change)
                    return self._saved(self._shelves.load(path)[0], changed=changed)
                except ConflictError:
                    if version or not left:
                        raise
        raise AssertionError  # the last try returns or raises

    def _saved(self, item: Item, *, changed: bool = True, compare: bool = False) -> SavedItem:
        """Say what became of an entry, and what it resembles."""
        if not changed:
            return SavedItem(item, changed=False)
        rescued = self._desk.rescue()
        if not compare:
            return SavedItem(item, notes=rescued)
        found, notes = self._index.compare(item, self._shelves.items(item.kind), self._settings)
        return SavedItem(item, True, found.near, found.contradictions, (*rescued, *notes))


def _passes(item: Item, asked: Mapping[str, set[str]]) -> bool:
    """Tell whether an entry has, for every key that is asked for, one of the values."""
    return all(not values or values & {each.casefold() for each in item.values(key)} for key, values in asked.items())


def _place(item: Item) -> tuple[tuple[int, int, str], str, str]:
    said = (item.value("status"), item.value("priority"), item.value("due")) if item.kind == "tasks" else ("", "", "")
    return urgency(*said), item.name, item.id


def _relation(name: str) -> str:
    wanted = name.strip().lower().replace("-", "_")
    if wanted in RELATIONS:
        return wanted
    raise UsageError(f"There is no relation {one_line(name)!r}.", f"There are: {', '.join(RELATIONS)}.")


def _in_the_manner_of(before: str, after: str) -> str:
    """Give a whole new text the ends of lines and the byte order mark that the old one has."""
    if "\r" not in after and before.partition("\n")[0].endswith("\r"):
        after = after.replace("\n", "\r\n")
    return f"\ufeff{after}" if before.startswith("\ufeff") and not after.startswith("\ufeff") else after
