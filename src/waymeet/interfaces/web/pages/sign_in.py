"""Signing in by a one-time code, and signing out."""

from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from waymeet.interfaces.http.problems import RequestRefusedError
from waymeet.interfaces.web.frame import FRAME, Frame
from waymeet.interfaces.web.html import HEADERS, respond
from waymeet.interfaces.web.sign_in.visitor import SignIn

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
_SEE_OTHER = 303
_ENDED = "ended"
"""Field of the address after signing out: the page removes what the browser has kept."""


async def show_sign_in(sign_in: SignIn, make_frame: Callable[[Request], Frame], request: Request) -> Response:
    """Use the code of a link and go on without it, or show whether the browser is signed in.

    The answer to an address with a code is always a redirection, so that the code stays in no history.
    """
    code = request.query_params.get("code", "")
    if not code:
        has_failed, has_ended = (bool(request.query_params.get(name)) for name in ("failed", _ENDED))
        FRAME.set(make_frame(request))
        visitor = await sign_in.read_visitor(request)
        values = {
            "query": "",
            "session": visitor.session,
            "has_failed": has_failed,
            "has_ended": has_ended,
            "how": visitor.how,
        }
        return allow_own_referrer(respond("sign_in.html", values, 403 if has_failed else 200))
    if request.method != "GET" or "prefetch" in request.headers.get("sec-purpose", ""):
        raise RequestRefusedError(405, "sign_in", "The code was not used.", "Open the link in a browser.")
    value = "" if sign_in.is_from_other_user(request) else sign_in.sessions.start(code)
    if not value:
        return redirect(f"{SIGN_IN}?failed=1")
    sign_in.sessions.end(sign_in.read_cookie(request))  # the browser forgets it
    response = redirect(find_own_path(request.query_params.get("to", "")))
    sign_in.set_cookie(response, value)
    return response


async def sign_out(sign_in: SignIn, request: Request) -> Response:
    """End the session of the browser."""
    (await sign_in.read_visitor(request)).check()
    sign_in.sessions.end(sign_in.read_cookie(request))
    response = redirect(f"{SIGN_IN}?{_ENDED}=1")
    sign_in.remove_cookie(response)
    return response


def redirect(path: str) -> Response:
    """Make the browser load another page of this server by GET."""
    return RedirectResponse(path, _SEE_OTHER, HEADERS)


def allow_own_referrer(response: Response) -> Response:
    """Let a page with forms name its origin to this server.

    Without a referrer, browsers send `Origin: null`.
    """
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def find_own_path(target: str) -> str:
    r"""Give the path and query of a page of this server, or the first page for anything else.

    >>> [find_own_path(target) for target in ("/?q=a", "//evil.example", "/\\evil", "https://evil.example", "")]
    ['/?q=a', '/', '/', '/', '/']
    """
    try:
        parts = urlsplit(target)
    except ValueError:
        return "/"
    is_plain = target.isprintable() and not parts.scheme and not parts.netloc
    return target if is_plain and target.startswith("/") and not target.startswith(("//", "/\\")) else "/"
