"""The commands that notes, tasks and skills have in common."""

import sys
from tempfile import NamedTemporaryFile
from typing import Any

import click

from waymeet.errors import ItemNotFoundError, UsageError
from waymeet.interfaces.cli.common import (
    to_root_reference,
    open_project,
    print_json,
    print_lines,
    say,
)
from waymeet.interfaces.cli.group import Group
from waymeet.interfaces.cli.help import manual
from waymeet.interfaces.cli.output_format import Listing, print_listing
from waymeet.interfaces.cli.write.options import WRITTEN, Call, entry_manual, print_saved, with_options
from waymeet.interfaces.cli.write.render import (
    as_json as shown_json,
)
from waymeet.interfaces.cli.write.render import (
    history_lines,
    item_lines,
    removed_lines,
)
from waymeet.notebook.fields import LISTS, PRIORITIES, RELATIONS, SINGULAR, STATUSES
from waymeet.notebook.frontmatter_edit import Value

_REFERENCE = click.argument("reference", metavar="NAME|PATH|TITLE")
_VERSION = click.option("--version", "version", default="", help="Refuse the change unless this is still the version.")
_PLURAL = {"tag": "tags", "trigger": "triggers", "pattern": "file_patterns", "step": "steps"}
_OPTIONS = {
    "notes": (),
    "tasks": (
        click.option("--status", help=f"One of {', '.join(STATUSES)}."),
        click.option("--priority", help=f"One of {', '.join(PRIORITIES)}."),
        click.option("--due", help="A date, as in 2026-12-31."),
        click.option("--assignee", help="Who does it."),
    ),
    "skills": (
        click.option("--description", help="What it is for, in one sentence."),
        click.option("--trigger", multiple=True, help="A phrase that calls for it. May be repeated."),
        click.option("--pattern", multiple=True, help="Files it is for, as in *.sql. May be repeated."),
        click.option("--step", multiple=True, help="A step, in order. May be repeated."),
    ),
}
_COMMON = (
    click.option("--tag", multiple=True, help="A tag. May be repeated."),
    click.option("--field", "pairs", multiple=True, metavar="KEY=VALUE", help="Any key; an empty value removes it."),
)


def entry_group(kind: str, help_text: str, examples: str) -> click.Group:
    """Make the group of commands of one kind of entry."""
    exits = {0: "done, or found", 1: "no such entry, or none found", 4: "changed by others: nothing was written"}
    epilog = manual(examples, exits=exits, see="waymeet search --kind " + kind)
    group = Group(SINGULAR[kind], help=help_text, epilog=epilog, short_help=help_text)
    for make in (_add, _show, _edit, _update, _rm, _list, _link, _unlink, _history, _restore):
        group.add_command(make(kind))
    return group


def fields_from(options: dict[str, Any]) -> dict[str, Value]:
    """Gather the fields that options set: those of the kind, and KEY=VALUE pairs."""
    found: dict[str, Value] = {}
    for name, value in options.items():
        if value not in (None, ()) and name not in {"pairs", "step"}:
            found[_PLURAL.get(name, name)] = list(value) if isinstance(value, tuple) else value
    for pair in options["pairs"]:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--field {pair}: expected KEY=VALUE.")
        before = found.get(key)
        repeated = key in RELATIONS or key in LISTS
        found[key] = (
            [*before, value] if repeated and isinstance(before, list) else [value] if repeated and value else value
        )
    return {key: None if value in ("", [""]) else value for key, value in found.items()}


def text_from(argument: str | None) -> str | None:
    """Read a text: from standard input if it is `-`."""
    return sys.stdin.read() if argument == "-" else argument


def _add(kind: str) -> click.Command:
    @click.command(
        "add",
        help=f"Write a new {SINGULAR[kind]}. TEXT is Markdown; - reads it from standard input.",
        epilog=entry_manual(
            kind, 'add "A title" "Its text" --tag ops', 'add "A title" - < text.md', exits={**WRITTEN, 1: ""}
        ),
    )
    @click.argument("title")
    @click.argument("text", required=False)
    @with_options((*_OPTIONS[kind], *_COMMON))
    def command(call: Call, title: str, text: str | None) -> int:
        with call.notebook() as entries:
            body = text_from(text) or ""
            saved = entries.create(kind, title, body, fields_from(call.options), tuple(call.options.get("step", ())))
            return print_saved(saved, as_json=call.as_json)

    return command


