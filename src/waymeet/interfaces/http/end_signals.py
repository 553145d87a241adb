"""The signals that end a server process."""

import asyncio
import signal
import sys
from collections.abc import Callable


def call_on_signals(stop: Callable[[], None]) -> None:
    """Call a function in the running event loop when the process is to end."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: stop())
        else:
            asyncio.get_running_loop().add_signal_handler(number, stop)
