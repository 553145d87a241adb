"""The API of the notebook: reading and changing notes, tasks and skills."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import replace_surrogates
from waymeet.errors import ConflictError, ItemNotFoundError, UsageError
from waymeet.ingest.discover.entry_kind import SKILL_PAGE
from waymeet.ingest.read.secrets import mask_secrets
from waymeet.notebook import frontmatter_edit, usage
from waymeet.notebook.catalog import Catalog
from waymeet.notebook.checkpoints.checkpoints import Checkpoints
from waymeet.notebook.fields import RELATIONS, SINGLE_RELATIONS, SINGULAR, normalise_fields, urgency_key
from waymeet.notebook.file_names import make_slug, to_one_line
from waymeet.notebook.frontmatter_edit import Value
from waymeet.notebook.history import PastVersion
from waymeet.notebook.index_view import IndexView
from waymeet.notebook.item import Item, replace_steps
from waymeet.notebook.masks.items import mask_item, restore_fields, restore_text
from waymeet.notebook.masks.restore import describe_masks, describe_new_masks
from waymeet.notebook.relations import Directory, TargetResolver, strip_link
from waymeet.notebook.review.conflict_list import conflicts_file
from waymeet.notebook.review.conflicts import CONFLICT_RELATIONS, rename_conflicts
from waymeet.notebook.review.review import ItemReview
from waymeet.notebook.similar import Contradiction, SimilarItem
from waymeet.notebook.writer import Change, Writer
from waymeet.settings import Settings

_MAX_TRIES = 5
_NO_INDEX = IndexView()


class SavedItem(Struct, frozen=True):
    """A saved item, with similar and contradicting ones."""

    item: Item
    changed: bool = True
    similar: tuple[SimilarItem, ...] = ()
    """Similar items of the same kind, the most similar first."""
    contradictions: tuple[Contradiction, ...] = ()
    notes: tuple[str, ...] = ()
    """Warnings."""


class RemovedItem(Struct, frozen=True):
    """A removed item, with the references to it."""

    id: str
    version: str
    unlinked: tuple[tuple[str, str], ...] = ()
    """Other items from which a relation to it was removed, with the relation."""
    dangling: tuple[str, ...] = ()
    """Documents whose text still links to it."""
    notes: tuple[str, ...] = ()
    """Warnings."""


class _Edit(NamedTuple):
    """The parts of an item that a change gives, None for those that stay."""

    title: str | None
    body: str | None
    fields: Mapping[str, Value]
    steps: tuple[str, ...] | None
    text: str | None

    def apply(self, item: Item, before: str) -> tuple[str, dict[str, Value]]:
        """Return the new text without the changed fields, and these."""
        values = normalise_fields(item.kind, self.fields)
        if self.title is not None:
            values["name" if item.id.endswith(SKILL_PAGE) else "title"] = to_one_line(self.title) or item.title
        after = before if self.text is None else frontmatter_edit.keep_line_ends(before, replace_surrogates(self.text))
        after = after if self.body is None else _with_body(after, replace_surrogates(self.body))
        return after if self.steps is None else _with_steps(after, self.steps), values


class Notebook:
    """The notes, tasks and skills of a project.

    A change must name the version of the item that it is based on.
    """

    def __init__(self, root: Path, settings: Settings, index_path: Path, index: IndexView = _NO_INDEX) -> None:
        """The lock, usage counts and past versions are stored next to `index_path`."""
        self._root = root
        self._settings = settings
        self._index = index
        self._usage_file = index_path.with_name(f"{index_path.name}.usage.json")
        self._catalog = Catalog(root, settings.notebook, index.skills)
        self._writer = Writer(self._catalog, index_path, settings)
        self.review = ItemReview(self, self._catalog, index_path, settings.notebook, index)
        """How often items were read and confirmed, and conflicts between them."""
        self.checkpoints = Checkpoints(self._catalog, self._writer, index_path, masked=settings.ingest.mask_secrets)
        """Saved states of all items."""

    def read(self, reference: str, kind: str = "") -> Item:
        """Read an item by its path, name or title, and record that it was read."""
        item = self.load(reference, kind)
        self.review.record_read(item)
        return item

    def load(self, reference: str, kind: str = "") -> Item:
        """Load an item by its path, name or title, without recording that it was read."""
        self._writer.recover()
        return self._catalog.load(self._find(reference, kind))[0]

    def list(self, kind: str, filters: Mapping[str, Iterable[str]] | None = None) -> tuple[Item, ...]:
        """List the items of a kind by name, and tasks by urgency.

        `filters` gives the allowed values of fields.
        """
        self._writer.recover()
        allowed = {key: {value.casefold() for value in values} for key, values in (filters or {}).items()}
        items = (item for item in self._catalog.items(kind) if _passes(item, allowed))
        return tuple(sorted(items, key=_sort_key))

    def create(
        self,
        kind: str,
        title: str,
        body: str = "",
        fields: Mapping[str, Value] | None = None,
        steps: tuple[str, ...] = (),
    ) -> SavedItem:
        """Write a new item, and keep front matter at the start of `body`."""
        title = to_one_line(title)
        if not title:
            raise UsageError(f"A {SINGULAR[kind]} needs a title.")
        body = replace_surrogates(body)
        text = frontmatter_edit.replace_body(body, frontmatter_edit.get_body(body))
        if steps:
            text = _with_steps(text, steps)
        values = normalise_fields(kind, fields or {})
        if kind == "tasks" and not values.get("status") and "status" not in frontmatter_edit.parse(text).values:
            values["status"] = "todo"
        name = make_slug(self._mask_text(title), SINGULAR[kind])  # answers show the names of files
        with self._lock():
            values = self._targets().resolve_fields(f"{self._catalog.folders[kind].folder}/{name}.md", values)
            path = self._writer.create(kind, name, frontmatter_edit.set_fields(text, {"title": title, **values}))
            item = self._catalog.load(path)[0]
        saved = self._make_result(item, compare=True)
        return replace(saved, notes=(*describe_new_masks(item.text), *saved.notes))

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
        has_masks: bool = True,
    ) -> SavedItem:
        """Change the title, body, fields (None removes one), steps or whole text of an item.

        A mask (`[secret]`) in a new text stands for the value that the file has there, and the value is kept. Clear
        `has_masks` for a text that was not based on a masked one.

        Raises:
            ConflictError: the item has another version by now; nothing was written.
            MaskedValueError: it is not certain which value a mask stands for; nothing was written.
        """
        edit = _Edit(title, body, fields or {}, steps, text)
        notes: list[str] = []

        def change(item: Item, before: str) -> str:
            after, values = edit.apply(item, before)
            if has_masks and item.version == version:  # else the change is refused anyway
                restored, values = restore_text(item.id, before, after), restore_fields(item, values)
                after, notes[:] = restored.text, describe_masks(restored)
            after = before if text is None and _has_same_lines(before, after) else after
            values = self._targets().resolve_fields(item.id, values)
            return frontmatter_edit.set_fields(after, values) if values else after

        with self._lock():
            path = self._find(reference, kind)
            changed = self._writer.change(path, version, change)
            item = self._catalog.load(path)[0]
        saved = self._make_result(item, changed=changed, compare=(title, body, text) != (None,) * 3)
        return replace(saved, notes=(*notes, *saved.notes))

    def link(self, reference: str, relation: str, target: str, *, version: str = "", kind: str = "") -> SavedItem:
        """Relate an item to another one, to a file or to a symbol (`src/a.py#name`).

        Without a version, the current one is changed.
        """
        relation = _parse_relation(relation)

        def change(item: Item, before: str) -> str:
            value = self._targets().resolve(item.id, replace_surrogates(target))
            if value in item.values(relation):
                return before
            others = () if relation in SINGLE_RELATIONS else item.relation_targets(relation)
            return frontmatter_edit.set_fields(before, {relation: [*others, value]})

        saved = self._change_any_version(reference, kind, version, change)
        warnings = self.review.record_relation() if relation in CONFLICT_RELATIONS else ()
        return replace(saved, notes=(*saved.notes, *warnings)) if warnings else saved

    def unlink(self, reference: str, relation: str, target: str, *, version: str = "", kind: str = "") -> SavedItem:
        """Remove a relation."""
        relation = _parse_relation(relation)

        def change(item: Item, before: str) -> str:
            directory = Directory(self._catalog.all_items().values())
            path, values = directory.resolve(target, item.id), item.relation_targets(relation)
            others = [
                value
                for value in values
                if target not in {value, strip_link(value)} and not (path and directory.resolve(value, item.id) == path)
            ]
            if len(others) == len(values):
                raise ItemNotFoundError(f"{item.id} is not related to {target!r} by {relation}.")
            return frontmatter_edit.set_fields(before, {relation: others or None})

        return self._change_any_version(reference, kind, version, change)

    def delete(self, reference: str, *, version: str, kind: str = "") -> RemovedItem:
        """Remove an item, and the relations of other items to it.

        Raises:
            ConflictError: the item has another version by now; nothing was removed.
        """
        with self._lock():
            path = self._find(reference, kind)
            references = list(Directory(self._catalog.all_items().values()).find_references(path))
            dangling = {source for source, _ in self.backlinks(path)} - {item.id for item, _, _ in references}
            removed = self._writer.remove(path, version)
            unlinked, notes = [], [*self._writer.recover()]
            for item, relation, value in references:
                try:
                    targets = self._catalog.load(item.id)[0].relation_targets(relation)
                    self._writer.set_fields(item.id, {relation: [each for each in targets if each != value] or None})
                    unlinked.append((item.id, relation))
                except (ConflictError, UsageError) as error:
                    notes.append(f"{item.id} still has the relation {relation}: {error.message.splitlines()[0]}")
            usage.forget_skill(self._usage_file, path)
        return RemovedItem(path, removed.version, tuple(unlinked), tuple(sorted(dangling)), tuple(notes))

    def use(self, reference: str) -> tuple[Item, usage.Usage]:
        """Read a skill and count its use."""
        item = self.read(reference, "skills")  # a use is a reading, too
        with self._lock():
            return item, usage.count_use(self._usage_file, item.id)

    def usage(self) -> dict[str, usage.Usage]:
        """Return how often each skill was used, by id."""
        return usage.read_usage(self._usage_file)

    def history(self, reference: str, kind: str = "") -> tuple[PastVersion, ...]:
        """List the saved versions of an item, also of a removed one, the newest first."""
        return self._writer.history.list_versions(self._find_or_removed(reference, kind))

    def past_text(self, reference: str, past_version: str, kind: str = "") -> str:
        """Give the text of a saved version, with its secrets masked."""
        path = self._find_or_removed(reference, kind)
        return self._mask_text(self._load_past(path, past_version).decode("utf-8", "replace"), path)

    def restore(self, reference: str, past_version: str, *, version: str, kind: str = "") -> SavedItem:
        """Restore a past version of an item.

        `version` is the current version, or empty if the item was removed.
        """
        with self._lock():
            path = self._find_or_removed(reference, kind)
            self._writer.restore(path, version, self._load_past(path, past_version))
            return self._make_result(self._catalog.load(path)[0])

    def masked(self, item: Item) -> Item:
        """Mask the secrets of an item to show it, unless the setting `ingest.mask_secrets` is off."""
        return mask_item(item) if self._settings.ingest.mask_secrets else item

    def backlinks(self, path: str) -> tuple[tuple[str, str], ...]:
        """List the indexed documents that link to an item, with the kind of link."""
        return self._index.backlinks(path)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the write lock."""
        self._index.open_store()  # before locking, because it takes longer than writing, and others wait
        with self._writer.lock():
            yield

    def _find(self, reference: str, kind: str) -> str:
        return self._catalog.find(replace_surrogates(reference), kind)

    def _find_or_removed(self, reference: str, kind: str) -> str:
        """Find an item, or a removed one with a history, by its path, name or title."""
        try:
            return self._find(reference, kind)
        except ItemNotFoundError:
            path = replace_surrogates(reference).removeprefix("./")
            kinds, name = (kind,) if kind else SINGULAR, self._mask_text(path)
            paths = (f"{self._catalog.folders[each].folder}/{make_slug(name, SINGULAR[each])}.md" for each in kinds)
            removed = next(filter(self._writer.history.list_versions, (path, *paths)), "")
            if not removed:
                raise
            return removed

    def _load_past(self, path: str, past_version: str) -> bytes:
        past = self._writer.history.load(path, past_version)
        if past is None:
            raise ItemNotFoundError(f"Version {past_version!r} of {path} is not saved.", "List its history.")
        return past

    def _mask_text(self, text: str, path: str = "") -> str:
        return mask_secrets(text, path).text if self._settings.ingest.mask_secrets else text

    def _targets(self) -> TargetResolver:
        return TargetResolver(self._root, self._catalog.all_items, self._index.open_store())

    def _change_any_version(self, reference: str, kind: str, version: str, change: Change) -> SavedItem:
        """Make a change that fits any version, again after a conflict with an editor.

        If a version is given, the first conflict is raised.
        """
        with self._lock():
            path = self._find(reference, kind)
            for tries_left in reversed(range(_MAX_TRIES)):
                try:
                    expected = version or self._catalog.load(path)[0].version
                    changed = self._writer.change(path, expected, change)
                    return self._make_result(self._catalog.load(path)[0], changed=changed)
                except ConflictError:
                    if version or not tries_left:
                        raise
        raise AssertionError  # the last try returns or raises

    def _make_result(self, item: Item, *, changed: bool = True, compare: bool = False) -> SavedItem:
        """Make the result for a saved item, with `compare` after comparing it with others."""
        if not changed:
            return SavedItem(item, changed=False)
        recovered = self._writer.recover()
        if not compare:
            return SavedItem(item, notes=recovered)
        others = map(self.masked, self._catalog.items(item.kind))  # texts are shown, or sent to a model
        comparison, warnings = self._index.compare(self.masked(item), others, self._settings)
        warnings.extend(self.review.record_comparison(item, comparison))
        return SavedItem(item, True, comparison.similar, comparison.contradictions, (*recovered, *warnings))


