"""MCP resources: documents and sections by URI, and lists of notes, tasks and skills."""

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
from waymeet.interfaces.mcp.render import UNTRUSTED, items_text
from waymeet.interfaces.mcp.schemas import OPTIONS_URI, ToolDefaults, describe_options
from waymeet.interfaces.outgoing import mask_outgoing
from waymeet.interfaces.requests.errors import to_failure
from waymeet.interfaces.requests.fields import ItemKind
from waymeet.interfaces.requests.operations.items import ItemsRequest, answer_items
from waymeet.interfaces.requests.operations.read import ReadRequest, answer_read
from waymeet.interfaces.requests.operations.status import StatusRequest, answer_status
from waymeet.project import Project

if TYPE_CHECKING:
    from waymeet.types import Document

SCHEME = "waymeet://"
_DOCUMENTS = f"{SCHEME}documents/"
_STATUS = f"{SCHEME}status"
_LISTS = {f"{SCHEME}{kind}": kind for kind in get_args(ItemKind)}
_PAGE_SIZE = 200
_MAX_COMPLETIONS = 100
"""Limit of the protocol."""
_MARKDOWN = (".md", ".markdown", ".mdx")

TEMPLATES = [
    ResourceTemplate(
        name="document",
        title="A document",
        uri_template=f"{_DOCUMENTS}{{+path}}",
        description="The text of an indexed file, by its path relative to the project's root.",
    ),
    ResourceTemplate(
        name="section",
        title="A section",
        uri_template=f"{_DOCUMENTS}{{+path}}{{#section}}",
        description="Lines of an indexed file (#L10-L24, as in ids of `search`), or the text of a heading or symbol.",
    ),
]


def document_uri(document: str) -> str:
    """Build the URI of a document, with characters such as # in its path escaped.

    >>> document_uri("docs/set up.md"), document_uri("docs/c#.md")
    ('waymeet://documents/docs/set%20up.md', 'waymeet://documents/docs/c%23.md')
    """
    return f"{_DOCUMENTS}{quote(document, safe='/:')}"


def list_resources(project: Project, cursor: str) -> ListResourcesResult:
    """List resources page by page: first the lists, then documents by path.

    Raises:
        MCPError: the cursor is malformed.
    """
    after = _decode_cursor(cursor)
    listed = [] if after else _fixed_resources()
    try:
        store = project.refreshed_store()[0]
    except NoIndexError:  # the lists can be read without an index
        return ListResourcesResult(resources=listed)
    with store.snapshot():
        ids = sorted(id_ for id_ in store.fingerprints() if id_ > after)
        page = ids[:_PAGE_SIZE]
        while len(page) < len(ids) and mask_outgoing(page[-1], enabled=True) != page[-1]:
            page.append(ids[len(page)])  # the cursor is the last id, which must have no secret in it
        documents = store.documents(page)
    masked = project.settings.ingest.mask_secrets
    listed += [_resource(documents[id_], masked=masked) for id_ in page if id_ in documents and not id_.endswith("/")]
    next_cursor = urlsafe_b64encode(page[-1].encode()).decode() if len(ids) > len(page) else None
    return ListResourcesResult(resources=listed, next_cursor=next_cursor)


def _decode_cursor(cursor: str) -> str:
    try:
        return b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise MCPError(INVALID_PARAMS, "Malformed cursor. List again without one.") from error


def _fixed_resources() -> list[Resource]:
    lists = [
        Resource(
            uri=uri,
            name=kind,
            title=f"All {kind}",
            description=f"The {kind} of this project, one per line.",
            mime_type="text/plain",
        )
        for uri, kind in _LISTS.items()
    ]
    status = Resource(
        uri=_STATUS, name="status", title="Status of the index", description="As JSON.", mime_type="application/json"
    )
    options = Resource(
        uri=OPTIONS_URI,
        name="search-options",
        title="Options of search",
        description="The fields of `options`, a parameter of `search`.",
        mime_type="text/markdown",
    )
    return [*lists, status, options]


def _resource(document: "Document", *, masked: bool) -> Resource:
    name = mask_outgoing(document.id, enabled=masked)
    return Resource(
        uri=document_uri(name),
        name=name,
        title=document.title or document.id,
        mime_type=_mime(document.id),
        size=document.size,
    )


def _mime(path: str) -> str:
    return "text/markdown" if path.lower().endswith(_MARKDOWN) else "text/plain"


def read_resource(project: Project, uri: str, defaults: ToolDefaults) -> ReadResourceResult:
    """Read a resource.

    Raises:
        MCPError: there is no resource with this URI.
    """
    try:
        text, mime = (
            (describe_options(defaults), "text/markdown") if uri == OPTIONS_URI else _read_content(project, uri)
        )
    except WaymeetError as error:
        failure = to_failure(error)
        message = f"{failure.message} {failure.next_step}"
        raise MCPError(INVALID_PARAMS, message, {"uri": uri, "code": failure.code}) from error
    contents = TextResourceContents(uri=uri, mime_type=mime, text=text, _meta={"waymeet/untrusted": UNTRUSTED})
    return ReadResourceResult(contents=[contents])


def _read_content(project: Project, uri: str) -> tuple[str, str]:
    if uri == _STATUS:
        return msgspec.json.encode(answer_status(project, StatusRequest())).decode(), "application/json"
    if uri in _LISTS:
        request = msgspec.convert({"kind": _LISTS[uri], "limit": 1000}, ItemsRequest)
        return items_text(answer_items(project, request).items), "text/plain"
    path, mark, section = uri.removeprefix(_DOCUMENTS).partition("#")
    if not uri.startswith(_DOCUMENTS) or not path:
        raise MCPError(INVALID_PARAMS, f"Unknown resource {uri}. See the list of resources.", {"uri": uri})
    answer = answer_read(project, ReadRequest(id=unquote(path) + mark + unquote(section)))
    return answer.text, _mime(answer.document)


def complete_path(project: Project, argument: str, value: str) -> CompleteResult:
    """Complete a path by the ids of documents that contain the value, prefix matches first."""
    if argument != "path":
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    try:
        store = project.refreshed_store()[0]
    except NoIndexError:
        return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
    part = value.lower()
    matches = [id_ for id_ in store.fingerprints() if part in id_.lower()]
    matches.sort(key=lambda id_: (not id_.lower().startswith(part), id_))
    return CompleteResult(
        completion=Completion(
            values=matches[:_MAX_COMPLETIONS], total=len(matches), has_more=len(matches) > _MAX_COMPLETIONS
        )
    )
