"""Which files can be parsed in this very process: those that are quick to parse, whatever is in them.

The sizes are measured (see `tests/torture/hostile.py` for the sort of files): the worst text of that length takes less
than a second. Readers of prose take time in proportion to the length, those of code by grammar much more than that, for
text that is no code at all; and what is written in C may fall over, which this process shall not.
"""

from waymeet.ingest.filetypes import listed
from waymeet.ingest.parse import code

_PROSE = 96_000
_CODE = 8_000
_BY_GRAMMAR = frozenset({*code.LANGUAGES, "html"})
_NEVER = frozenset({"pdf", "docx"})


def is_tame(path: str, size: int) -> bool:
    """Tell whether a file of that size needs no process of its own.

    >>> is_tame("a.md", 50_000), is_tame("a.py", 50_000), is_tame("a.pdf", 50)
    (True, False, False)
    """
    language = listed(path).language
    return language not in _NEVER and size <= (_CODE if language in _BY_GRAMMAR else _PROSE)
