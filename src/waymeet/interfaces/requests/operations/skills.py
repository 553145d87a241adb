"""Finding the skills that fit a task, and using one."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from waymeet.errors import ItemNotFoundError
from waymeet.interfaces.requests.fields import Question, Refresh, relative_to_root
from waymeet.interfaces.requests.operations.entries import ItemAnswer, Which, entry_of
from waymeet.notebook import skill_steps
from waymeet.project import Project
from waymeet.types import Degraded, Query


class RecallSkillsRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The skills whose title, description or triggers fit the task at hand."""

    task: Annotated[Question, Meta(min_length=1, description="What is to be done, in plain words.")]
    limit: Annotated[int, Meta(ge=1, le=100, description="Most skills.")] = 5
    refresh: Refresh = True


class UseSkillRequest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One skill, whole; that it was used is counted."""

    id: Which


class Recalled(Struct, frozen=True, kw_only=True):
    """A skill that fits."""

    id: str
    name: str
    title: str
    description: str
    triggers: tuple[str, ...]
    file_patterns: tuple[str, ...]
    steps: tuple[str, ...]
    score: float
    relevance: float | None = None
    """The estimated chance that it fits."""
    reason: str
    version: str
    used: int
    """How often it was used."""


class RecallSkillsAnswer(Struct, frozen=True, kw_only=True):
    """The skills that fit, the best first."""

    skills: tuple[Recalled, ...]
    degraded: tuple[Degraded, ...] = ()
    notes: tuple[str, ...] = ()


def answer_recall_skills(project: Project, request: RecallSkillsRequest) -> RecallSkillsAnswer:
    """Find the skills that fit a task."""
    query = Query(request.task, limit=request.limit, recipe="skills_recall")
    found = project.search(query, refresh=request.refresh)
    notebook = project.notebook
    counts = notebook.usage()
    skills, degraded = [], list(found.degraded)
    for hit in found.hits:
        try:
            item = notebook.read(hit.document, "skills")
        except ItemNotFoundError as error:  # removed since it was indexed
            degraded.append(Degraded("skills", "gone", error.message))
            continue
        skills.append(
            Recalled(
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
                used=counts[item.id].count if item.id in counts else 0,
            )
        )
    return RecallSkillsAnswer(skills=tuple(skills), degraded=tuple(degraded), notes=found.notes)


def answer_use_skill(project: Project, request: UseSkillRequest) -> ItemAnswer:
    """Give a skill and count that it was used."""
    item, usage = project.notebook.use(relative_to_root(project.root, request.id))
    return replace(entry_of(item), used=usage.count)
