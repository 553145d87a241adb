"""The review operations: confirm an item, list conflicts between items, and resolve one."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waymeet.interfaces.requests.fields import ItemKind, relative_to_root
from waymeet.interfaces.requests.operations.items import ItemReference, OptionalKind
from waymeet.notebook.review.conflicts import Conflict
from waymeet.notebook.review.state import ReviewState
from waymeet.project import Project

Resolution = Literal["keep_both", "merged", "superseded"]


class ConfirmRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Record that a note, task or skill is still right, so that its recency decays more slowly."""

    id: ItemReference
    version: Annotated[
        str, Meta(max_length=200, description="Refuse if the item has another version. Empty for any.")
    ] = ""
    kind: OptionalKind = UNSET


class ConflictsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List items that contradict or nearly repeat each other and are not resolved."""

    kind: Annotated[ItemKind | UnsetType, Meta(description="Only conflicts of this kind of items.")] = UNSET
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Maximum conflicts.")] = 100


class ResolveConflictRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Resolve a conflict. It is listed again when one of the texts changes."""

    id: Annotated[str, Meta(min_length=1, max_length=40, description="The id of the conflict.")]
    resolution: Annotated[Resolution, Meta(description="How it is resolved.")]
    keep: Annotated[
        str, Meta(max_length=4096, description="With superseded: the item that supersedes the other, by path or name.")
    ] = ""


class ConfirmAnswer(Struct, frozen=True, kw_only=True):
    """A confirmed item, with its state of spaced repetition."""

    id: str
    version: str
    review: ReviewState


class ConflictsAnswer(Struct, frozen=True, kw_only=True):
    """Open conflicts, the oldest first."""

    conflicts: tuple[Conflict, ...]
    total: int
    cut: tuple[str, ...] = ()


def answer_confirm(project: Project, request: ConfirmRequest) -> ConfirmAnswer:
    """Confirm an item."""
    kind = "" if request.kind is UNSET else request.kind
    reference = relative_to_root(project.root, request.id)
    item, state = project.notebook.review.confirm(reference, version=request.version, kind=kind)
    return ConfirmAnswer(id=item.id, version=item.version, review=state)


def answer_conflicts(project: Project, request: ConflictsRequest) -> ConflictsAnswer:
    """List open conflicts."""
    conflicts = project.notebook.review.conflicts("" if request.kind is UNSET else request.kind)
    shown = conflicts[: request.limit]
    left = len(conflicts) - len(shown)
    cut = (f"{left} of {len(conflicts)}",) if left else ()
    return ConflictsAnswer(conflicts=shown, total=len(conflicts), cut=cut)


def answer_resolve_conflict(project: Project, request: ResolveConflictRequest) -> Conflict:
    """Resolve a conflict."""
    keep = relative_to_root(project.root, request.keep) if request.keep else ""
    return project.notebook.review.resolve(request.id, request.resolution, keep=keep)
