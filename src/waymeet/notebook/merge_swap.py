"""Exchanging two files in one step, where the system can: neither name is ever without a file, and no file is lost."""

import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from waymeet.notebook.safe_folder import Folder

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS happen to be the same number."""
_UNABLE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})


def exchanged(one: Folder, name: str, other: Folder, called: str) -> bool:
    """Exchange two files; False, and nothing is done, if this system or file system cannot.

    Raises:
        FileNotFoundError: one of them is not there.
    """
    rename = _rename()
    if rename is None or one.handle is None or other.handle is None:
        return False
    import ctypes  # noqa: PLC0415 - only writing needs it

    if rename(one.handle, os.fsencode(name), other.handle, os.fsencode(called), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNABLE:
        return False
    raise OSError(code, os.strerror(code), called)


@cache
def _rename() -> Callable[..., Any] | None:
    """Find the system's call for it."""
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    if name is None:
        return None
    import ctypes  # noqa: PLC0415 - only writing needs it

    found = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        found.restype = ctypes.c_int
    return found
