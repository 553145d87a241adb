"""The skill operations: find skills for a task, and use one."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.errors import ItemNotFoundError
from waymeet.interfaces.requests.fields import QueryText, Refresh, relative_to_root
from waymeet.interfaces.requests.operations.items import ItemAnswer, ItemReference, to_item_answer
from waymeet.notebook import Item, skill_steps
from waymeet.project import Project
from waymeet.types import Degraded, Hit, Query


class RecallSkillsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Find skills whose title, description or triggers match a task."""

    task: Annotated[QueryText, Meta(min_length=1, description="The task, in plain words.")]
    limit: Annotated[int, Meta(ge=1, le=100, description="Maximum skills.")] = 5
    refresh: Refresh = True


class UseSkillRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Read a skill and count the use."""

    id: ItemReference


class RecalledSkill(Struct, frozen=True, kw_only=True):
    """A skill that matches a task."""

    id: str
    name: str
    title: str
    description: str
    triggers: tuple[str, ...]
    file_patterns: tuple[str, ...]
    steps: tuple[str, ...]
    score: float
    relevance: float | None = None
    """Estimated probability that the skill is relevant."""
    reason: str
    version: str
    used: int
    """Number of uses."""


class RecallSkillsAnswer(Struct, frozen=True, kw_only=True):
    """The matching skills, best first."""

    skills: tuple[RecalledSkill, ...]
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()


def answer_recall_skills(project: Project, request: RecallSkillsRequest) -> RecallSkillsAnswer:
    """Find skills for a task."""
    query = Query(request.task, limit=request.limit, recipe="skills_recall")
    answer = project.search(query, refresh=request.refresh)
    notebook = project.notebook
    usage = notebook.usage()
    skills, degraded = [], list(answer.degraded)
    for hit in answer.hits:
        try:
            item = notebook.masked(notebook.load(hit.document, "skills"))
        except ItemNotFoundError as error:  # removed after it was indexed
            degraded.append(Degraded("skills", "gone", error.message))
            continue
        skills.append(_to_recalled_skill(item, hit, usage[item.id].count if item.id in usage else 0))
    return RecallSkillsAnswer(skills=tuple(skills), degraded=tuple(degraded), notes=answer.notes)


def _to_recalled_skill(item: Item, hit: Hit, used: int) -> RecalledSkill:
    return RecalledSkill(
        id=item.id,
        name=item.name,
        title=item.title,
        description=item.value("description"),
        triggers=item.values("triggers"),
        file_patterns=item.values("file_patterns"),
        steps=skill_steps(item),
        score=hit.score,
        relevance=hit.relevance,
        reason=hit.relevance_reason,
        version=item.version,
        used=used,
    )


def answer_use_skill(project: Project, request: UseSkillRequest) -> ItemAnswer:
    """Read a skill and count the use."""
    notebook = project.notebook
    item, usage = notebook.use(relative_to_root(project.root, request.id))
    return replace(to_item_answer(notebook.masked(item)), used=usage.count)
