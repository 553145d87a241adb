"""Models that this user has chosen before.

An index names the model of its vectors, but it may come from another person. Using that model unasked would send
queries, and the key in a variable of the index's choice, to a server of its author.
"""

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from waymeet.paths import data_folder
from waymeet.settings import Embedding

_OFFLINE = frozenset({"none", "local", "granite", "multilingual", "hashing"})
"""Providers that come with Waymeet and use no network."""


def trust_model(model: Embedding) -> None:
    """Record that the user chose a model.

    If the record cannot be written, the model is not used after the settings name another.
    """
    if not is_trusted(model):
        with suppress(OSError):
            _record_path(model).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _record_path(model).touch(mode=0o600)


def is_trusted(model: Embedding) -> bool:
    """Check whether the user chose a model before, or it uses no network."""
    return model.provider in _OFFLINE or _record_path(model).exists()


def _record_path(model: Embedding) -> Path:
    """Return the file that records a model, its server and the variable of its key."""
    identity = msgspec.json.encode((model.provider, model.model, model.url, model.key_variable))
    return data_folder() / "chosen" / blake2b(identity, digest_size=16).hexdigest()
