"""The composition root: the only place where backends, models and recipes meet."""

from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic, time_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from waymeet import freshness
from waymeet.analysis import well_formed
from waymeet.errors import NoIndexError, NotIndexedError, UsageError
from waymeet.places import bytes_of, current_folder, existing_folder, index_file, known_folder, project_root
from waymeet.ports import Counts, Embedder, Progress, Store
from waymeet.recipes import recipe_named
from waymeet.search.asked import legible
from waymeet.settings import Layer, Settings, layers, resolve
from waymeet.types import Answer, Degraded, Filters, Query

if TYPE_CHECKING:
    from waymeet.authored import Notebook
    from waymeet.ingest.changes import Changes
    from waymeet.ingest.index import Report
    from waymeet.ingest.status import Status
    from waymeet.ingest.watch import Hints, Round
    from waymeet.search.moments import Moments
    from waymeet.search.read import Excerpt
    from waymeet.search.state import Recipe, Tools
    from waymeet.stores.sqlite.check import Verdict


class Project:
    """A folder of knowledge and the index that answers for it."""

    def __init__(self, root: Path, index: Path, settings: tuple[Layer, ...]) -> None:
        self.root = root
        self.index_path = index
        self.layers = settings
        self.settings = resolve(settings)
        self._flags: tuple[str, ...] = ()
        self._store: Store | None = None
        self._models: tuple[Embedder, ...] | None = None

    @classmethod
    def open(
        cls, root: Path | str | None = None, *, index: Path | str | None = None, flags: Iterable[str] = ()
    ) -> Self:
        """Open a project by its folder; without one, the project that the current folder belongs to.

        `index` names another index file; `flags` are settings as `section.key=value`.
        """
        chosen = Path(index) if index else None
        folder = project_root(current_folder()) if root is None else known_folder(Path(root), chosen)
        flags = tuple(flags)
        project = cls(folder, index_file(folder, chosen), layers(folder, flags))
        project._flags = flags  # for those who stay and read the settings again
        return project

    def settings_for(self, recipe: str) -> Settings:
        """Give the numbers a recipe runs with: defaults < recipe < files, environment and flags."""
        return resolve(self.layers_for(recipe))

    def layers_for(self, recipe: str) -> tuple[Layer, ...]:
        """Give the layers of settings over the defaults for a recipe, lowest first."""
        return (Layer(f"recipe {recipe}", self.recipe(recipe).overrides), *self.layers)

    def recipe(self, name: str) -> "Recipe":
        """Find a recipe by its name, the user's own among them."""
        return recipe_named(name, self.settings.recipes)

    @property
    def indexed(self) -> bool:
        """Tell whether there is an index to search, made to the end."""
        try:
            return self.index_path.exists() and bool(self._opened().note("indexed_at"))
        except NoIndexError:  # an empty file, left behind when the disk was full, say
            return False

    def index(
        self,
        progress: Progress | None = None,
        embedding: Progress | None = None,
        waiting: Callable[[], None] | None = None,
        *,
        accept_removals: bool = False,
    ) -> "Report":
        """Bring the index up to date with the files, then embed what has no vector yet.

        If another process is at it, this one waits for its turn; `waiting` is called if that takes more than a moment.
        If most files are gone, nothing is done unless `accept_removals` says that they are meant to be.
        """
        from waymeet.ingest.turns import turn

        with turn(self.index_path, wait=True, waiting=waiting):
            return self._take_in(None, progress, embedding, accept_removals=accept_removals)

    def watch(
        self,
        told: "Callable[[Round], None]",
        hints: "Hints | None" = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Keep the index up to date until stopped, and tell what is done; other processes get their turns between."""
        from waymeet.ingest.roots import roots_of
        from waymeet.ingest.watch import Pace, SystemHints, checking_out, watch

        folders = [each.folder for each in roots_of(self.root, self._opened(create=True), self.settings)]
        hints = hints or SystemHints(folders)
        pace = Pace(self.settings.watch, stopped, lambda: checking_out(str(self.root)))
        try:
            watch(self._catch_up, told, hints, pace)
        finally:
            hints.close()

    def _catch_up(self) -> "Report | None":
        """Bring the index up to date if anything differs."""
        from waymeet.ingest.changes import changed
        from waymeet.ingest.turns import turn

        store = self._opened(create=True)
        self.layers = layers(self.root, self._flags)  # the project's own file may have changed as any other
        self.settings = resolve(self.layers)
        changes = changed(self.root, store, self.settings, lambda: False)
        if changes is None or not changes.number:
            return None
        with turn(self.index_path, wait=True):  # another process may have taken in some of it meanwhile
            report = self._take_in(changed(self.root, store, self.settings, lambda: False))
            store.tidy()
            self.moments(store)
        return report

    def add_root(self, name: str, folder: Path) -> None:
        """Index another folder together with the project from now on; its files are known as `name:/path`."""
        from waymeet.ingest.roots import add

        add(self._opened(create=True), self.root, name, existing_folder(folder))

    def remove_root(self, name: str) -> None:
        """Leave out from now on a folder that was added."""
        from waymeet.ingest.roots import remove

        remove(self._opened(create=True), name)

    def check(self, *, repair: bool = False) -> "Verdict":
        """Look for damage in the index; with `repair`, mend it. Afterwards `index` may have files to read again."""
        from waymeet.ingest.turns import turn
        from waymeet.stores.sqlite.mending import check

        if not self.index_path.exists():
            raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
        self.close()
        if not repair:
            return check(self.index_path, repair=False)
        with turn(self.index_path, wait=True):
            return check(self.index_path, repair=True)

    def _take_in(
        self,
        changes: "Changes | None",
        progress: Progress | None = None,
        embedding: Progress | None = None,
        into: Store | None = None,
        *,
        accept_removals: bool = False,
    ) -> "Report":
        from waymeet.ingest.embed import embed
        from waymeet.ingest.index import index

        store = self._opened(create=True) if into is None else into
        owner = store.note("root")
        if owner and owner != str(self.root):
            raise UsageError(
                f"The index {self.index_path} belongs to {owner}, not to {self.root}.",
                "Choose another index file, or go to the project it belongs to.",
            )
        report = index(self.root, store, self.settings, progress, changes, accept_removals=accept_removals)
        embedders = self._embedders()
        until = None if into is None else monotonic() + self.settings.ingest.refresh_seconds
        late = None if until is None else lambda: monotonic() > until
        if embedders and embed(store, embedders, self.settings, embedding, late) and changes is None:
            store.tidy()
        if changes is None:
            self.moments(store)
        return report

    def search(self, question: str | Query, *, refresh: bool = True) -> Answer:
        """Answer a question; files that changed since they were indexed are read first if that is quick."""
        from waymeet.search.shape import answer

        query = Query(question, limit=self.settings.shape.limit) if isinstance(question, str) else question
        query = replace(query, text=well_formed(query.text), filters=legible(query.filters))
        store = self._opened()
        behind = self._refreshed(store) if refresh else (*freshness.gone(self.root, store), freshness.NOT_CHECKED)
        found = answer(self.recipe(query.recipe), query, self.tools(store), self.settings_for(query.recipe))
        degraded = (*behind, *freshness.mended(store), *found.degraded)
        return replace(found, degraded=degraded) if degraded else found

    def filled(self, fill: Callable[[Store], None], embedding: Progress | None = None) -> "Tools":
        """Make an index of something else than the project's files, and give what asking it takes."""
        from waymeet.ingest.embed import embed

        tools = self.tools(self._opened(create=True))
        fill(tools.store)
        if tools.embedders:
            embed(tools.store, tools.embedders, self.settings, embedding)
        return tools

    def current(self) -> tuple[Store, tuple[Degraded, ...]]:
        """Give the store to be asked, brought up to date as for a search, and say what it may lack all the same."""
        store = self._opened()
        return store, self._refreshed(store)

    def moments(self, store: Store) -> "Moments":
        """Find out when documents and their sources last changed, as far as that is not known yet."""
        from waymeet.ingest.read import read
        from waymeet.search.renewal import renewed

        def content(path: str) -> bytes | None:
            try:
                return read(str(self.root), path, self.settings.ingest.max_file_bytes).raw
            except OSError:
                return None

        return renewed(store, self.root, content, self.settings, time_ns())

    @property
    def authored(self) -> "Notebook":
        """Give the project's notes, tasks and skills to read and write; they need no index, but use it."""
        from waymeet.authored import Index, Notebook

        index = Index(
            store=lambda: self._opened() if self.indexed else None,
            refresh=lambda: [each.detail for each in self.current()[1]],
            embedders=self._embedders,
        )
        return Notebook(self.root, self.settings, self.index_path, index)

    def counts(self) -> Counts:
        """Count what is indexed."""
        return self._opened().counts()

    def read(self, reference: str) -> "Excerpt":
        """Read a section by its id, or lines of an indexed file (`path`, `path:from`, `path:from:count`)."""
        from waymeet.ingest.reload import loaded_again
        from waymeet.search.beside import touch
        from waymeet.search.read import Excerpt, locate

        store = self._opened()
        place = locate(store, well_formed(reference))
        document = place.document
        loaded = loaded_again(self.root, store, self.settings, document)
        rows = loaded.text.removesuffix("\n").split("\n")
        end = min(place.end or len(rows), len(rows))
        if place.start > len(rows):
            raise NotIndexedError(f"{document.id} has {len(rows)} lines; line {place.start} is behind its end.")
        touch(self.index_path, document, time_ns())
        changed = "the file changed since it was indexed: its lines may have moved"
        return Excerpt(
            id=reference if place.piece is not None else f"{document.id}#L{place.start}-L{end}",
            document=document.id,
            title=document.title,
            start=place.start,
            end=end,
            lines=len(rows),
            text="\n".join(rows[place.start - 1 : end]) if place.piece is None else place.piece,
            notes=tuple(filter(None, (changed if loaded.digest != document.digest else "", loaded.note))),
        )

    def matching(self, filters: Filters) -> int:
        """Count the indexed files that pass filters."""
        store = self._opened()
        return len(store.passing(list(store.fingerprints()), legible(filters)))

    def status(self) -> "Status":
        """Say what is indexed, how fresh it is, and what was left out."""
        from waymeet.ingest.status import status

        store = self._opened()
        return replace(
            status(
                self.root,
                store,
                self.settings,
                None if freshness.gone(self.root, store) else freshness.looked(self.root, store, self.settings),
            ),
            index=str(self.index_path),
            index_bytes=bytes_of(self.index_path),
            lane=" + ".join(each.lane for each in self._embedders()),
        )

    def close(self) -> None:
        """Let go of the index file."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, *, create: bool = False) -> Store:
        if self._store is None:
            if not create and not self.index_path.exists():
                raise NoIndexError(f"{self.root} is not indexed yet.", "Run: waymeet index")
            from waymeet.stores.sqlite import SqliteStore

            self._store = SqliteStore.open(self.index_path, create=create)
        return self._store

    def _embedders(self) -> tuple[Embedder, ...]:
        if self._models is None:
            from waymeet.models.embedders import chosen_embedders

            self._models = chosen_embedders(self.settings.embedding)
        return self._models

    def tools(self, store: Store) -> "Tools":
        """Put together what the stages of a search may use."""
        from waymeet.search import beside
        from waymeet.search.state import Tools

        used, said = beside.used(self.index_path), beside.heeded(self.index_path)
        return Tools(store, self._embedders(), used=used, corrections=said, **self._asked())

    def _asked(self) -> dict[str, Any]:
        """Give whom else a search may ask: the user's reranker and expander, if any was chosen."""
        if self.settings.rerank.provider == self.settings.expand.provider == "none":
            return {}
        from waymeet.models.chosen import chosen

        return chosen(self.settings.rerank, self.settings.expand)._asdict()

    def _refreshed(self, store: Store) -> tuple[Degraded, ...]:
        """Take in a few changed files, or say that the answer may be behind the files."""
        return freshness.refreshed(
            self.root, self.index_path, store, self.settings, lambda changes, hasty: self._take_in(changes, into=hasty)
        )
