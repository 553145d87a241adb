"""Date of the last change that a document names in its front matter."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

_KEYS = (
    *("updated", "updated_at", "last_updated", "lastupdated", "date_updated"),
    *("last_modified", "lastmodified", "lastmod", "modified", "modified_at", "date_modified"),
    *("revised", "revision_date", "revdate"),
    *("date", "published", "published_at", "pubdate"),
)
"""Names of the date, the best first. The date of creation is not among them: later changes do not move it."""
_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d", "%Y-%m")
_MAX_NS = 2**63 - 1


def read_date(properties: Mapping[str, str]) -> int:
    """Read the date of a document, in nanoseconds since 1970, or 0 if it has none.

    >>> read_date({"date": "1970-01-02", "Updated": "1970-01-03T00:00:00Z"}) // 86_400_000_000_000
    2
    >>> read_date({"created": "1970-01-02"}), read_date({"date": "soon"})
    (0, 0)
    """
    lowered = {key.lower().replace("-", "_").replace(" ", "_"): value for key, value in properties.items()}
    return next((time_ns for key in _KEYS if (time_ns := parse_time(lowered.get(key, "")))), 0)


def parse_time(written: str) -> int:
    """Parse a day or time, in UTC unless it names a time zone, or return 0 if it is neither.

    >>> [parse_time(text) // 86_400_000_000_000 for text in ("1970/01/03", "3 January 1970", "1970-1-3", "1970-02")]
    [2, 2, 2, 31]
    >>> parse_time("1970-01-01 01:00:00 +0100"), parse_time("9999-12-31"), parse_time("12")
    (0, 0, 0)
    """
    text = " ".join(written.replace("/", "-").split())
    moment = _parse(text)
    if moment is None:
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since_1970 = aware - datetime(1970, 1, 1, tzinfo=UTC)
    time_ns = (since_1970.days * 86_400_000_000 + since_1970.seconds * 1_000_000 + since_1970.microseconds) * 1000
    return time_ns if 0 < time_ns <= _MAX_NS else 0


def _parse(text: str) -> datetime | None:
    if not any(letter in text for letter in "-, "):  # a number alone, such as a version
        return None
    with suppress(ValueError):
        return datetime.fromisoformat(text)
    for form in _FORMATS:
        with suppress(ValueError):
            return datetime.strptime(text, form)
    return None
