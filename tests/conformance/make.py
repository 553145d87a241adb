"""Entries from plain text, so that a test shows only what it is about."""

from collections.abc import Mapping, Sequence

from waymeet.analysis import count_terms
from waymeet.types import Chunk, Document, IndexEntry, Link, Terms, Word


def entry(
    path: str,
    *texts: str | tuple[str, str],
    title: str = "",
    tags: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    triggers: str = "",
    links: Sequence[Link] = (),
    names: Sequence[str] | None = None,
    kind: str = "docs",
    doc_type: str = "other",
    digest: str = "",
    language: str = "",
    namespace: str = "",
) -> IndexEntry:
    """Make an entry with one chunk for each text. A pair is a heading and the text below it.

    Without `names` a document answers to its file name without the ending.
    """
    known = dict(properties or {})
    document = Document(
        id=path,
        kind=kind,
        title=title,
        doc_type=doc_type,
        tags=tuple(tags),
        properties=known,
        names=(stem(path),) if names is None else tuple(names),
        digest=digest or str(hash(texts)),
        size=sum(len(text) for text in texts),
        modified_ns=1,
        changed_ns=1,
        lines=len(texts),
        language=language,
        namespace=namespace,
    )
    chunks = tuple(chunk(path, ordinal, text) for ordinal, text in enumerate(texts))
    return IndexEntry(
        document=document,
        chunks=chunks,
        terms=counted(
            title=title,
            path=path.replace("/", " ").replace(".", " "),
            tags=" ".join(tags),
            properties=" ".join(known.values()),
            triggers=triggers,
        ),
        chunk_terms=tuple(counted(headings=" ".join(each.headings), body=each.text) for each in chunks),
        links=tuple(links),
    )


def chunk(path: str, ordinal: int, text: str | tuple[str, str]) -> Chunk:
    heading, body = text if isinstance(text, tuple) else ("", text)
    line = ordinal + 1
    return Chunk(
        id=f"{path}#L{line}-L{line}",
        document=path,
        ordinal=ordinal,
        start=line,
        end=line,
        text=body,
        headings=(heading,) if heading else (),
        anchors=(heading.lower(),) if heading else (),
    )


def link(*refs: str, says: str = "", kind: str = "references", anchor: str = "", source_anchor: str = "") -> Link:
    return Link(
        refs=refs,
        kind=kind,
        anchor=anchor,
        source_anchor=source_anchor,
        text=says,
        sentence=f"See {says}.",
        line=3,
        terms=count_terms(says),
    )


def words(text: str) -> list[Word]:
    """Make one word of each term of a text."""
    return [Word((term,), text=term) for term in count_terms(text)]


def counted(**fields: str) -> dict[str, Terms]:
    return {field: count_terms(text) for field, text in fields.items()}


def stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
