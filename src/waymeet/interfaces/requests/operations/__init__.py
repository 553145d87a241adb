"""The table of what can be asked, for interfaces that offer all of it."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.interfaces.requests.operations.context import ContextRequest, answer_context
from waymeet.interfaces.requests.operations.entries import (
    EntriesAnswer,
    EntriesRequest,
    EntryRequest,
    ForgetRequest,
    ItemAnswer,
    LinkRequest,
    RememberRequest,
    SavedAnswer,
    UpdateRequest,
    answer_entries,
    answer_entry,
    answer_forget,
    answer_link,
    answer_remember,
    answer_update,
)
from waymeet.interfaces.requests.operations.graph import GraphAnswer, GraphRequest, answer_graph
from waymeet.interfaces.requests.operations.index import IndexAnswer, IndexRequest, answer_index
from waymeet.interfaces.requests.operations.read import ReadAnswer, ReadRequest, answer_read
from waymeet.interfaces.requests.operations.related import RelatedAnswer, RelatedRequest, answer_related
from waymeet.interfaces.requests.operations.search import SearchAnswer, SearchRequest, answer_search
from waymeet.interfaces.requests.operations.skills import (
    RecallSkillsAnswer,
    RecallSkillsRequest,
    UseSkillRequest,
    answer_recall_skills,
    answer_use_skill,
)
from waymeet.interfaces.requests.operations.status import StatusAnswer, StatusRequest, answer_status
from waymeet.notebook import RemovedItem
from waymeet.search.context import Context


class Operation(NamedTuple):
    """Something that can be asked: its name, its types, who answers, and whether that changes files of the project."""

    name: str
    request: type[Struct]
    answer: type[Struct]
    call: Callable[..., Any]
    """`call(project, request) -> answer`; blocking, raises only `WaymeetError`."""
    writes: bool = False
    """Whether it changes notes, tasks or skills."""
    destroys: bool = False
    """Whether it replaces or removes what was there."""
    repeatable: bool = True
    """Whether asking twice comes to the same as asking once."""


def _table(operations: Iterable[Operation]) -> dict[str, Operation]:
    return {each.name: each for each in operations}


OPERATIONS = _table(
    (
        Operation("search", SearchRequest, SearchAnswer, answer_search),
        Operation("read", ReadRequest, ReadAnswer, answer_read),
        Operation("related", RelatedRequest, RelatedAnswer, answer_related),
        Operation("context", ContextRequest, Context, answer_context),
        Operation("graph", GraphRequest, GraphAnswer, answer_graph),
        Operation("remember", RememberRequest, SavedAnswer, answer_remember, writes=True, repeatable=False),
        Operation("update", UpdateRequest, SavedAnswer, answer_update, writes=True, destroys=True),
        Operation("link", LinkRequest, SavedAnswer, answer_link, writes=True, destroys=True),
        Operation("forget", ForgetRequest, RemovedItem, answer_forget, writes=True, destroys=True),
        Operation("entry", EntryRequest, ItemAnswer, answer_entry),
        Operation("entries", EntriesRequest, EntriesAnswer, answer_entries),
        Operation("recall_skills", RecallSkillsRequest, RecallSkillsAnswer, answer_recall_skills),
        Operation("use_skill", UseSkillRequest, ItemAnswer, answer_use_skill, repeatable=False),
        Operation("status", StatusRequest, StatusAnswer, answer_status),
        Operation("index", IndexRequest, IndexAnswer, answer_index),
    )
)
