"""Tokens that may read or change named projects.

A token is `wmt_`, an id and a random secret of 256 bits. The file has only a SHA-256 digest of the secret: nobody can
try all values of such a secret, so that a slow hash would add nothing. Rights refer to the ids of projects, which are
never used again. The file is read again when it has changed, so that a revoked token is refused at once.
"""

import hmac
import re
import secrets
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import time
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.errors import NotFoundError, UsageError
from waymeet.paths import state_folder
from waymeet.project.registered.locked_file import file_version, locking, read_content, replace_content

_FORMAT = 1
_PREFIX = "wmt"
_NAME = re.compile(r"[^\W_][\w.@-]{0,59}")
_TOKEN = re.compile(rf"{_PREFIX}_(?P<id>[0-9a-f]{{16}})_(?P<secret>[\w-]{{43}})", re.ASCII)
_NAME_OF_FILE = "list of tokens"
DAY = 86_400


class StoredToken(Struct, frozen=True, kw_only=True):
    """A token as it is stored."""

    id: str
    name: str
    """Who it belongs to, as named in the audit log."""
    digest: str
    """SHA-256 of the secret."""
    read: tuple[str, ...] = ()
    """Ids of the projects that it may read."""
    write: tuple[str, ...] = ()
    """Ids of the projects that it may read and change."""
    created: int = 0
    expires: int = 0
    """Seconds since 1970; 0 for never."""
    revoked: int = 0
    """Seconds since 1970; 0 if it is not revoked."""

    def state(self, now: float) -> str:
        """Tell whether it can be used: `valid`, `revoked` or `expired`."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and now >= self.expires else "valid"


class Sender(NamedTuple):
    """Who sends a request, and the projects that are allowed."""

    name: str
    read: frozenset[str] = frozenset()
    write: frozenset[str] = frozenset()
    is_owner: bool = False
    """Whether it is the user who runs the server, who may do everything."""
    token: str = ""
    """Id of the token; empty for the user who runs the server."""

    def may_read(self, project: str) -> bool:
        """Tell whether the sender may read a project, by its id."""
        return self.is_owner or project in self.read or project in self.write

    def may_write(self, project: str) -> bool:
        """Tell whether the sender may change a project, by its id."""
        return self.is_owner or project in self.write


OWNER = Sender("owner", is_owner=True)
"""The user who runs the server, with the token of `waymeet serve --show-token`."""


class _Content(Struct, frozen=True, kw_only=True):
    format: int = _FORMAT
    tokens: tuple[StoredToken, ...] = ()


def tokens_file() -> Path:
    """Give the path of the file."""
    return state_folder() / "tokens.json"


def list_tokens() -> tuple[StoredToken, ...]:
    """List all tokens, revoked and expired ones included, in the order in which they were added."""
    return _read(tokens_file()).tokens


def add_token(name: str, read: Iterable[str], write: Iterable[str], expires: int) -> tuple[StoredToken, str]:
    """Add a token, and return it with its text, which is stored nowhere.

    `read` and `write` are ids of projects; `expires` is a time in seconds since 1970, 0 for never.

    Raises:
        UsageError: the name is invalid or taken by a valid token, or the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        hint = "Use letters, digits and . @ - _, at most 60; begin with a letter or digit."
        raise UsageError(f"{name!r} is no name for a token.", hint)
    if name.casefold() == OWNER.name:
        raise UsageError(f"{name} is the name of who runs the server.", "Choose another name.")
    id_, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    writable = tuple(sorted(set(write)))
    token = StoredToken(
        id=id_,
        name=name,
        digest=_digest(secret),
        read=tuple(sorted(set(read) - set(writable))),
        write=writable,
        created=int(time()),
        expires=expires,
    )

    def append(tokens: tuple[StoredToken, ...]) -> tuple[StoredToken, ...]:
        if any(other.name == name and other.state(time()) == "valid" for other in tokens):
            raise UsageError(f"There is a valid token {name}.", f"Revoke it first: waymeet token revoke {name}")
        return (*tokens, token)

    _change(append)
    return token, f"{_PREFIX}_{id_}_{secret}"


def revoke_token(name: str) -> StoredToken:
    """Revoke the valid token of a name.

    Raises:
        NotFoundError: there is none.
    """
    now = int(time())
    valid = [token for token in list_tokens() if token.name == name and token.state(now) == "valid"]
    if not valid:
        raise NotFoundError(f"There is no valid token {name!r}.", "List them: waymeet token list")
    ids = {token.id for token in valid}
    _change(lambda tokens: tuple(replace(each, revoked=now) if each.id in ids else each for each in tokens))
    return replace(valid[0], revoked=now)


def has_valid_token(projects: Collection[str]) -> bool:
    """Tell whether a valid token may read one of these projects, by their ids."""
    now = time()
    return any(
        token.state(now) == "valid" and not {*token.read, *token.write}.isdisjoint(projects) for token in list_tokens()
    )


class TokenChecker:
    """Finds the sender of a token. Reads the file again when it has changed."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._lock = Lock()
        self._version: object = None
        self._tokens: dict[str, StoredToken] = {}

    def find_sender(self, text: str) -> Sender | None:
        """Find the sender of a valid token, or return None.

        Raises:
            UsageError: the file cannot be read.
        """
        match = _TOKEN.fullmatch(text)
        digest = _digest(match["secret"] if match else "")
        token = self._read_tokens().get(match["id"] if match else "")
        is_right = hmac.compare_digest(digest, token.digest if token else "0" * len(digest))
        if token is None or not is_right or token.state(self._clock()) != "valid":
            return None
        return _make_sender(token)

    def find_by_id(self, id_: str) -> Sender | None:
        """Find the sender of a token that was checked before, or return None if it has ended.

        Raises:
            UsageError: the file cannot be read.
        """
        token = self._read_tokens().get(id_)
        return _make_sender(token) if token and token.state(self._clock()) == "valid" else None

    def _read_tokens(self) -> dict[str, StoredToken]:
        file = tokens_file()
        version = file_version(file)
        with self._lock:
            if version != self._version:
                self._tokens = {token.id: token for token in _read(file).tokens}
                self._version = version
            elif version is None:
                self._tokens = {}
            return self._tokens


def _make_sender(token: StoredToken) -> Sender:
    return Sender(token.name, frozenset(token.read), frozenset(token.write), token=token.id)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _read(file: Path) -> _Content:
    hint = "Restore the file, or delete it; then all tokens are refused and new ones can be added."
    content = read_content(file, _Content, _NAME_OF_FILE, hint)
    if content.format > _FORMAT:
        raise UsageError(f"The {_NAME_OF_FILE} {file} was written by a newer version.", "Update Waymeet.")
    return content


def _change(change: Callable[[tuple[StoredToken, ...]], tuple[StoredToken, ...]]) -> None:
    """Change the file under its lock."""
    file = tokens_file()
    with locking(file, _NAME_OF_FILE):
        replace_content(file, _Content(tokens=change(_read(file).tokens)))