def rename_items(index_path: Path, renamed: Mapping[str, str]) -> None:
    """Move the uses and conflicts of renamed items to their new paths, old path → new path.

    Raises:
        OSError, UsageError: a file cannot be read or written.
    """
    usage_file, lock = (index_path.with_name(f"{index_path.name}.{name}") for name in ("usage.json", "notebook.lock"))
    usage.rename_skills(usage_file, lock, renamed)
    rename_conflicts(conflicts_file(index_path), renamed)


def _with_body(text: str, body: str) -> str:
    """Replace the body of a text, or all of it if the new body begins with front matter."""
    if frontmatter_edit.parse(body).values:
        return frontmatter_edit.keep_line_ends(text, body)
    return frontmatter_edit.replace_body(text, body)


def _has_same_lines(before: str, after: str) -> bool:
    """Tell whether two texts differ only in line ends and in blank lines around the body."""
    bodies = (frontmatter_edit.get_body(text) for text in (before, after))
    heads = (text[: len(text) - len(frontmatter_edit.get_body(text))].rstrip() for text in (before, after))
    body, new_body = (text.replace("\r\n", "\n").strip("\n") for text in bodies)
    head, new_head = (text.replace("\r\n", "\n") for text in heads)
    return (head, body) == (new_head, new_body)


def _with_steps(text: str, steps: tuple[str, ...]) -> str:
    """Replace the steps in the body of a skill."""
    body = frontmatter_edit.get_body(text)
    return frontmatter_edit.replace_body(text, replace_steps(body, tuple(map(to_one_line, steps))))


def _passes(item: Item, filters: Mapping[str, set[str]]) -> bool:
    """Check whether an item has, for every filtered field, one of the allowed values."""
    return all(
        not allowed or allowed & {value.casefold() for value in item.values(key)} for key, allowed in filters.items()
    )


def _sort_key(item: Item) -> tuple[tuple[int, int, str], str, str]:
    is_task = item.kind == "tasks"
    fields = (item.value("status"), item.value("priority"), item.value("due")) if is_task else ("", "", "")
    return urgency_key(*fields), item.name, item.id


def _parse_relation(name: str) -> str:
    relation = name.strip().lower().replace("-", "_")
    if relation in RELATIONS:
        return relation
    raise UsageError(f"There is no relation {to_one_line(name)!r}.", f"The relations are {', '.join(RELATIONS)}.")
