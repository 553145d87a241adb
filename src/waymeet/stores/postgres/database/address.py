"""Addresses of servers: validation, and a form without password for messages."""

from __future__ import annotations

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from waymeet.errors import SettingsError

_SCHEMES = ("postgresql://", "postgres://")
_EXAMPLE = "Write it as postgresql://user@host:5432/database; keep the password in ~/.pgpass or PGPASSWORD."


def is_address(text: str) -> bool:
    """Return whether a text looks like the address of a server rather than a path."""
    return text.startswith(_SCHEMES)


def parse_address(address: str) -> dict[str, str]:
    """Parse an address into connection parameters.

    Raises:
        SettingsError: the address is malformed.
    """
    if not is_address(address):
        raise SettingsError("The address of the store does not begin with postgresql://.", _EXAMPLE)
    try:
        parameters = {key: str(value) for key, value in conninfo_to_dict(address).items() if value is not None}
    except ProgrammingError:  # its message may contain the password
        raise SettingsError(f"The address {mask_address(address)} is malformed.", _EXAMPLE) from None
    if not all(port.isdigit() for port in parameters.get("port", "").split(",") if port):
        raise SettingsError(f"The port in {mask_address(address)} is not a number.", _EXAMPLE)
    return parameters


def mask_address(address: str) -> str:
    """Return an address without user, password and options.

    >>> mask_address("postgresql://ada:secret@db.example:5432/team?sslmode=require")
    'postgresql://db.example:5432/team'
    """
    scheme, _, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2].partition('?')[0]}{slash}{path.partition('?')[0]}"


def reader_parameters(parameters: dict[str, str]) -> str:
    """Return the connection string for reading, from a replica if the address says so."""
    return make_conninfo("", **_with_defaults(parameters))


def writer_parameters(parameters: dict[str, str]) -> str:
    """Return the connection string for writing. Among several servers the primary is chosen."""
    several = "," in parameters.get("host", "") or "target_session_attrs" in parameters
    chosen = {"target_session_attrs": "read-write"} if several else {}
    return make_conninfo("", **_with_defaults({**parameters, **chosen}))


def reads_from_replica(parameters: dict[str, str]) -> bool:
    """Return whether reading may use another server than writing."""
    return parameters.get("target_session_attrs", "read-write") not in {"read-write", "primary"}


def _with_defaults(parameters: dict[str, str]) -> dict[str, str]:
    defaults = {"connect_timeout": "10", "keepalives_idle": "30", "application_name": "waymeet"}
    return {**defaults, **parameters}
