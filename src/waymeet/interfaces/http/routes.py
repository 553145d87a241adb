"""The table of what can be asked by which method at which path. Routes and their description are both made from it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from waymeet.interfaces.requests.operations import OPERATIONS, Operation
from waymeet.interfaces.requests.schemas import flat_schema

_KINDS = {"notes": "Note", "tasks": "Task", "skills": "Skill"}
_ASKED = {
    "search": "Search by words, meaning and links",
    "read": "Read a section or some lines of an indexed file",
    "related": "Tell what lies around a document",
    "context": "Gather what to read for a task",
    "graph": "Give the graph, or a part of it",
    "recall_skills": "Find the skills that fit a task",
    "status": "Tell how the index stands",
}
_NAMES = frozenset({"read", "related", "graph", "entry", "update", "link", "forget", "use_skill"})
"""Operations that name something which may not exist."""


class Route(NamedTuple):
    """One method of one path: what it does, and which fields of the request the path itself tells."""

    method: str
    path: str
    operation: Operation
    name: str
    """Its name in the description: `operationId`."""
    said: str
    fixed: Mapping[str, str] = {}
    """Fields that the path stands for."""
    status: int = 200
    """Of an answer."""

    @property
    def has_body(self) -> bool:
        """Tell whether fields come in a body rather than in the query."""
        return self.method in {"POST", "PATCH"}

    @property
    def in_path(self) -> bool:
        """Tell whether the path holds the id."""
        return "{id" in self.path

    @property
    def needs_token(self) -> bool:
        """Tell whether it changes something: files of the project, or what is kept about them."""
        return self.operation.writes or not self.operation.repeatable or self.operation.name == "index"

    @property
    def told(self) -> frozenset[str]:
        """Name the fields that need not be given otherwise."""
        return frozenset({*self.fixed, *(("id",) if self.in_path else ())})

    @property
    def refusals(self) -> frozenset[int]:
        """List the statuses of what may go wrong in answering, beside what may go wrong with any request."""
        found = {400, 503}
        if self.operation.name in _NAMES:
            found.add(404)
        if self.operation.writes:
            found.add(409)
        if self.has_body:
            found.add(415)
        if self.operation.name in {"search", "context", "recall_skills", *_ENTRIES_SAVED}:
            found.add(502)
        return frozenset(found)

    def schema(self) -> dict[str, Any]:
        """Give the schema of what must be sent: the request without what the path tells."""
        whole = flat_schema(self.operation.request)
        kept = {name: each for name, each in whole["properties"].items() if name not in self.told}
        required = [name for name in whole.get("required", []) if name not in self.told]
        given = {"type": "object", "properties": kept, "required": required, "additionalProperties": False}
        return {
            "description": whole.get("description", ""),
            **{key: value for key, value in given.items() if value != []},
        }


_ENTRIES_SAVED = ("remember", "update", "link")


def lists(request: type[Struct]) -> frozenset[str]:
    """Name the fields of a request that hold several values."""
    fields = flat_schema(request)["properties"]
    return frozenset(name for name, each in fields.items() if each.get("type") == "array")


def _ways() -> tuple[Route, ...]:
    found = []
    for name, said in _ASKED.items():
        path = f"/v1/{name.replace('_', '-')}"
        title = name.title().replace("_", "")
        short = title[0].lower() + title[1:]
        found.append(Route("GET", path, OPERATIONS[name], short, said))
        found.append(Route("POST", path, OPERATIONS[name], f"{short}ByBody", said))
    for kind, one in _KINDS.items():
        all_, each = f"/v1/{kind}", f"/v1/{kind}/{{id:path}}"
        fixed = {"kind": kind}
        found += [
            Route("GET", all_, OPERATIONS["entries"], f"list{one}s", f"List the {kind}", fixed),
            Route("POST", all_, OPERATIONS["remember"], f"create{one}", f"Write a new {one.lower()}", fixed, 201),
            Route("GET", each, OPERATIONS["entry"], f"get{one}", f"Read a {one.lower()} with its version", fixed),
            Route("PATCH", each, OPERATIONS["update"], f"update{one}", f"Change a {one.lower()}", fixed),
            Route("DELETE", each, OPERATIONS["forget"], f"delete{one}", f"Remove a {one.lower()}", fixed),
        ]
    relate = "Relate a note, task or skill to something, or take that back"
    found.append(Route("POST", "/v1/links", OPERATIONS["link"], "link", relate))
    found.append(Route("POST", "/v1/use-skill", OPERATIONS["use_skill"], "useSkill", "Read a skill and count its use"))
    return tuple(found)


WAYS = _ways()
INDEX = Route("POST", "/v1/index", OPERATIONS["index"], "startIndexing", "Bring the index up to date", status=202)
