"""Subcommands of notes, tasks and skills."""

import sys
from tempfile import NamedTemporaryFile
from typing import Any

import click
import msgspec

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.interfaces.cli.common import (
    open_project,
    print_json,
    print_lines,
    say,
    to_root_reference,
)
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, print_listing
from waymeet.interfaces.cli.write.options import WRITTEN, Call, item_manual, print_saved, with_options
from waymeet.interfaces.cli.write.render import history_lines, item_json, item_lines, removed_lines
from waymeet.interfaces.cli.write.review import confirm_command, conflicts_command, review_text
from waymeet.notebook.fields import LISTS, PRIORITIES, RELATIONS, SINGULAR, STATUSES
from waymeet.notebook.frontmatter_edit import Value

_REFERENCE = click.argument("reference", metavar="NAME|PATH|TITLE")
_VERSION = click.option("--version", "version", default="", help="Refuse the change if the current version differs.")
_PLURAL = {"tag": "tags", "trigger": "triggers", "pattern": "file_patterns", "step": "steps"}
_OPTIONS = {
    "notes": (),
    "tasks": (
        click.option("--status", help=f"One of {', '.join(STATUSES)}."),
        click.option("--priority", help=f"One of {', '.join(PRIORITIES)}."),
        click.option("--due", help="Due date, such as 2026-12-31."),
        click.option("--assignee", help="Person who does it."),
    ),
    "skills": (
        click.option("--description", help="Purpose, in one sentence."),
        click.option("--trigger", multiple=True, help="Phrase that recalls the skill. Repeatable."),
        click.option("--pattern", multiple=True, help="Pattern of files it applies to, such as *.sql. Repeatable."),
        click.option("--step", multiple=True, help="Step, in order. Repeatable."),
    ),
}
_COMMON = (
    click.option("--tag", multiple=True, help="Tag. Repeatable."),
    click.option(
        "--field",
        "pairs",
        multiple=True,
        metavar="KEY=VALUE",
        help="Any front matter field; an empty value removes it.",
    ),
)


def item_group(kind: str, help_text: str, examples: str) -> click.Group:
    """Make the group of commands for notes, tasks or skills."""
    exits = {0: "done, or found", 1: "not found", 4: "conflict: nothing was written"}
    epilog = manual(examples, exits=exits, see="waymeet search --kind " + kind)
    group = Group(SINGULAR[kind], help=help_text, epilog=epilog, short_help=help_text)
    own = (_add, _show, _edit, _update, _rm, _list, _link, _unlink, _history, _restore)
    for make in (*own, confirm_command, conflicts_command):
        group.add_command(make(kind))
    return group


def fields_from(options: dict[str, Any]) -> dict[str, Value]:
    """Collect the front matter fields set by options and by KEY=VALUE pairs."""
    fields: dict[str, Value] = {}
    for name, value in options.items():
        if value not in (None, ()) and name not in {"pairs", "step"}:
            fields[_PLURAL.get(name, name)] = list(value) if isinstance(value, tuple) else value
    for pair in options["pairs"]:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--field {pair}: expected KEY=VALUE.")
        previous = fields.get(key)
        is_list = key in RELATIONS or key in LISTS
        if is_list and isinstance(previous, list):
            fields[key] = [*previous, value]
        else:
            fields[key] = [value] if is_list and value else value
    return {key: None if value in ("", [""]) else value for key, value in fields.items()}


def text_from(argument: str | None) -> str | None:
    """Return the argument, or the text of standard input if it is `-`."""
    return sys.stdin.read() if argument == "-" else argument


def _add(kind: str) -> click.Command:
    @click.command(
        "add",
        help=f"Write a new {SINGULAR[kind]}. TEXT is Markdown; - reads it from standard input.",
        epilog=item_manual(
            kind, 'add "A title" "Its text" --tag ops', 'add "A title" - < text.md', exits={**WRITTEN, 1: ""}
        ),
    )
    @click.argument("title")
    @click.argument("text", required=False)
    @with_options((*_OPTIONS[kind], *_COMMON))
    def command(call: Call, title: str, text: str | None) -> int:
        with call.notebook() as notebook:
            body = text_from(text) or ""
            saved = notebook.create(kind, title, body, fields_from(call.options), tuple(call.options.get("step", ())))
            return print_saved(notebook, saved, as_json=call.as_json)

    return command


