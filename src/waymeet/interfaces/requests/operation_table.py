"""The table of operations: name, request, answer and function."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.interfaces.requests.operations.checkpoints import (
    CheckpointsAnswer,
    CheckpointsRequest,
    CheckpointSummary,
    CompareCheckpointAnswer,
    CompareCheckpointRequest,
    CreateCheckpointRequest,
    RestoreCheckpointRequest,
    answer_checkpoints,
    answer_compare_checkpoint,
    answer_create_checkpoint,
    answer_restore_checkpoint,
)
from waymeet.interfaces.requests.operations.context import ContextRequest, answer_context
from waymeet.interfaces.requests.operations.describe import DescribeAnswer, DescribeRequest, answer_describe
from waymeet.interfaces.requests.operations.graph import GraphAnswer, GraphRequest, answer_graph
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.interfaces.requests.operations.items import (
    ForgetRequest,
    HistoryAnswer,
    HistoryRequest,
    ItemAnswer,
    ItemRequest,
    ItemsAnswer,
    ItemsRequest,
    LinkRequest,
    RememberRequest,
    RestoreVersionRequest,
    SavedAnswer,
    UpdateRequest,
    answer_forget,
    answer_history,
    answer_item,
    answer_items,
    answer_link,
    answer_remember,
    answer_restore_version,
    answer_update,
)
from waymeet.interfaces.requests.operations.problems import ProblemsAnswer, ProblemsRequest, answer_problems
from waymeet.interfaces.requests.operations.read import ReadAnswer, ReadRequest, answer_read
from waymeet.interfaces.requests.operations.related import RelatedAnswer, RelatedRequest, answer_related
from waymeet.interfaces.requests.operations.review import (
    ConfirmAnswer,
    ConfirmRequest,
    ConflictsAnswer,
    ConflictsRequest,
    ResolveConflictRequest,
    answer_confirm,
    answer_conflicts,
    answer_resolve_conflict,
)
from waymeet.interfaces.requests.operations.search import (
    FiltersAnswer,
    FiltersRequest,
    SearchAnswer,
    SearchRequest,
    answer_filters,
    answer_search,
)
from waymeet.interfaces.requests.operations.settings import SettingsAnswer, SettingsRequest, answer_settings
from waymeet.interfaces.requests.operations.skills import (
    RecallSkillsAnswer,
    RecallSkillsRequest,
    UseSkillRequest,
    answer_recall_skills,
    answer_use_skill,
)
from waymeet.interfaces.requests.operations.status import StatusAnswer, StatusRequest, answer_status
from waymeet.interfaces.requests.operations.why_not import WhyNotAnswer, WhyNotRequest, answer_why_not
from waymeet.notebook import RemovedItem
from waymeet.notebook.checkpoints.checkpoints import Restored
from waymeet.notebook.review.conflicts import Conflict
from waymeet.search.context import Context


class Operation(NamedTuple):
    """An operation: its types, the function that computes the answer, and its effects."""

    name: str
    request: type[Struct]
    answer: type[Struct]
    call: Callable[..., Any]
    """`call(project, request) -> answer`: blocks, raises only `WaymeetError`."""
    writes: bool = False
    """Whether it changes notes, tasks or skills."""
    destroys: bool = False
    """Whether it replaces or removes content."""
    repeatable: bool = True
    """Whether it is idempotent."""


def _table(operations: Iterable[Operation]) -> dict[str, Operation]:
    return {operation.name: operation for operation in operations}


OPERATIONS = _table(
    (
        Operation("search", SearchRequest, SearchAnswer, answer_search),
        Operation("read", ReadRequest, ReadAnswer, answer_read),
        Operation("related", RelatedRequest, RelatedAnswer, answer_related),
        Operation("context", ContextRequest, Context, answer_context),
        Operation("why_not", WhyNotRequest, WhyNotAnswer, answer_why_not),
        Operation("describe", DescribeRequest, DescribeAnswer, answer_describe),
        Operation("problems", ProblemsRequest, ProblemsAnswer, answer_problems),
        Operation("filters", FiltersRequest, FiltersAnswer, answer_filters),
        Operation("settings", SettingsRequest, SettingsAnswer, answer_settings),
        Operation("graph", GraphRequest, GraphAnswer, answer_graph),
        Operation("remember", RememberRequest, SavedAnswer, answer_remember, writes=True, repeatable=False),
        Operation("update", UpdateRequest, SavedAnswer, answer_update, writes=True, destroys=True),
        Operation("link", LinkRequest, SavedAnswer, answer_link, writes=True, destroys=True),
        Operation("forget", ForgetRequest, RemovedItem, answer_forget, writes=True, destroys=True),
        Operation("entry", ItemRequest, ItemAnswer, answer_item),
        Operation("entries", ItemsRequest, ItemsAnswer, answer_items),
        Operation("history", HistoryRequest, HistoryAnswer, answer_history),
        Operation(
            "restore_version", RestoreVersionRequest, SavedAnswer, answer_restore_version, writes=True, destroys=True
        ),
        Operation("recall_skills", RecallSkillsRequest, RecallSkillsAnswer, answer_recall_skills),
        Operation("use_skill", UseSkillRequest, ItemAnswer, answer_use_skill, repeatable=False),
        Operation("confirm", ConfirmRequest, ConfirmAnswer, answer_confirm, repeatable=False),
        Operation("conflicts", ConflictsRequest, ConflictsAnswer, answer_conflicts),
        Operation("resolve_conflict", ResolveConflictRequest, Conflict, answer_resolve_conflict, writes=True),
        Operation("checkpoints", CheckpointsRequest, CheckpointsAnswer, answer_checkpoints),
        Operation(
            "create_checkpoint", CreateCheckpointRequest, CheckpointSummary, answer_create_checkpoint, repeatable=False
        ),
        Operation("compare_checkpoint", CompareCheckpointRequest, CompareCheckpointAnswer, answer_compare_checkpoint),
        Operation(
            "restore_checkpoint",
            RestoreCheckpointRequest,
            Restored,
            answer_restore_checkpoint,
            writes=True,
            destroys=True,
        ),
        Operation("status", StatusRequest, StatusAnswer, answer_status),
        Operation("index", IndexRequest, IndexAnswer, answer_index),
    )
)
