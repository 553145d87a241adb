"""Which models this user chose before. An index says who made its vectors, but it may be a stranger's index.

To ask whom it names would send questions, and the key in a variable that it names, to whoever wrote it.
"""

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from waymeet.paths import data_folder
from waymeet.settings import Embedding

_HARMLESS = frozenset({"none", "local", "granite", "multilingual", "hashing"})
"""Providers that come with Waymeet and ask nobody."""


def trust_model(made: Embedding) -> None:
    """Remember that the user chose a model; where that cannot be written, it is not asked after another was chosen."""
    if not is_trusted(made):
        with suppress(OSError):
            _note(made).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _note(made).touch(mode=0o600)


def is_trusted(made: Embedding) -> bool:
    """Tell whether the user chose a model before, or it asks nobody."""
    return made.provider in _HARMLESS or _note(made).exists()


def _note(made: Embedding) -> Path:
    """Name the file that stands for a model, whom it is asked of, and the variable of its key."""
    written = msgspec.json.encode((made.provider, made.model, made.url, made.key_variable))
    return data_folder() / "chosen" / blake2b(written, digest_size=16).hexdigest()
