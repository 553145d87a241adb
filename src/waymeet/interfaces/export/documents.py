"""What a site shows of a document: text, sections and links, with secrets masked."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import list_terms
from waymeet.errors import NotFoundError
from waymeet.ingest.reload import reload_document
from waymeet.interfaces.export.addresses import Addresses
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.web.markdown import Resolve
from waymeet.interfaces.web.pages.read import make_resolver
from waymeet.ports import Store
from waymeet.project import Project
from waymeet.search.explore.graph import Connection, list_connections
from waymeet.search.explore.related import rank_related
from waymeet.search.lookup.find import Target
from waymeet.search.rank.translations import list_translations
from waymeet.types import INFERRED_KINDS, Chunk, Document

_MAX_LINKS = 200
_MAX_RELATED = 8
_DEPTH = 2
_NOT_LINKS = frozenset({"contains", "translation"})


class LinkView(Struct, frozen=True):
    """A link as a page shows it."""

    url: str
    """Empty if the site has no page for its target."""
    title: str
    note: str
    sentence: str = ""
    is_broken: bool = False


class DocumentView(Struct, frozen=True):
    """A document as a site shows it."""

    document: Document
    sections: tuple[Chunk, ...]
    text: str
    note: str = ""
    outgoing: tuple[LinkView, ...] = ()
    incoming: tuple[LinkView, ...] = ()
    related: tuple[LinkView, ...] = ()
    translations: tuple[LinkView, ...] = ()
    is_cut: bool = False
    """Whether there are more links."""


class Viewed(NamedTuple):
    """A document to show, with what must not be shown of it."""

    view: DocumentView
    hidden_terms: frozenset[str]
    """Terms that masking removed."""
    resolve: Resolve
    """Finds the documents of wiki links."""


def view_document(project: Project, store: Store, id_: str, addresses: Addresses) -> Viewed:
    """Collect what the page of a document shows."""
    document = replace(store.documents([id_])[id_], names=())
    chunks = store.chunks_of([id_]).get(id_, ())
    links: Sequence[Connection] = ()
    plain = DocumentView(document, chunks, "")
    if id_ in addresses.files:
        links = list_connections(store, Target(document))
        plain = _view(project, store, plain, links, addresses)
    masked = mask_outgoing(plain, enabled=project.settings.ingest.mask_secrets)
    hidden = frozenset[str]() if masked is plain else frozenset(_terms(plain) - _terms(masked))
    return Viewed(masked, hidden, make_resolver(links))


def _terms(view: DocumentView) -> set[str]:
    """List the terms of all indexed texts of a document."""
    document = view.document
    texts = [document.id, document.title, *document.tags, *document.properties.values()]
    for chunk in view.sections:
        texts += [chunk.text, *chunk.headings, *(symbol.name for symbol in chunk.symbols)]
    return {term for text in texts for term in list_terms(text)}


def _view(
    project: Project, store: Store, view: DocumentView, links: Sequence[Connection], addresses: Addresses
) -> DocumentView:
    document, page = view.document, addresses.page(view.document.id)
    text, note = _read_text(project, store, document, view.sections)
    shown = [link for link in links if _is_shown(link, document.id)]
    outgoing, incoming = (
        _view_links([link for link in shown if link.direction == end], addresses, page) for end in ("out", "in")
    )
    fan_out = project.settings.graph.fan_out
    related = rank_related(store, document.id, depth=_DEPTH, kinds=(), limit=_MAX_RELATED, fan_out=fan_out)
    return replace(
        view,
        text=text,
        note=note,
        outgoing=outgoing[:_MAX_LINKS],
        incoming=incoming[:_MAX_LINKS],
        related=tuple(
            LinkView(addresses.url(other.document, page), other.title or other.document, "; ".join(other.reasons))
            for other in related
        ),
        translations=tuple(
            LinkView(addresses.url(other.document, page), other.title, other.lang or other.document)
            for other in list_translations(store, document.id)
        ),
        is_cut=max(len(outgoing), len(incoming)) > _MAX_LINKS,
    )


def _is_shown(link: Connection, document: str) -> bool:
    """Return whether a page lists a link: to another document, and not inferred without target."""
    is_inside = link.id.partition("#")[0] == document
    return link.kind not in _NOT_LINKS and not is_inside and not (link.dangling and link.kind in INFERRED_KINDS)


def _view_links(links: Sequence[Connection], addresses: Addresses, page: str) -> tuple[LinkView, ...]:
    """Prepare different links for a page, broken ones last."""
    views = dict.fromkeys(_view_link(link, addresses, page) for link in links)
    return tuple(sorted(views, key=lambda view: view.is_broken))


def _view_link(link: Connection, addresses: Addresses, page: str) -> LinkView:
    document, _, anchor = link.id.partition("#")
    url = "" if link.dangling else addresses.url(document, page)
    title = link.title or link.id
    if link.kind in {"references", "embeds"}:
        url += f"#h-{quote(anchor)}" if url and anchor and link.direction == "out" else ""
    elif anchor and anchor != link.title:
        title = f"{title} › {anchor}"
    return LinkView(url, link.id if link.dangling else title, link.kind, link.sentence, link.dangling)


def _read_text(project: Project, store: Store, document: Document, chunks: Sequence[Chunk]) -> tuple[str, str]:
    """Read the file of a document, or its indexed sections if the file is gone."""
    try:
        loaded = reload_document(project.root, store, project.settings, document)
    except NotFoundError as error:
        text = "\n".join(chunk.text for chunk in chunks)
        return text, error.message if text.strip() else "Only the name of this file is indexed."
    return loaded.text.removesuffix("\n"), loaded.warning
