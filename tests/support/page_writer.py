"""A signed-in visitor of the page, without a browser."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec
from support.server_process import Reply, Served

from waymeet.interfaces.daemon.client import send_request
from waymeet.interfaces.daemon.discovery import Daemon

FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}


class Writer(NamedTuple):
    """A browser's cookie and the token of its forms."""

    server: Served
    cookie: str
    form_token: str

    @property
    def headers(self) -> dict[str, str]:
        """Give the headers that the browser sends with a form of the page."""
        return {**FORM, "Cookie": self.cookie, "Origin": self.server.address, "Sec-Fetch-Site": "same-origin"}

    def get(self, path: str) -> Reply:
        """Load a page."""
        return self.server.ask("GET", path, headers={"Accept": "text/html", "Cookie": self.cookie})

    def send(self, path: str, **fields: str) -> Reply:
        """Send a form, with the token unless another one is given."""
        return self.send_with(self.headers, path, fields)

    def send_with(self, headers: Mapping[str, str], path: str, fields: Mapping[str, str]) -> Reply:
        """Send a form with other headers."""
        body = urlencode({"form_token": self.form_token, **fields}).encode()
        return self.server.ask("POST", path, body, headers=headers)


def make_link(server: Served) -> str:
    """Make a link that signs in, as `waymeet open` does, and give its path."""
    (file,) = Path(server.environment["XDG_DATA_HOME"]).rglob("*.serve.json")
    daemon = msgspec.json.decode(file.read_bytes(), type=Daemon)
    response = send_request(daemon, "POST", "/daemon/sign-in")
    assert response, "the server has not answered"
    assert response.status == 200, response
    return f"/sign-in?code={msgspec.json.decode(response.body)['code']}"


def sign_in(server: Served) -> Writer:
    """Sign in by the link that `waymeet open` makes."""
    reply = server.ask("GET", make_link(server))
    assert reply.status == 303, reply.body
    cookie = reply.headers["set-cookie"].partition(";")[0]
    page = server.ask("GET", "/sign-in", headers={"Accept": "text/html", "Cookie": cookie})
    token = re.search(r'name="form_token" value="([^"]+)"', page.body.decode())
    assert token, page.body
    return Writer(server, cookie, token[1])
