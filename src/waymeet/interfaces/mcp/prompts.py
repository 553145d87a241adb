"""Ways of working with the project that a person can start by name."""

from collections.abc import Mapping
from typing import NamedTuple

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from waymeet.interfaces.mcp.render import UNTRUSTED


class _Way(NamedTuple):
    title: str
    description: str
    argument: str
    about: str
    text: str
    writes: bool = False


_WAYS = {
    "answer_with_sources": _Way(
        "Answer with sources",
        "Answer a question from the project alone, each statement with its source.",
        "question",
        "The question to answer.",
        "Answer this from the project's own knowledge: {question}\n\n"
        "1. Call `search` with it, and again with other words if the answer is thin.\n"
        "2. Call `read` for the best two or three ids, and `related` where one page is not enough.\n"
        "3. Answer in a few sentences. Behind each statement put the id it rests on, as in (docs/setup.md#L10-L24). "
        "Say where sources contradict one another, are stale, or do not answer it.",
    ),
    "begin_task": _Way(
        "Begin a task",
        "Gather what is known before work begins, then make a plan.",
        "task",
        "What is to be done.",
        "Before you begin with this task, find out what the project knows about it: {task}\n\n"
        "1. Call `recall_skills` with the task: perhaps it was done here before.\n"
        "2. Call `context` with the task.\n"
        "3. Call `related` for the files that will change, to see what they touch and what describes them.\n"
        "4. Make a short plan that names files and ids, what could break, and what is not known.",
    ),
    "record_decision": _Way(
        "Record a decision",
        "Keep a decision as a note that is found again.",
        "decision",
        "What was decided, in a sentence.",
        "Keep this decision in the project's notes: {decision}\n\n"
        "1. Call `search` with kinds notes and docs: if something says the same, `update` that instead; if it "
        "contradicts, name it.\n"
        "2. Call `remember` with kind notes: what was decided, why, what was rejected, from when on it holds.\n"
        "3. Call `link` for the files it concerns (references) and for what it replaces (supersedes).",
        writes=True,
    ),
    "check_docs": _Way(
        "Check docs against code",
        "Find where pages and the code they describe have drifted apart.",
        "path",
        "A page, a source file or a folder.",
        "Check whether what is written about {path} still holds.\n\n"
        "1. Call `related` for it with link_types source and mentions, to find pages and the code they describe.\n"
        "2. Call `search` with paths set to it, and look at `staleness` of the hits.\n"
        "3. Call `read` for both sides of each pair. List every statement that no longer holds, with both ids, and "
        "what it should say instead. Change nothing yet.",
    ),
}


def listed(*, writing: bool) -> list[Prompt]:
    """Describe the prompts to a client; those that write only to one who may."""
    return [
        Prompt(
            name=name,
            title=way.title,
            description=way.description,
            arguments=[PromptArgument(name=way.argument, description=way.about, required=True)],
        )
        for name, way in _WAYS.items()
        if writing or not way.writes
    ]


def prompt(name: str, arguments: Mapping[str, str], *, writing: bool) -> GetPromptResult:
    """Give a prompt with its argument filled in.

    Raises:
        MCPError: there is no such prompt, or it lacks its argument.
    """
    names = [each.name for each in listed(writing=writing)]
    if name not in names:
        raise MCPError(INVALID_PARAMS, f"There is no prompt {name!r}. There are: {', '.join(names)}.")
    way = _WAYS[name]
    given = arguments.get(way.argument, "").strip()
    if not given or set(arguments) != {way.argument}:
        raise MCPError(INVALID_PARAMS, f"The prompt {name} takes one argument, `{way.argument}`: {way.about}")
    text = way.text.replace(f"{{{way.argument}}}", given)
    return GetPromptResult(
        description=way.description,
        messages=[PromptMessage(role="user", content=TextContent(text=f"{text}\n\n{UNTRUSTED}"))],
    )
