"""Storing of vectors in the memory store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.analysis.embedded.space_names import is_student_space, section_space, student_space
from waymeet.stores.memory.quantised import dimensions, encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from waymeet.ports import Vector
    from waymeet.stores.memory.snapshot import Snapshot


def with_vectors(
    old: Snapshot, space: str, vectors: Mapping[str, Vector], digests: Mapping[str, str] | None
) -> Snapshot:
    """Add vectors of known chunks, with `digests` only of chunks whose document has that digest.

    A chunk has a true vector or an approximate one, never both.
    """
    exact = old.vectors.get(section_space(space), {}) if is_student_space(space) else {}
    known = {
        chunk: code
        for chunk, code in encode(space, vectors, dimensions(old).get(space)).items()
        if chunk in old.chunks
        and chunk not in exact
        and (digests is None or old.chunks[chunk].document.digest == digests.get(chunk))
    }
    if not known:
        return old
    student = student_space(space)
    approximate = {chunk: code for chunk, code in old.vectors.get(student, {}).items() if chunk not in known}
    spaces = {**old.vectors, space: {**old.vectors.get(space, {}), **known}, student: approximate}
    return replace(old, generation=old.generation + 1, vectors={name: rows for name, rows in spaces.items() if rows})
