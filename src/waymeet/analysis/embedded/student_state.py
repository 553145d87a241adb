"""State of the student of an index, stored in its metadata."""

import msgspec
from msgspec import Struct

STATE_KEY = "student"
"""Key of the state."""
CORRECTION_KEY = "student_correction"
"""Key of the correction by true vectors of the project, which is large and read seldom."""


class StudentState(Struct, frozen=True):
    """Which student predicted the vectors of an index, and how far they can be trusted."""

    version: str
    """Version of the student's file."""
    trust: float | None = None
    """Correlation of its similarities with true ones in this project; None before it was measured."""
    is_applied: bool = True
    """Whether all approximate vectors were predicted with the correction."""


def encode_state(state: StudentState) -> str:
    """Encode a state for the metadata of a store.

    >>> decode_state(encode_state(StudentState("v1", 0.8)))
    StudentState(version='v1', trust=0.8, is_applied=True)
    """
    return msgspec.json.encode(state).decode()


def decode_state(text: str) -> StudentState | None:
    """Decode a state, or return None if there is none that this version can read.

    >>> decode_state(""), decode_state("{}")
    (None, None)
    """
    try:
        return msgspec.json.decode(text or "null", type=StudentState | None)
    except msgspec.MsgspecError:
        return None
