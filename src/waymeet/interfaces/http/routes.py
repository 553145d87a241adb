"""The table of HTTP routes. The application and the OpenAPI description are built from it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.interfaces.requests.operation_table import OPERATIONS, Operation
from waymeet.interfaces.requests.schemas import flat_schema

_KINDS = {"notes": "Note", "tasks": "Task", "skills": "Skill"}
_SUMMARIES = {
    "search": "Search by words, vectors and links",
    "read": "Read a section or lines of an indexed file",
    "related": "List the documents that links connect with a document",
    "context": "Collect what to read for a task",
    "graph": "Give the link graph, or a part of it",
    "why_not": "Explain why a document is not among the results",
    "describe": "Describe a document: kind, tags, symbols, staleness and translations",
    "problems": "List stale documents, broken links and orphans",
    "filters": "List the values that filters can have, with counts",
    "settings": "List settings with their values and origins",
    "recall_skills": "Find skills for a task",
    "status": "Show the status of the index",
}
_BY_REFERENCE = frozenset(
    {
        *(
            "search",
            "read",
            "related",
            "describe",
            "graph",
            "filters",
            "entry",
            "update",
            "link",
            "forget",
            "use_skill",
        ),
        *("history", "restore_version", "confirm", "resolve_conflict", "compare_checkpoint", "restore_checkpoint"),
    }
)
"""Operations on something that may not exist, such as another project."""


class Route(NamedTuple):
    """One method of one path."""

    method: str
    path: str
    operation: Operation
    name: str
    """The `operationId` of the description."""
    summary: str
    fixed: Mapping[str, str] = {}
    """Request fields that the path sets."""
    status: int = 200
    """Status of a successful response."""

    @property
    def has_body(self) -> bool:
        """Tell whether fields are sent in a body rather than in the query string."""
        return self.method in {"POST", "PATCH"}

    @property
    def in_path(self) -> bool:
        """Tell whether the path contains the id."""
        return "{id" in self.path

    @property
    def needs_token(self) -> bool:
        """Tell whether it changes files of the project or the index."""
        return self.operation.writes or not self.operation.repeatable or self.operation.name == "index"

    @property
    def fixed_fields(self) -> frozenset[str]:
        """Name the request fields that the path sets."""
        return frozenset({*self.fixed, *(("id",) if self.in_path else ())})

    @property
    def error_statuses(self) -> frozenset[int]:
        """List the error statuses of this operation, besides those of any request."""
        statuses = {400, 503}
        if self.operation.name in _BY_REFERENCE:
            statuses.add(404)
        if self.operation.writes or self.operation.name == "confirm":
            statuses.add(409)
        if self.has_body:
            statuses.add(415)
        if self.operation.name in {"search", "why_not", "context", "recall_skills", *_SAVING}:
            statuses.add(502)
        return frozenset(statuses)

    def schema(self) -> dict[str, Any]:
        """Give the JSON schema of the request without the fields that the path sets."""
        full = flat_schema(self.operation.request)
        properties = {name: field for name, field in full["properties"].items() if name not in self.fixed_fields}
        required = [name for name in full.get("required", []) if name not in self.fixed_fields]
        schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        return {
            "description": full.get("description", ""),
            **{key: value for key, value in schema.items() if value != []},
        }


_SAVING = ("remember", "update", "link")


def list_fields_of(request: type[Struct]) -> frozenset[str]:
    """Name the fields of a request that hold lists."""
    fields = flat_schema(request)["properties"]
    return frozenset(name for name, field in fields.items() if field.get("type") == "array")


def _build_routes() -> tuple[Route, ...]:
    routes = []
    for name, summary in _SUMMARIES.items():
        path = f"/v1/{name.replace('_', '-')}"
        title = name.title().replace("_", "")
        short = title[0].lower() + title[1:]
        routes.append(Route("GET", path, OPERATIONS[name], short, summary))
        routes.append(Route("POST", path, OPERATIONS[name], f"{short}ByBody", summary))
    for kind, one in _KINDS.items():
        collection, item = f"/v1/{kind}", f"/v1/{kind}/{{id:path}}"
        fixed = {"kind": kind}
        routes += [
            Route("GET", collection, OPERATIONS["entries"], f"list{one}s", f"List the {kind}", fixed),
            Route("POST", collection, OPERATIONS["remember"], f"create{one}", f"Create a {one.lower()}", fixed, 201),
            Route("GET", item, OPERATIONS["entry"], f"get{one}", f"Read a {one.lower()} with its version", fixed),
            Route("PATCH", item, OPERATIONS["update"], f"update{one}", f"Change a {one.lower()}", fixed),
            Route("DELETE", item, OPERATIONS["forget"], f"delete{one}", f"Delete a {one.lower()}", fixed),
        ]
    relate = "Add or remove a relation of a note, task or skill"
    routes.append(Route("POST", "/v1/links", OPERATIONS["link"], "link", relate))
    routes.append(Route("POST", "/v1/use-skill", OPERATIONS["use_skill"], "useSkill", "Read a skill and count its use"))
    history, restore = "List past versions of a note, task or skill", "Restore a past version of a note, task or skill"
    routes.append(Route("GET", "/v1/history", OPERATIONS["history"], "listVersions", history))
    routes.append(Route("POST", "/v1/restore", OPERATIONS["restore_version"], "restoreVersion", restore))
    return (*routes, *_build_review_routes())


def _build_review_routes() -> tuple[Route, ...]:
    confirm = "Record that a note, task or skill is still right"
    compare = "Compare a checkpoint with the present state or a later one"
    conflicts, checkpoints = "/v1/conflicts", "/v1/checkpoints"
    return (
        Route("POST", "/v1/confirm", OPERATIONS["confirm"], "confirm", confirm),
        Route("GET", conflicts, OPERATIONS["conflicts"], "listConflicts", "List conflicts between items"),
        Route("POST", conflicts, OPERATIONS["resolve_conflict"], "resolveConflict", "Resolve a conflict"),
        Route("GET", checkpoints, OPERATIONS["checkpoints"], "listCheckpoints", "List the checkpoints"),
        Route(
            "POST",
            checkpoints,
            OPERATIONS["create_checkpoint"],
            "createCheckpoint",
            "Save the state of all notes, tasks and skills",
            status=201,
        ),
        Route("GET", f"{checkpoints}/diff", OPERATIONS["compare_checkpoint"], "compareCheckpoint", compare),
        Route(
            "POST",
            f"{checkpoints}/restore",
            OPERATIONS["restore_checkpoint"],
            "restoreCheckpoint",
            "Restore all notes, tasks and skills",
        ),
    )


ROUTES = _build_routes()
INDEX = Route("POST", "/v1/index", OPERATIONS["index"], "startIndexing", "Bring the index up to date", status=202)
