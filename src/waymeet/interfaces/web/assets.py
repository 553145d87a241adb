"""Static files of the page: style sheets, scripts and the icon."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from waymeet.interfaces.web.html import HEADERS

_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


class Asset(NamedTuple):
    """A static file."""

    content: bytes
    media_type: str
    tag: str
    """Digest of the content."""


@cache
def load_assets() -> dict[str, Asset]:
    """Read all static files by their names."""
    assets = {}
    for file in files("waymeet.interfaces.web").joinpath("static").iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in _TYPES:
            content = file.read_bytes()
            tag = f'"{blake2b(content, digest_size=8).hexdigest()}"'
            assets[file.name] = Asset(content, _TYPES[suffix], tag)
    return assets


async def send_asset(request: Request) -> Response:
    """Send a static file, or tell that the copy of the browser is current."""
    asset = load_assets().get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    headers = {**HEADERS, "ETag": asset.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, headers=headers, media_type=asset.media_type)
