"""A browser that is signed in at a team's server, without a browser."""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from support.page_writer import FORM
from support.server_process import Reply, exchange
from support.team_server import Team


class TeamVisitor(NamedTuple):
    """A browser's cookie and the token of its forms."""

    team: Team
    cookie: str
    form_token: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """Give the headers that the browser sends with a form of the page."""
        return {**FORM, "Cookie": self.cookie, "Origin": self.team.address, "Sec-Fetch-Site": "same-origin"}

    def get(self, path: str, **headers: str) -> Reply:
        """Load a page."""
        return send(self.team, "GET", path, {"Accept": "text/html", "Cookie": self.cookie, **headers})

    def send(self, path: str, headers: Mapping[str, str] | None = None, **fields: str) -> Reply:
        """Send a form, with the token of the session unless another one is given."""
        body = urlencode({"form_token": self.form_token, **fields}).encode()
        return send(self.team, "POST", path, self.headers if headers is None else headers, body)


def send(team: Team, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None) -> Reply:
    """Send one request."""
    return exchange(team.port, method, path, body, headers)


def send_token(team: Team, token: str, to: str = "", **headers: str) -> Reply:
    """Send the form of the sign-in page."""
    return TeamVisitor(team, "").send("/sign-in", {**TeamVisitor(team, "").headers, **headers}, token=token, to=to)


def sign_in(team: Team, name: str) -> TeamVisitor:
    """Sign in with the token of a name."""
    reply = send_token(team, team.tokens.get(name, name))
    assert reply.status == 303, reply.body
    cookie = reply.headers["set-cookie"].partition(";")[0]
    page = TeamVisitor(team, cookie).get("/sign-in")
    token = re.search(r'name="form_token" value="([^"]+)"', page.body.decode())
    assert token, page.body
    return TeamVisitor(team, cookie, token[1])
