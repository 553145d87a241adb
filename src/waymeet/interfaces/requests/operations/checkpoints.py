"""The checkpoint operations: create, list, compare and restore states of all items."""

from typing import Annotated

from msgspec import Meta, Struct

from waymeet.notebook.checkpoints.checkpoints import FileChange, Restored
from waymeet.notebook.checkpoints.storage import Checkpoint
from waymeet.project import Project

CheckpointName = Annotated[str, Meta(min_length=1, max_length=100, description="The name of the checkpoint.")]


class CreateCheckpointRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Save the state of all notes, tasks and skills."""

    name: Annotated[str, Meta(max_length=100, description="Its name. Empty for the present time.")] = ""


class CheckpointsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """List the checkpoints, the newest first."""


class CompareCheckpointRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Compare a checkpoint with a later one, or with the present state."""

    name: CheckpointName
    other: Annotated[str, Meta(max_length=100, description="The later one. Empty for the present state.")] = ""


class RestoreCheckpointRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Restore all notes, tasks and skills.

    The present state is saved as another checkpoint first.
    """

    name: CheckpointName
    dry_run: Annotated[bool, Meta(description="Only list what would be changed.")] = False


class CheckpointSummary(Struct, frozen=True, kw_only=True):
    """A checkpoint."""

    name: str
    created_ns: int
    files: int
    """Number of files."""
    left_out: tuple[tuple[str, str], ...] = ()
    """Files that are not part of it, with the reason."""


class CheckpointsAnswer(Struct, frozen=True, kw_only=True):
    """The checkpoints of a project."""

    checkpoints: tuple[CheckpointSummary, ...]


class CompareCheckpointAnswer(Struct, frozen=True, kw_only=True):
    """The differences of two states."""

    changes: tuple[FileChange, ...]


def answer_create_checkpoint(project: Project, request: CreateCheckpointRequest) -> CheckpointSummary:
    """Save a checkpoint."""
    return _summarise(project.notebook.checkpoints.create(request.name))


def answer_checkpoints(project: Project, _request: CheckpointsRequest) -> CheckpointsAnswer:
    """List the checkpoints."""
    return CheckpointsAnswer(checkpoints=tuple(map(_summarise, project.notebook.checkpoints.list())))


def answer_compare_checkpoint(project: Project, request: CompareCheckpointRequest) -> CompareCheckpointAnswer:
    """Compare two states."""
    return CompareCheckpointAnswer(changes=project.notebook.checkpoints.diff(request.name, request.other))


def answer_restore_checkpoint(project: Project, request: RestoreCheckpointRequest) -> Restored:
    """Restore a checkpoint, or list what that would change."""
    checkpoints = project.notebook.checkpoints
    if request.dry_run:
        return Restored(request.name, checkpoints.plan(request.name))
    return checkpoints.restore(request.name)


def _summarise(checkpoint: Checkpoint) -> CheckpointSummary:
    return CheckpointSummary(
        name=checkpoint.name,
        created_ns=checkpoint.created_ns,
        files=len(checkpoint.files),
        left_out=checkpoint.left_out,
    )