def _show(kind: str) -> click.Command:
    @click.command(
        "show",
        help=f"Print a {SINGULAR[kind]}; its version goes to standard error.",
        epilog=entry_manual(kind, "show {}", "show {} --json   with its version and who links to it"),
    )
    @_REFERENCE
    @with_options()
    def command(call: Call, reference: str) -> int:
        with call.notebook(kind) as entries:
            item = entries.read(reference, kind)
            if call.as_json:
                print_json(shown_json(item, entries))
                return 0
            say(item.text.removesuffix("\n"))
            say(f"{item.id} version {item.version}", err=True)
            for source, relation in entries.inward(item.id):
                say(f"← {source} ({relation})", err=True)
            for problem in item.problems:
                say(f"note: {problem}", err=True)
            return 0

    return command


def _edit(kind: str) -> click.Command:
    @click.command(
        "edit",
        help=f"Change a {SINGULAR[kind]} in your editor ($VISUAL or $EDITOR).",
        epilog=entry_manual(kind, "edit {}", exits=WRITTEN),
    )
    @_REFERENCE
    @with_options()
    def command(call: Call, reference: str) -> int:
        with call.notebook() as entries:
            item = entries.read(reference, kind)
            text = click.edit(item.text, extension=".md", require_save=True)
            if text is None:
                say("Nothing was changed.", err=True)
                return 0
            try:
                saved = entries.update(item.id, version=item.version, text=text)
            except UsageError:
                say(f"Your text is kept in {_draft(item.name, text)}", err=True)
                raise
            return print_saved(saved, as_json=call.as_json)

    return command


def _update(kind: str) -> click.Command:
    @click.command(
        "update",
        help=f"Change a {SINGULAR[kind]}: what is given is replaced, all else stays.",
        epilog=entry_manual(
            kind,
            'update {} --title "A better title"',
            "update {} --version 3f2a9c --body -",
            "update {} --field owner=   removes a field",
            exits=WRITTEN,
        ),
    )
    @_REFERENCE
    @click.option("--title", help="A new title; the file keeps its name.")
    @click.option("--body", help="The new Markdown below the front matter; - reads it from standard input.")
    @_VERSION
    @with_options((*_OPTIONS[kind], *_COMMON))
    def command(call: Call, reference: str, title: str | None, body: str | None, version: str) -> int:
        with call.notebook() as entries:
            text, values = text_from(body), fields_from(call.options)
            item = entries.read(reference, kind)
            saved = entries.update(
                item.id,
                version=version or item.version,
                title=title,
                body=text,
                fields=values,
                steps=tuple(call.options["step"]) if call.options.get("step") else None,
            )
            return print_saved(saved, as_json=call.as_json)

    return command


def _rm(kind: str) -> click.Command:
    @click.command(
        "rm",
        help=f"Remove a {SINGULAR[kind]}. What other entries say of it in their front matter goes, too.",
        epilog=entry_manual(
            kind, "rm {}   `restore` brings it back", exits={0: "removed", 4: "changed by others: nothing was removed"}
        ),
    )
    @_REFERENCE
    @_VERSION
    @with_options()
    def command(call: Call, reference: str, version: str) -> int:
        with call.notebook() as entries:
            item = entries.read(reference, kind)
            removed = entries.delete(item.id, version=version or item.version)
        if call.as_json:
            print_json(removed)
        else:
            print_lines(removed_lines(removed, kind))
        return 0

    return command


def _list(kind: str) -> click.Command:
    extra = {"tasks": ("list --open --priority high",), "skills": ("list --json   with triggers and steps",)}
    own = {
        "tasks": (
            click.option("--status", multiple=True, help="Only these. May be repeated."),
            click.option("--open", "still_open", is_flag=True, help="Only what is neither done nor cancelled."),
            click.option("--priority", multiple=True, help="Only these. May be repeated."),
            click.option("--assignee", multiple=True, help="Only theirs. May be repeated."),
        )
    }

    @click.command(
        "list",
        help=f"List the {kind}." + (" Also SKILL.md files anywhere in the project." if kind == "skills" else ""),
        epilog=entry_manual(
            kind, "list --tag ops", "list --format files", *extra.get(kind, ()), exits={0: "found", 1: "there are none"}
        ),
    )
    @click.option("--tag", multiple=True, help="Only with this tag. May be repeated.")
    @click.option("--field", "pairs", multiple=True, metavar="KEY=VALUE", help="Only with this value.")
    @with_options(own.get(kind, ()), form=True)
    def command(call: Call, form: str) -> int:
        options = dict(call.options)
        wanted: dict[str, list[str]] = {"tags": list(options.pop("tag"))}
        for pair in options.pop("pairs"):
            key, _, value = pair.partition("=")
            wanted.setdefault(key, []).append(value)
        if options.pop("still_open", False):
            wanted["status"] = [status for status in STATUSES if status not in {"done", "cancelled"}]
        wanted.update({key: list(values) for key, values in options.items() if values})
        with call.notebook(kind) as entries:
            items = entries.list(kind, wanted)
            counts = {each: used.count for each, used in entries.usage().items()} if kind == "skills" else {}
        shown = [{**shown_json(item), "used": counts.get(item.id, 0)} for item in items]
        files = [item.id for item in items]
        with open_project(call.root, call.index, call.flags) as project:
            print_listing(form, Listing(shown, shown, tuple(item_lines(items, counts)), files), project)
        if not items and form != "json":
            say(f'There are none. To write one: waymeet {SINGULAR[kind]} add "Title" "Text"', err=True)
        return 0 if items else 1

    return command


def _linking(kind: str, name: str, what: str) -> click.Command:
    @click.command(
        name,
        help=f"{what} RELATION is one of {', '.join(RELATIONS)}.",
        epilog=entry_manual(
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
        with call.notebook() as entries:
            change = entries.link if name == "link" else entries.unlink
            return print_saved(change(reference, relation, target, version=version, kind=kind), as_json=call.as_json)

    return command


def _link(kind: str) -> click.Command:
    return _linking(kind, "link", f"Relate a {SINGULAR[kind]} to an entry, a file or a symbol (src/a.py#name).")


def _unlink(kind: str) -> click.Command:
    return _linking(kind, "unlink", f"Take a relation of a {SINGULAR[kind]} back.")


def _history(kind: str) -> click.Command:
    @click.command(
        "history",
        help=f"List past versions of a {SINGULAR[kind]}. Also of one that was removed; `restore` brings them back.",
        epilog=entry_manual(kind, "history {}", exits={0: "found", 1: "there are none"}),
    )
    @_REFERENCE
    @with_options(form=True)
    def command(call: Call, reference: str, form: str) -> int:
        with open_project(call.root, call.index, call.flags) as project:
            found = project.notebook.history(reference, kind)
            print_listing(form, Listing(found, found, tuple(history_lines(found))), project)
        return 0 if found else 1

    return command


def _restore(kind: str) -> click.Command:
    @click.command(
        "restore",
        help=f"Give a {SINGULAR[kind]} a past version's text. Also one that was removed, by its path.",
        epilog=entry_manual(kind, "restore {} 3f2a9c   a version that `history` lists", exits=WRITTEN),
    )
    @_REFERENCE
    @click.argument("wanted", metavar="VERSION")
    @with_options()
    def command(call: Call, reference: str, wanted: str) -> int:
        with call.notebook() as entries:
            try:
                version = entries.read(reference, kind).version
            except ItemNotFoundError:
                version = ""
            return print_saved(entries.restore(reference, wanted, version=version, kind=kind), as_json=call.as_json)

    return command


def _draft(name: str, text: str) -> str:
    """Keep what somebody wrote in an editor and could not be saved."""
    with NamedTemporaryFile("w", prefix=f"{name[:40]}-", suffix=".md", delete=False, encoding="utf-8") as file:
        file.write(text)
    return file.name
