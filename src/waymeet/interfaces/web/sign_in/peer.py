"""The user at the other end of a connection on this machine."""

import os
import sys
from collections.abc import Iterable
from ipaddress import ip_address
from pathlib import Path

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_ROOT = 0


def is_other_user(client: tuple[str, int] | None, server: tuple[str, int] | None) -> bool:
    """Tell whether a connection surely belongs to another user of this machine.

    Linux lists the owner of each connection. Elsewhere, and if it is not listed, nothing is known.
    """
    if not sys.platform.startswith("linux") or not client or not server:
        return False
    for table in _TABLES:
        try:
            with Path(table).open(encoding="ascii") as rows:
                user = find_owner(rows, client, server[1])
        except (OSError, UnicodeError):
            continue
        if user is not None:
            return user not in {os.getuid(), _ROOT}
    return False


def find_owner(rows: Iterable[str], client: tuple[str, int], server_port: int) -> int | None:
    """Find the user of a connection from a client to a port, in a table of the kernel.

    >>> row = " 1: 0100007F:D431 0100007F:1CA9 01 00000000:00000000 00:00000000 00000000  1000        0 99 1"
    >>> find_owner([row], ("127.0.0.1", 54321), 7337), find_owner([row], ("127.0.0.1", 54322), 7337)
    (1000, None)
    """
    for row in rows:
        columns = row.split()
        if len(columns) < 8 or ":" not in columns[1]:
            continue
        address, _, port = columns[1].partition(":")
        ends = int(port, 16), int(columns[2].rpartition(":")[2], 16)
        if ends == (client[1], server_port) and _parse_address(address) == ip_address(client[0]):
            return int(columns[7])
    return None


def _parse_address(text: str) -> object:
    """Parse an address whose 32-bit words are written in the order of the machine."""
    words = [int(text[start : start + 8], 16).to_bytes(4, sys.byteorder) for start in range(0, len(text), 8)]
    address = ip_address(b"".join(words))
    return getattr(address, "ipv4_mapped", None) or address  # an IPv4 connection of an IPv6 socket
