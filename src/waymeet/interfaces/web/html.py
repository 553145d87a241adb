"""Make HTML responses from templates, with headers that forbid foreign code."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from waymeet.interfaces.requests.errors import Failure
from waymeet.interfaces.web.frame import FRAME, page_url
from waymeet.interfaces.web.text_language import find_text_language
from waymeet.types import LOW_RELEVANCE_NOTE

if TYPE_CHECKING:
    from jinja2 import Environment

MEDIA_TYPE = "text/html; charset=utf-8"
POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""Headers of every page: scripts and styles only from this server, none inline, and no frames around it."""


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("waymeet.interfaces.web"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals.update(
        read_url=read_url, link=link, page_url=page_url, low_relevance_note=LOW_RELEVANCE_NOTE, assets="/static"
    )
    environment.filters.update(lang=find_text_language, number=format_number, size=format_size, ago=format_age)
    environment.filters["capitalize_first"] = capitalize_first
    return environment


def render(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template."""
    return _environment().get_template(template).render({"frame": FRAME.get(), **values})


def respond(template: str, values: Mapping[str, Any], status: int = 200) -> Response:
    """Make the response of a page."""
    return Response(render(template, values), status, choose_headers(), media_type=MEDIA_TYPE)


def choose_headers() -> dict[str, str]:
    """Give the headers of a page.

    One with a form names its origin to this server: without a referrer, browsers send `Origin: null`.
    """
    return {**HEADERS, "Referrer-Policy": "same-origin"} if FRAME.get().person else HEADERS


def encode_failure(failure: Failure, request_id: str = "", reload: str = "") -> bytes:
    """Encode an error as a page.

    `reload` is the address that may be opened from this page, if the error is about where a link was.
    """
    values = {"failure": failure, "request_id": request_id, "query": "", "reload": reload}
    return render("error.html", values).encode()


def read_url(document: str, start: int = 0, end: int = 0, prefix: str | None = None) -> str:
    """Give the address of a document, with the lines to mark.

    It is of the project that is shown, or of the one with the prefix.

    >>> read_url("docs/a b#.md"), read_url("a.md", 3, 9)
    ('/read/docs/a%20b%23.md', '/read/a.md?lines=3-9#L3')
    """
    path = f"{FRAME.get().prefix if prefix is None else prefix}/read/{quote(document)}"
    return f"{path}?lines={start}-{end or start}#L{start}" if start else path


def link(path: str, **fields: Any) -> str:  # noqa: ANN401 - values of a query string
    """Give an address with a query string, without empty fields.

    >>> link("/", q="a b", kind=["docs", "code"], n=0)
    '/?q=a+b&kind=docs&kind=code'
    """
    chosen = {name: value for name, value in fields.items() if value}
    return f"{path}?{urlencode(chosen, doseq=True)}" if chosen else path


def format_number(value: float) -> str:
    """Write a number with commas.

    >>> format_number(12345)
    '12,345'
    """
    return f"{value:,}"


def format_size(size: int) -> str:
    """Write a number of bytes with a unit.

    >>> format_size(512), format_size(2_500_000)
    ('512 B', '2.5 MB')
    """
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def format_age(seconds: float) -> str:
    """Write how long ago something was.

    >>> [format_age(age) for age in (20, 150, 7300, 200_000)]
    ['just now', '2 min ago', '2 h ago', '2 d ago']
    """
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit} ago"
    return "just now"


def capitalize_first(text: str) -> str:
    """Write the first letter as a capital, and leave the others.

    >>> capitalize_first("no model for JSON"), capitalize_first("")
    ('No model for JSON', '')
    """
    return text[:1].upper() + text[1:]
