"""Access to a server of several projects: every request needs a token."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from waymeet.errors import UsageError
from waymeet.interfaces.daemon.discovery import Daemon
from waymeet.interfaces.http.access import OPEN, AccessPolicy
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.teams.rate_limit import RateLimit
from waymeet.interfaces.teams.sign_in import STATIC, TeamSignIn, is_page_path
from waymeet.interfaces.teams.token_store import OWNER, Sender, TokenChecker
from waymeet.interfaces.web.frame import FRAME, NO_PROJECT
from waymeet.settings import Serve

_LOG = logging.getLogger(__name__)
ANONYMOUS = Sender("")
"""The sender of a request without a token."""


class TeamAccess(NamedTuple):
    """Decides which requests a server of several projects accepts, and finds their senders."""

    policy: AccessPolicy
    tokens: TokenChecker
    rate_limit: RateLimit
    sign_in: TeamSignIn

    @property
    def settings(self) -> Serve:
        """The limits of the server."""
        return self.policy.settings

    @property
    def daemon(self) -> Daemon:
        """The process."""
        return self.policy.daemon

    def allowed_origin(self, headers: Mapping[str, str]) -> str:
        """Give the origin of the request if the settings allow it, else the empty string."""
        return self.policy.allowed_origin(headers)

    def preflight_headers(self, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Give the response headers of a CORS preflight request."""
        return self.policy.preflight_headers(headers)

    def check(self, path: str, headers: Mapping[str, str]) -> Sender:
        """Refuse a request that is not allowed, or return its sender.

        Raises:
            RequestRefusedError: host, origin or token is wrong, or the sender has sent too many.
        """
        FRAME.set(NO_PROJECT)  # of the page that shows an error
        self.policy.check_address(headers)
        authorization = headers.get("authorization", "")
        if not authorization and path in OPEN:
            return ANONYMOUS
        if not authorization and is_page_path(path):
            sender = self._find_signed_in(path, headers)
            if sender is ANONYMOUS:
                return ANONYMOUS  # the page asks for a token
        else:
            sender = self._find_sender(authorization)
        self.rate_limit.take(sender.name)
        return sender

    def find_reader(self, headers: Mapping[str, str]) -> Sender:
        """Find who reads a stream, again after it was opened, without noting a use of its session.

        It is ANONYMOUS if the token is revoked or has expired, the session has ended, or tokens cannot be read.
        """
        authorization = headers.get("authorization", "")
        try:
            if authorization:
                return self._find_sender(authorization)
            return (
                self._look_up(partial(self.sign_in.find_sender, is_use=False), headers.get("cookie", "")) or ANONYMOUS
            )
        except RequestRefusedError:
            return ANONYMOUS

    def _find_sender(self, authorization: str) -> Sender:
        if not authorization:
            raise _unauthorized("Every request needs a token.")
        if self.policy.is_owner(authorization):
            return OWNER
        scheme, _, credentials = authorization.partition(" ")
        sender = self._look_up(self.tokens.find_sender, credentials.strip()) if scheme.lower() == "bearer" else None
        if sender is None:
            raise _unauthorized("The token is wrong, revoked or expired.")
        return sender

    def _find_signed_in(self, path: str, headers: Mapping[str, str]) -> Sender:
        """Find the sender of a request for a page by its cookie, which counts for pages alone."""
        if path.startswith(STATIC):
            return ANONYMOUS
        return self._look_up(self.sign_in.find_sender, headers.get("cookie", "")) or ANONYMOUS

    @staticmethod
    def _look_up(find: Callable[[str], Sender | None], text: str) -> Sender | None:
        try:
            return find(text)
        except UsageError as error:
            _LOG.error("%s", error)
            hint = "Ask who runs the server; its log has the cause."
            raise RequestRefusedError(503, "tokens_unavailable", "Tokens cannot be checked.", hint) from error


def _unauthorized(detail: str) -> RequestRefusedError:
    hint = "Send it as `Authorization: Bearer …`. Who runs the server adds one by: waymeet token add"
    return RequestRefusedError(401, "token", detail, hint, {"WWW-Authenticate": "Bearer"})
