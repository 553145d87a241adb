"""MCP prompts: workflows that a user can start by name."""

from collections.abc import Mapping
from typing import NamedTuple

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from waymeet.interfaces.mcp.render import UNTRUSTED


class _Workflow(NamedTuple):
    title: str
    description: str
    argument: str
    argument_description: str
    text: str
    writes: bool = False


_WORKFLOWS = {
    "answer_with_sources": _Workflow(
        "Answer with sources",
        "Answer a question from the project only, with a source for each statement.",
        "question",
        "The question to answer.",
        "Answer this question from the project's files: {question}\n\n"
        "1. Call `search` with the question, and again with other words if the results are not enough.\n"
        "2. Call `read` for the best two or three ids, and `related` if one page is not enough.\n"
        "3. Answer in a few sentences. After each statement, cite the id of its source, as in (docs/setup.md#L10-L24). "
        "Say which sources contradict each other or are stale, and which parts of the question they do not answer.",
    ),
    "begin_task": _Workflow(
        "Begin a task",
        "Collect what the project contains about a task, then make a plan.",
        "task",
        "The task.",
        "Before you start this task, find out what the project contains about it: {task}\n\n"
        "1. Call `recall_skills` with the task, in case there are instructions for it.\n"
        "2. Call `context` with the task.\n"
        "3. Call `related` for the files that will change, to see what depends on them and what describes them.\n"
        "4. Make a short plan with files and ids, risks and open questions.",
    ),
    "record_decision": _Workflow(
        "Record a decision",
        "Record a decision as a note.",
        "decision",
        "The decision, in a sentence.",
        "Record this decision in the project's notes: {decision}\n\n"
        "1. Call `search` with kinds notes and docs. If a note records the same decision, `update` it instead. If a "
        "document contradicts it, name the document.\n"
        "2. Call `remember` with kind notes: the decision, its reason, rejected alternatives, and its date.\n"
        "3. Call `link` for the files it concerns (references) and the notes it replaces (supersedes).",
        writes=True,
    ),
    "check_docs": _Workflow(
        "Check docs against code",
        "Find differences between pages and the code they describe.",
        "path",
        "A page, a source file or a folder.",
        "Check whether the docs about {path} are still correct.\n\n"
        "1. Call `related` for it with link_types source and mentions, to find pages and the code they describe.\n"
        "2. Call `search` with paths set to it, and check `staleness` of the hits.\n"
        "3. Call `read` for the page and the code of each pair. List every statement that is wrong, with both ids, and "
        "the correction. Change nothing yet.",
    ),
}


def list_prompts(*, writing: bool) -> list[Prompt]:
    """List the prompts, including those that write only if `writing` is true."""
    return [
        Prompt(
            name=name,
            title=workflow.title,
            description=workflow.description,
            arguments=[
                PromptArgument(name=workflow.argument, description=workflow.argument_description, required=True)
            ],
        )
        for name, workflow in _WORKFLOWS.items()
        if writing or not workflow.writes
    ]


def get_prompt(name: str, arguments: Mapping[str, str], *, writing: bool) -> GetPromptResult:
    """Fill the argument into a prompt.

    Raises:
        MCPError: there is no such prompt, or its argument is missing.
    """
    names = [prompt.name for prompt in list_prompts(writing=writing)]
    if name not in names:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt {name!r}. Prompts: {', '.join(names)}.")
    workflow = _WORKFLOWS[name]
    value = arguments.get(workflow.argument, "").strip()
    if not value or set(arguments) != {workflow.argument}:
        expected = f"`{workflow.argument}`: {workflow.argument_description}"
        raise MCPError(INVALID_PARAMS, f"The prompt {name} takes one argument, {expected}")
    text = workflow.text.replace(f"{{{workflow.argument}}}", value)
    return GetPromptResult(
        description=workflow.description,
        messages=[PromptMessage(role="user", content=TextContent(text=f"{text}\n\n{UNTRUSTED}"))],
    )
