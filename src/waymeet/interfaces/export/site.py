"""Export a project as a site of plain files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from msgspec import Struct

from waymeet.analysis.terms import list_forms
from waymeet.interfaces.export.addresses import START_PAGE, Addresses, assign_addresses
from waymeet.interfaces.export.documents import DocumentView, Viewed, view_document
from waymeet.interfaces.export.output_folder import SiteWriter, site_writer
from waymeet.interfaces.export.pages import ASSETS, list_folders, render_document, render_start
from waymeet.interfaces.export.search_files import SearchDocument, SearchFiles, build_files
from waymeet.interfaces.export.search_index import Numbering, collect_index
from waymeet.interfaces.export.word_forms import group_forms
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.ports import Progress, Store
from waymeet.project import Project
from waymeet.search.understand.acronyms import list_expansions
from waymeet.types import Document

RECIPE = "classic"
"""The recipe by whose numbers the site ranks, in its mode `bm25_only`."""
_OWN_ASSETS = ("page.css", "keys.js", "icon.svg")
"""Files of the served page that a site has, too."""
_FIXED = {
    ".nojekyll": b"",  # else GitHub Pages leaves out files that begin with an underscore
    ".waymeetignore": b"*\n",  # a site inside the project is not indexed
}


class ExportSummary(Struct, frozen=True):
    """What an export wrote."""

    folder: str
    documents: int
    sections: int
    files: int
    bytes: int
    text_bytes: int
    """The indexed texts in UTF-8."""
    bytes_by_part: dict[str, int]
    """Bytes of pages, search and assets."""
    removed: int
    """Files of the earlier export that were removed."""
    seconds: float


class _Exported(NamedTuple):
    """What the pages leave for the search."""

    views: list[tuple[str, DocumentView]]
    hidden: dict[int, frozenset[str]]
    forms: set[str]
    text_bytes: int


def export_site(
    project: Project, store: Store, target: Path, *, force: bool, progress: tuple[Progress, Progress]
) -> ExportSummary:
    """Write a project as a site.

    `progress` receives that of the pages and that of the search.

    Raises:
        UsageError: the folder has files of others, or cannot be written.
    """
    started = perf_counter()
    with store.snapshot(), site_writer(target, force=force) as writer:
        for path, content in (*_FIXED.items(), *_read_assets()):
            writer.write(path, content)
        documents = store.documents(sorted(store.fingerprints()))
        addresses = _assign_addresses(project, documents)
        name = _mask(project, project.root.name)
        views = _view_documents(project, store, list(documents), addresses, progress[0])
        exported = _write_pages(name, views, writer, addresses)
        search = _build_search(project, store, addresses, exported, progress[1])
        for path, content in search.files.items():
            writer.write(f"{search.folder}/{path}", content)
        listed = [(id_, view) for id_, view in exported.views if id_ in addresses.files]
        sections = sum(len(view.sections) for _, view in listed)
        start = render_start(name, list_folders(listed, addresses), search.folder, (len(listed), sections))
        writer.write(start.path, start.html.encode("utf-8", "replace"))
        parts = _count_bytes(writer.sizes)
        removed = writer.publish(force=force)
    return ExportSummary(
        folder=str(target),
        documents=len(listed),
        sections=sections,
        files=len(writer.sizes),
        bytes=sum(writer.sizes.values()),
        text_bytes=exported.text_bytes,
        bytes_by_part=parts,
        removed=removed,
        seconds=round(perf_counter() - started, 1),
    )


def _mask(project: Project, text: str) -> str:
    return mask_outgoing(text, enabled=project.settings.ingest.mask_secrets)


def _assign_addresses(project: Project, documents: Mapping[str, Document]) -> Addresses:
    shown = {
        id_: _mask(project, id_) for id_, document in documents.items() if document.kind not in {"folders", "proxies"}
    }
    folders = [f"{id_.rpartition('/')[0]}/" for id_ in shown if "/" in id_]
    return assign_addresses(shown, set(folders))


def _view_documents(
    project: Project, store: Store, ids: Sequence[str], addresses: Addresses, progress: Progress
) -> Iterator[tuple[str, Viewed]]:
    """Yield what is shown of each document, by id."""
    for number, id_ in enumerate(ids):
        progress(number, len(ids), id_)
        yield id_, view_document(project, store, id_, addresses)


def _write_pages(
    name: str, documents: Iterable[tuple[str, Viewed]], writer: SiteWriter, addresses: Addresses
) -> _Exported:
    """Write the pages of all documents."""
    views, hidden, forms, text_bytes = [], {}, set[str](), 0
    for number, (id_, viewed) in enumerate(documents):
        view = viewed.view
        if viewed.hidden_terms:
            hidden[number] = viewed.hidden_terms
        if id_ in addresses.files:
            for page in render_document(name, id_, viewed, addresses):
                writer.write(page.path, page.html.encode("utf-8", "replace"))
        forms.update(*map(list_forms, _searched_texts(view)))
        text_bytes += sum(len(section.text.encode("utf-8", "replace")) for section in view.sections)
        views.append((id_, _without_text(view)))
    return _Exported(views, hidden, forms, text_bytes)


def _without_text(view: DocumentView) -> DocumentView:
    return DocumentView(view.document, view.sections, "")


def _searched_texts(view: DocumentView) -> Iterator[str]:
    document = view.document
    yield from (document.title, *document.tags, *document.properties.values())
    for section in view.sections:
        yield from (section.text, *section.headings, *(symbol.name for symbol in section.symbols))


def _build_search(
    project: Project, store: Store, addresses: Addresses, exported: _Exported, progress: Progress
) -> SearchFiles:
    settings = project.settings_for(RECIPE)
    ids = [id_ for id_, _ in exported.views]
    sections = store.chunks_of(ids)
    places: dict[str, tuple[int, int]] = {}
    for document, id_ in enumerate(ids):
        for chunk in sections.get(id_, ()):
            places[chunk.id] = (len(places), document)
    numbering = Numbering({id_: number for number, id_ in enumerate(ids)}, places, exported.hidden)
    index = collect_index(store, settings.bm25, numbering, group_forms(exported.forms), progress)
    shorts, longs = list_expansions(store)
    custom = dict(settings.understand.acronyms)
    expansions = _mask_all(project, {"acronyms": shorts, "long_forms": longs, "custom_acronyms": custom})
    rows = [SearchDocument(view.document, view.sections, _page_of(addresses, id_)) for id_, view in exported.views]
    return build_files(index, rows, exported.forms, settings, expansions)


def _mask_all(project: Project, expansions: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return mask_outgoing(expansions, enabled=project.settings.ingest.mask_secrets)


def _page_of(addresses: Addresses, id_: str) -> str:
    return addresses.files.get(id_) or addresses.url(id_, START_PAGE) or START_PAGE


def _read_assets() -> Iterator[tuple[str, bytes]]:
    """Read the style sheets and scripts of a site."""
    served = files("waymeet.interfaces.web").joinpath("static")
    yield from ((f"{ASSETS}/{name}", served.joinpath(name).read_bytes()) for name in _OWN_ASSETS)
    for file in sorted(files("waymeet.interfaces.export").joinpath("static").iterdir(), key=lambda file: file.name):
        if file.name.endswith((".js", ".css")):
            yield f"{ASSETS}/{file.name}", file.read_bytes()


def _count_bytes(sizes: dict[str, int]) -> dict[str, int]:
    """Add up the bytes of pages, search and assets."""
    parts: Counter[str] = Counter()
    for path, size in sizes.items():
        part = "search" if path.startswith("search-") else "assets" if path.startswith(f"{ASSETS}/") else "pages"
        parts[part] += size
    return dict(sorted(parts.items()))
