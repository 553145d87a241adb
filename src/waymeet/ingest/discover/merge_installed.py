"""Which optional libraries are here: with others, the same files give other documents."""

from importlib.util import find_spec

_EXTRAS = {"html": "selectolax", "pdf": "pypdfium2"}
"""What `pip install 'waymeet[extra]'` brings."""


def extras() -> str:
    """Name the extras that are installed."""
    return " ".join(extra for extra, module in _EXTRAS.items() if find_spec(module) is not None) or "none"