def _show(kind: str) -> click.Command:
    @click.command(
        "show",
        help=f"Print a {SINGULAR[kind]}. Its version is printed to standard error.",
        epilog=item_manual(kind, "show {}", "show {} --json   with version and incoming links"),
    )
    @_REFERENCE
    @with_options()
    def command(call: Call, reference: str) -> int:
        with call.notebook(kind) as notebook:
            stored = notebook.read(reference, kind)
            item = notebook.masked(stored)
            if call.as_json:
                print_json(item_json(item, notebook))
                return 0
            say(item.text.removesuffix("\n"))
            say(f"{item.id} version {item.version}", err=True)
            if item.text != stored.text:
                say(f"note: [secret] stands for values of the file; edit it: waymeet {SINGULAR[kind]} edit", err=True)
            for source, relation in notebook.backlinks(item.id):
                say(f"← {source} ({relation})", err=True)
            for problem in item.problems:
                say(f"note: {problem}", err=True)
            state = notebook.review.states([item])[item.id]
            say(review_text(state), err=True)
            if state.suggested_tier:
                say(f"suggested tier: {state.suggested_tier} ({state.suggestion_reason})", err=True)
            return 0

    return command


def _edit(kind: str) -> click.Command:
    @click.command(
        "edit",
        help=f"Edit a {SINGULAR[kind]} in your editor ($VISUAL or $EDITOR).",
        epilog=item_manual(kind, "edit {}", exits=WRITTEN),
    )
    @_REFERENCE
    @with_options()
    def command(call: Call, reference: str) -> int:
        with call.notebook() as notebook:
            item = notebook.read(reference, kind)
            text = click.edit(item.text, extension=".md", require_save=True)
            if text is None:
                say("Not changed.", err=True)
                return 0
            try:
                saved = notebook.update(item.id, version=item.version, text=text, has_masks=False)
            except UsageError:
                say(f"Your text was saved to {_save_draft(item.name, text)}", err=True)
                raise
            return print_saved(notebook, saved, as_json=call.as_json)

    return command


def _update(kind: str) -> click.Command:
    @click.command(
        "update",
        help=f"Change fields, title or text of a {SINGULAR[kind]}; everything else stays.",
        epilog=item_manual(
            kind,
            'update {} --title "A better title"',
            "update {} --version 3f2a9c --body -",
            "update {} --field owner=   removes a field",
            exits=WRITTEN,
        ),
    )
    @_REFERENCE
    @click.option("--title", help="New title; the file is not renamed.")
    @click.option("--body", help="New Markdown text below the front matter; - reads standard input.")
    @_VERSION
    @with_options((*_OPTIONS[kind], *_COMMON))
    def command(call: Call, reference: str, title: str | None, body: str | None, version: str) -> int:
        with call.notebook() as notebook:
            text, values = text_from(body), fields_from(call.options)
            item = notebook.load(reference, kind)
            saved = notebook.update(
                item.id,
                version=version or item.version,
                title=title,
                body=text,
                fields=values,
                steps=tuple(call.options["step"]) if call.options.get("step") else None,
            )
            return print_saved(notebook, saved, as_json=call.as_json)

    return command


def _rm(kind: str) -> click.Command:
    @click.command(
        "rm",
        help=f"Remove a {SINGULAR[kind]}, and the relations to it in other items.",
        epilog=item_manual(kind, "rm {}   undo with restore", exits={0: "removed", 4: "conflict: nothing was removed"}),
    )
    @_REFERENCE
    @_VERSION
    @with_options()
    def command(call: Call, reference: str, version: str) -> int:
        with call.notebook() as notebook:
            item = notebook.load(reference, kind)
            removed = notebook.delete(item.id, version=version or item.version)
        if call.as_json:
            print_json(removed)
        else:
            print_lines(removed_lines(removed, kind))
        return 0

    return command


def _filters_from(options: dict[str, Any]) -> dict[str, list[str]]:
    """Collect the accepted values of each field."""
    options = dict(options)
    filters: dict[str, list[str]] = {"tags": list(options.pop("tag"))}
    for pair in options.pop("pairs"):
        key, _, value = pair.partition("=")
        filters.setdefault(key, []).append(value)
    if options.pop("still_open", False):
        filters["status"] = [status for status in STATUSES if status not in {"done", "cancelled"}]
    filters.update({key: list(values) for key, values in options.items() if values})
    return filters


