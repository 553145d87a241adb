"""Who sent a request to the page, what a form has, and whether it may write."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from waymeet.errors import RequestError
from waymeet.interfaces.http.access import AccessPolicy
from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.web.sign_in.peer import is_other_user
from waymeet.interfaces.web.sign_in.sessions import Session, Sessions

FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
"""The field of every form that has the token of the session."""
OLD_FORM = "old_form"
"""Code of the error for a form without the token of the session."""
HOW = "Run `waymeet open` in the folder of the project. It signs this browser in."
_MAX_FIELDS = 1000


class Form(NamedTuple):
    """The fields of a form."""

    fields: Mapping[str, Sequence[str]] = {}

    def text(self, name: str) -> str:
        """Give a field of one line."""
        return self.lines(name).strip()

    def lines(self, name: str) -> str:
        """Give a field of several lines, with plain line ends."""
        values = self.fields.get(name, ())
        return values[-1].replace("\r\n", "\n").replace("\r", "\n") if values else ""


class Visitor(NamedTuple):
    """The sender of a request."""

    session: Session | None = None
    form: Form = Form()
    refusal: RequestRefusedError | None = None
    """Why nothing is written for this request."""
    how: str = HOW
    """How to get the right to write."""

    def check(self) -> None:
        """Raise the reason why nothing is written, if there is one."""
        if self.refusal:
            raise self.refusal


class SignIn:
    """The sessions of a server's page, by cookies."""

    def __init__(self, access: AccessPolicy) -> None:
        settings = access.settings
        self._access = access
        self.sessions = Sessions(settings.sign_in_idle_seconds, settings.sign_in_seconds)
        self._name = cookie_name(access.port)
        self._is_secure = access.has_tls

    async def read_visitor(self, request: Request) -> Visitor:
        """Read the session and the form of a request, and check whether it may write.

        A page for another user of this machine has no session, so that it shows no token of a form either.
        """
        session = self.find_session(request)
        if request.method != "POST":
            return Visitor(session)
        form = Form(_parse_form(await request.body(), request))
        return Visitor(session, form, self._find_refusal(request, session, form))

    def find_session(self, request: Request) -> Session | None:
        """Find the session of a request, none if another user of this machine sent it."""
        session = self.sessions.find(self.read_cookie(request))
        return None if session is None or self.is_from_other_user(request) else session

    def read_cookie(self, request: Request) -> str:
        """Give the value of the cookie, or an empty text."""
        return request.cookies.get(self._name, "")

    def set_cookie(self, response: Response, value: str) -> None:
        """Send the cookie of a session."""
        age = int(self.sessions.max_seconds)
        response.set_cookie(
            self._name, value, max_age=age, path="/", secure=self._is_secure, httponly=True, samesite="strict"
        )

    def remove_cookie(self, response: Response) -> None:
        """Make the browser forget the cookie."""
        response.delete_cookie(self._name, path="/", secure=self._is_secure, httponly=True, samesite="strict")

    def is_from_other_user(self, request: Request) -> bool:
        """Tell whether a program of another user of this machine sent a request."""
        server = (request.scope.get("server") or ("", 0))[1]
        return is_other_user(request.client, ("", server))

    def _find_refusal(self, request: Request, session: Session | None, form: Form) -> RequestRefusedError | None:
        """Find what forbids a request to write: its user, its origin, no session, an old form."""
        if self.is_from_other_user(request):
            return _refuse("other_user", "Another user of this machine sent this.", HOW)
        if not self.is_from_own_page(request):
            return _refuse("wrong_origin", "This was not sent by the page itself.", "Use the form of the page.")
        if session is None:
            return _refuse("not_signed_in", "You are not signed in for writing, or no longer.", HOW)
        if not session.has_form_token(form.text(FORM_TOKEN)):
            return _refuse(OLD_FORM, "The form is from before you signed in.", "Send it once more from this page.")
        return None

    def is_from_own_page(self, request: Request) -> bool:
        """Tell whether the browser says that a page of this server sent the request.

        Origins that the settings allow may read, and write with the token, but not use the session.
        """
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        if origin is None and site is None:
            return False
        return (origin is None or self._access.is_own_origin(origin, request.headers.get("host", ""))) and site in {
            None,
            "same-origin",
        }


def cookie_name(port: int) -> str:
    """Give the name of the cookie.

    Browsers send cookies to all ports of a host, so each server of this machine needs a name of its own.
    """
    return f"waymeet-session-{port}"


def _refuse(code: str, detail: str, next_step: str) -> RequestRefusedError:
    return RequestRefusedError(403, code, detail, next_step)


def _parse_form(raw: bytes, request: Request) -> dict[str, list[str]]:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/x-www-form-urlencoded":
        if not raw:
            return {}
        raise RequestRefusedError(415, "no_form", "The body is not a form.", "Use the form of the page.")
    try:
        pairs: list[tuple[Any, Any]] = parse_qsl(
            raw.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="replace"
        )
    except ValueError as error:
        raise RequestError(f"Malformed form: {error}.", "Use the form of the page.") from error
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields
