"""Items: a note, a task or a skill, parsed from its file."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from waymeet.analysis import file_name_key, path_key, title_key
from waymeet.errors import UsageError
from waymeet.ingest.discover.entry_kind import SKILL_PAGE
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.ingest.read.decode import decode
from waymeet.notebook import fields, frontmatter_edit
from waymeet.notebook.atomic_replace import version_of

_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<text>.+?)[ \t#]*$", re.MULTILINE)
_STEPS = re.compile(
    r"^#{1,6}[ \t]+(?:steps|手順|步骤|단계)[ \t#]*\n(?P<steps>.*?)(?=^#{1,6}[ \t]|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_RECOVERED = re.compile(r"\.rescued(?:-\d+)?$")
_STEP = re.compile(r"^ {0,3}(?:\d{1,9}[.)]|[-*+])[ \t]+(?P<text>.+?)[ \t]*$", re.MULTILINE)


class Item(Struct, frozen=True):
    """A note, a task or a skill."""

    id: str
    """The path of its file below the root, which is also the id of its document."""
    kind: str
    name: str
    """The file name without its ending, or the folder name of a SKILL.md."""
    title: str
    version: str
    """A hash of the file. A change must name the version that it is based on."""
    fields: Mapping[str, Any] = {}
    """The front matter."""
    body: str = ""
    text: str = ""
    """The whole file."""
    problems: tuple[str, ...] = ()
    """Messages about invalid front matter."""
    writable: bool = True
    """Whether it is in the folder of its kind; others, such as a SKILL.md elsewhere, are read-only."""

    def values(self, key: str) -> tuple[str, ...]:
        """Return the value of a field as a list of texts."""
        value = self.fields.get(key)
        if key in fields.REFERENCE_FIELDS:
            return fields.parse_references(value)
        return tuple(iterate_texts(value)) if isinstance(value, list) else fields.parse_list(value)

    def relation_targets(self, key: str) -> tuple[str, ...]:
        """Return the targets of a relation for writing a changed list.

        Raises:
            UsageError: the value is more than a list of texts, and part of it would be lost.
        """
        value = self.fields.get(key, [])
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(target, str) for target in value)):
            return self.values(key)
        raise UsageError(f"{key} of {self.id} is not a plain list of names.", "Change it in an editor.")

    def value(self, key: str) -> str:
        """Return the value of a field as one text."""
        return " ".join(iterate_texts(self.fields.get(key)))


def parse_item(path: str, kind: str, raw: bytes, *, writable: bool = True) -> Item:
    """Parse the bytes of a file.

    Raises:
        UsageError: the file is not text.
    """
    decoded = decode(raw)
    if decoded is None:
        raise UsageError(f"{path} is not a text file.")
    front = frontmatter_edit.parse(decoded.text)
    values = {key.lower(): _unwrap(value) for key, value in front.values.items()}
    name = short_name(path)
    body = frontmatter_edit.get_body(decoded.text)
    skill_name = next(iterate_texts(values.get("name")), "") if path.endswith(SKILL_PAGE) else ""
    heading = _HEADING.search(body)
    problems = [front.problem] if front.problem else []
    if _RECOVERED.search(name):
        problems.append("recovered text, written while the item was being replaced: merge it with the item")
    return Item(
        id=path,
        kind=kind,
        name=name,
        title=skill_name or next(iterate_texts(values.get("title")), "") or (heading["text"] if heading else name),
        version=version_of(raw),
        fields=values,
        body=body,
        text=decoded.text,
        problems=(*problems, *fields.find_problems(kind, values)),
        writable=writable,
    )


def short_name(path: str) -> str:
    """Return the short name of an item by its path.

    >>> short_name(".waymeet/notes/a.md"), short_name("skills/deploy/SKILL.md")
    ('a', 'deploy')
    """
    folders, _, file = path.rpartition("/")
    return folders.rpartition("/")[2] if file == SKILL_PAGE and folders else file.rpartition(".")[0]


def skill_steps(item: Item) -> tuple[str, ...]:
    """List the steps of a skill, from its front matter or below its heading "Steps"."""
    steps = item.fields.get("steps")
    if isinstance(steps, list):
        return tuple(iterate_texts(steps))
    section = _STEPS.search(item.body)
    return tuple(step["text"] for step in _STEP.finditer(section["steps"])) if section else ()


def replace_steps(body: str, steps: tuple[str, ...]) -> str:
    r"""Replace the list below the heading "Steps" by a numbered list of steps.

    >>> replace_steps("About it.\n", ("Build", "Ship"))
    'About it.\n\n## Steps\n\n1. Build\n2. Ship\n'
    """
    section = "## Steps\n\n" + "".join(f"{number}. {step}\n" for number, step in enumerate(steps, start=1))
    old = _STEPS.search(body)
    if old:
        after = body[old.end() :]
        return body[: old.start()] + section + ("\n" if after else "") + after
    return f"{body.rstrip()}\n\n{section}" if body.strip() else section


def link_keys_of(item: Item) -> Iterator[str]:
    """Yield the keys by which links refer to an item (see `waymeet.ingest.build.link_keys`)."""
    file = item.id.rpartition("/")[2]
    yield path_key(item.id)
    if file != SKILL_PAGE:
        yield file_name_key(file)
    yield file_name_key(item.name)
    for title in (item.title, *item.values("aliases")):
        if key := title_key(title):
            yield key


def _unwrap(value: Any) -> Any:  # noqa: ANN401 - any YAML value
    """Remove the wrappers that the parser puts around values with unknown YAML tags."""
    value = getattr(value, "value", value)
    if isinstance(value, dict):
        return {str(_unwrap(key)): _unwrap(entry) for key, entry in value.items()}
    return [_unwrap(entry) for entry in value] if isinstance(value, list) else value