def _list(kind: str) -> click.Command:
    extra = {"tasks": ("list --open --priority high",), "skills": ("list --json   with triggers and steps",)}
    own = {
        "tasks": (
            click.option("--status", multiple=True, help="Only these. Repeatable."),
            click.option("--open", "still_open", is_flag=True, help="Only tasks that are neither done nor cancelled."),
            click.option("--priority", multiple=True, help="Only these. Repeatable."),
            click.option("--assignee", multiple=True, help="Only tasks of this person. Repeatable."),
        )
    }

    @click.command(
        "list",
        help=f"List the {kind}." + (" Includes SKILL.md files anywhere in the project." if kind == "skills" else ""),
        epilog=item_manual(
            kind, "list --tag ops", "list --format files", *extra.get(kind, ()), exits={0: "found", 1: "none found"}
        ),
    )
    @click.option("--tag", multiple=True, help="Only with this tag. Repeatable.")
    @click.option(
        "--field", "pairs", multiple=True, metavar="KEY=VALUE", help="Only with this front matter value. Repeatable."
    )
    @with_options(own.get(kind, ()), form=True)
    def command(call: Call, form: str) -> int:
        with call.notebook(kind) as notebook:
            items = tuple(map(notebook.masked, notebook.list(kind, _filters_from(call.options))))
            counts = {id_: usage.count for id_, usage in notebook.usage().items()} if kind == "skills" else {}
            states = notebook.review.states(items)
        documents = [
            {**item_json(item), "used": counts.get(item.id, 0), "review": msgspec.to_builtins(states[item.id])}
            for item in items
        ]
        files = [item.id for item in items]
        with open_project(call.root, call.index, call.flags) as project:
            print_listing(form, Listing(documents, documents, tuple(item_lines(items, counts)), files), project)
        if not items and form != "json":
            say(f'No {kind} found. To add one: waymeet {SINGULAR[kind]} add "Title" "Text"', err=True)
        return 0 if items else 1

    return command


def _make_link_command(kind: str, name: str, summary: str) -> click.Command:
    @click.command(
        name,
        help=f"{summary} RELATION is one of {', '.join(RELATIONS)}.",
        epilog=item_manual(
            kind, f"{name} {{}} related_to docs/setup.md", f"{name} {{}} implements src/a.py#name", exits=WRITTEN
        ),
    )
    @_REFERENCE
    @click.argument("relation")
    @click.argument("target")
    @_VERSION
    @with_options()
    def command(call: Call, reference: str, relation: str, target: str, version: str) -> int:
        with open_project(call.root, call.index, call.flags) as project:
            target = to_root_reference(project.root, target)
        with call.notebook() as notebook:
            change = notebook.link if name == "link" else notebook.unlink
            saved = change(reference, relation, target, version=version, kind=kind)
            return print_saved(notebook, saved, as_json=call.as_json)

    return command


def _link(kind: str) -> click.Command:
    return _make_link_command(
        kind, "link", f"Add a relation from a {SINGULAR[kind]} to an item, a file or a symbol (src/a.py#name)."
    )


def _unlink(kind: str) -> click.Command:
    return _make_link_command(kind, "unlink", f"Remove a relation of a {SINGULAR[kind]}.")


def _history(kind: str) -> click.Command:
    @click.command(
        "history",
        help=f"List past versions of a {SINGULAR[kind]}, also of a removed one. `restore` restores one.",
        epilog=item_manual(kind, "history {}", exits={0: "found", 1: "none found"}),
    )
    @_REFERENCE
    @with_options(form=True)
    def command(call: Call, reference: str, form: str) -> int:
        with open_project(call.root, call.index, call.flags) as project:
            versions = project.notebook.history(reference, kind)
            print_listing(form, Listing(versions, versions, tuple(history_lines(versions))), project)
        return 0 if versions else 1

    return command


def _restore(kind: str) -> click.Command:
    @click.command(
        "restore",
        help=f"Restore a past version of a {SINGULAR[kind]}, also of a removed one, by its path.",
        epilog=item_manual(kind, "restore {} 3f2a9c   a version from history", exits=WRITTEN),
    )
    @_REFERENCE
    @click.argument("past_version", metavar="VERSION")
    @with_options()
    def command(call: Call, reference: str, past_version: str) -> int:
        with call.notebook() as notebook:
            try:
                version = notebook.load(reference, kind).version
            except ItemNotFoundError:
                version = ""
            saved = notebook.restore(reference, past_version, version=version, kind=kind)
            return print_saved(notebook, saved, as_json=call.as_json)

    return command


def _save_draft(name: str, text: str) -> str:
    """Save a text that could not be written to the notebook, and return its path."""
    with NamedTemporaryFile("w", prefix=f"{name[:40]}-", suffix=".md", delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name
