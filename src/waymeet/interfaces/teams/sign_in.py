"""Signing in to the page of a team's server with a token.

A browser sends the token once and gets a cookie, which counts for pages alone. Every request looks up the token of its
session again, so that a revoked one ends the session at once.
"""

import logging
import re

from starlette.requests import Request, cookie_parser

from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.endpoints import audited
from waymeet.interfaces.http.middleware import TRUSTED
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.teams.rate_limit import RateLimit
from waymeet.interfaces.teams.token_store import OWNER, Sender, TokenChecker
from waymeet.interfaces.web.items.routes import CHANGES
from waymeet.interfaces.web.sign_in.visitor import OLD_FORM, SignIn, Visitor

_LOG = logging.getLogger(__name__)
STATIC = "/static/"
"""Path above the style sheets and scripts, which need no token."""
_PAGE = re.compile(r"/|/all|/all/results|/all/compare|/sign-in|/sign-out|/static/.*|/p/.*", re.DOTALL)
_OWNER = "owner"
"""In place of the id of a token: the user who runs the server."""
_READ_ONLY = "Your token may read this project, and not change it."


def is_page_path(path: str) -> bool:
    """Tell whether a path is of a page, for which a cookie counts.

    >>> is_page_path("/p/tea/notes"), is_page_path("/projects/tea/v1/search"), is_page_path("/v1/search")
    (True, False, False)
    """
    return bool(_PAGE.fullmatch(path))


class TeamSignIn(SignIn):
    """The sessions of browsers that have sent a token."""

    def __init__(self, access: AccessPolicy, tokens: TokenChecker) -> None:
        super().__init__(access)
        self._tokens = tokens
        if access.has_tls:
            self._name = f"__Host-{self._name}"  # browsers accept it only with Secure, from this host, for all paths
        subject = "More than {} attempts per minute to sign in came from your address."
        self._attempts = RateLimit(
            access.settings.sign_in_attempts, share_at_once=1.0, subject=subject, setting="serve.sign_in_attempts"
        )

    def start(self, token: str, request: Request) -> str:
        """Start a session with a token, and return the value of its cookie, empty for a wrong token.

        Raises:
            RequestRefusedError: there were too many attempts.
            UsageError: the tokens cannot be read.
        """
        address = self._find_address(request)
        self._attempts.take(address)
        if self._access.is_owner(f"Bearer {token}"):
            return self.sessions.add(_OWNER)
        sender = self._tokens.find_sender(token)
        if sender is None:
            _LOG.warning("a wrong token was sent to the sign-in page from %s", address)
            return ""
        return self.sessions.add(sender.token)

    def find_sender(self, cookies: str, *, is_use: bool = True) -> Sender | None:
        """Find who has signed in, by the cookies of a request. The session of an invalid token ends.

        Raises:
            UsageError: the tokens cannot be read.
        """
        value = cookie_parser(cookies).get(self._name, "")
        session = self.sessions.find(value) if is_use else self.sessions.get(value)
        if session is None:
            return None
        if session.holder == _OWNER:
            return OWNER
        sender = self._tokens.find_by_id(session.holder)
        if sender is None:
            self.sessions.end(value)
        return sender

    async def read_visitor(self, request: Request) -> Visitor:
        """Read the session and the form of a request, and check whether it may write in its project."""
        visitor = await super().read_visitor(request)
        if not request.scope[TRUSTED]:
            refusal = visitor.refusal
            if refusal is None or refusal.failure.code == OLD_FORM:  # these pages have no token for forms
                refusal = RequestRefusedError(403, "read_only", _READ_ONLY, "Ask for a token that may change it.")
            visitor = Visitor(None, visitor.form, refusal, _READ_ONLY)
        if request.method == "POST" and visitor.refusal:
            _record_refusal(request, visitor.refusal)
        return visitor

    async def read_session(self, request: Request) -> Visitor:
        """Read the session and the form of a request that belongs to no project."""
        return await super().read_visitor(request)

    def is_from_other_user(self, request: Request) -> bool:
        """Tell that every user may send requests: a token tells who it is."""
        del request
        return False

    def _find_address(self, request: Request) -> str:
        """Give the address that attempts are counted for.

        Behind a proxy, it is the last one in the header, which the proxy has added.
        """
        forwarded = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
        if self._access.is_behind_proxy and forwarded:
            return forwarded[:100]
        return request.client.host if request.client else ""


def _record_refusal(request: Request, refusal: RequestRefusedError) -> None:
    """Record a refused change in the audit log."""
    operation = CHANGES.get(request.url.path.split("/")[1], "change")
    try:
        with audited(request, f"page {operation}"):
            raise refusal
    except RequestRefusedError:
        return  # the page shows it
