"""What the project holds, as resources: documents and sections by address, and lists of what was written down."""

from base64 import b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, get_args
from urllib.parse import quote, unquote

import msgspec
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteResult,
    Completion,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from waymeet.errors import NoIndexError, WaymeetError
from waymeet.interfaces.mcp.render import UNTRUSTED, entries_text
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.requests.fields import EntryKind
from waymeet.interfaces.requests.operations.entries import EntriesRequest, answer_entries
from waymeet.interfaces.requests.operations.read import ReadRequest, answer_read
from waymeet.interfaces.requests.operations.status import StatusRequest, answer_status
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.types import Document

SCHEME = "waymeet://"
_DOCUMENTS = f"{SCHEME}documents/"
_STATUS = f"{SCHEME}status"
_LISTS = {f"{SCHEME}{kind}": kind for kind in get_args(EntryKind)}
_PAGE = 200
_OFFERED = 100
"""Most completions, by the protocol."""
_MARKDOWN = (".md", ".markdown", ".mdx")

TEMPLATES = [
    ResourceTemplate(
        name="document",
        title="A document",
        uri_template=f"{_DOCUMENTS}{{+path}}",
        description="The text of an indexed file, by its path below the project's root.",
    ),
    ResourceTemplate(
        name="section",
        title="A section",
        uri_template=f"{_DOCUMENTS}{{+path}}{{#section}}",
        description="Some lines of an indexed file (#L10-L24, as in the ids that `search` shows), or what stands under "
        "a heading or symbol of it.",
    ),
]


def address(document: str) -> str:
    """Give the address of a document; what parts a path from a place in it may stand in the path itself.

    >>> address("docs/set up.md"), address("docs/c#.md")
    ('waymeet://documents/docs/set%20up.md', 'waymeet://documents/docs/c%23.md')
    """
    return f"{_DOCUMENTS}{quote(document, safe='/:')}"


def resources(project: Project, cursor: str) -> ListResourcesResult:
    """List what there is: the lists first, then documents in the order of their paths, a page at a time.

    Raises:
        MCPError: the cursor is none of ours.
    """
    after = _after(cursor)
    found = [] if after else _lists()
    try:
        store = project.refreshed_store()[0]
    except NoIndexError:  # it will come; what can be read without one is there already
        return ListResourcesResult(resources=found)
    with store.snapshot():
        every = sorted(id_ for id_ in store.fingerprints() if id_ > after)
        documents = store.documents(every[:_PAGE])
    found += [_resource(documents[id_]) for id_ in every[:_PAGE] if id_ in documents and not id_.endswith("/")]
    more = urlsafe_b64encode(every[_PAGE - 1].encode()).decode() if len(every) > _PAGE else None
    return ListResourcesResult(resources=found, next_cursor=more)


def _after(cursor: str) -> str:
    try:
        return b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise MCPError(INVALID_PARAMS, "The cursor is broken. List again without one.") from error


def _lists() -> list[Resource]:
    lists = [
        Resource(
            uri=uri,
            name=kind,
            title=f"All {kind}",
            description=f"The {kind} of this project, one to a line.",
            mime_type="text/plain",
        )
        for uri, kind in _LISTS.items()
    ]
    status = Resource(
        uri=_STATUS, name="status", title="State of the index", description="As JSON.", mime_type="application/json"
    )
    return [*lists, status]


def _resource(document: "Document") -> Resource:
    return Resource(
        uri=address(document.id),
        name=document.id,
        title=document.title or document.id,
        mime_type=_mime(document.id),
        size=document.size,
    )


def _mime(path: str) -> str:
    return "text/markdown" if path.lower().endswith(_MARKDOWN) else "text/plain"


def read(project: Project, uri: str) -> ReadResourceResult:
    """Read a resource.

    Raises:
        MCPError: there is none of that address.
    """
    try:
        text, mime = _content(project, uri)
    except WaymeetError as error:
        told = to_failure(error)
        raise MCPError(INVALID_PARAMS, f"{told.message} {told.next_step}", {"uri": uri, "code": told.code}) from error
    contents = TextResourceContents(uri=uri, mime_type=mime, text=text, _meta={"waymeet/untrusted": UNTRUSTED})
    return ReadResourceResult(contents=[contents])


def _content(project: Project, uri: str) -> tuple[str, str]:
    if uri == _STATUS:
        return msgspec.json.encode(answer_status(project, StatusRequest())).decode(), "application/json"
    if uri in _LISTS:
        request = msgspec.convert({"kind": _LISTS[uri], "limit": 1000}, EntriesRequest)
        return entries_text(answer_entries(project, request).entries), "text/plain"
    path, mark, section = uri.removeprefix(_DOCUMENTS).partition("#")
    if not uri.startswith(_DOCUMENTS) or not path:
        raise MCPError(INVALID_PARAMS, f"There is no resource {uri}. List resources for what there is.", {"uri": uri})
    found = answer_read(project, ReadRequest(id=unquote(path) + mark + unquote(section)))
    return found.text, _mime(found.document)


def completions(project: Project, argument: str, value: str) -> CompleteResult:
    """Complete a path, or what stands in it, by the ids of documents."""
    if argument != "path":
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    try:
        store = project.refreshed_store()[0]
    except NoIndexError:
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    wanted = value.lower()
    held = [id_ for id_ in store.fingerprints() if wanted in id_.lower()]
    found = sorted(held, key=lambda id_: (not id_.lower().startswith(wanted), id_))
    return CompleteResult(
        completion=Completion(values=found[:_OFFERED], total=len(found), has_more=len(found) > _OFFERED)
    )
