"""Documents to link to, for the list that the editor shows after `[[`."""

import re
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.web.ask import Asker
from waymeet.interfaces.web.html import respond
from waymeet.interfaces.web.sign_in.visitor import Visitor
from waymeet.search.explore.link_writing import LinkStyle, write_link
from waymeet.types import Hit

if TYPE_CHECKING:
    from waymeet.interfaces.requests.operations.search import SearchAnswer

_MAX_DOCUMENTS = 8
_WORD = re.compile(r"\w+")


async def show_documents(asker: Asker, request: Request, _visitor: Visitor) -> Response:
    """List documents that match what is typed, each with the link to insert."""
    words = _WORD.findall(request.query_params.get("q", "")[:200])
    source = request.query_params.get("from", "")
    hits = await _find(asker, words) if words else ()
    options = [
        (hit, write_link("markdown", source, hit.document, hit.title or hit.document, LinkStyle())) for hit in hits
    ]
    return respond("picker.html", {"options": options})


async def _find(asker: Asker, words: list[str]) -> tuple[Hit, ...]:
    """Find documents by words, the last of which may be incomplete."""
    for query in (" ".join([*words[:-1], f"{words[-1]}*"]), " ".join(words)):
        answer: SearchAnswer = await asker.ask(
            "search", query=query, recipe="files", mode="keyword", limit=_MAX_DOCUMENTS, refresh=False
        )
        if answer.hits:
            return answer.hits
    return ()
