"""A note, a task or a skill, read from its file."""

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
_RESCUED = re.compile(r"\.rescued(?:-\d+)?$")
_STEP = re.compile(r"^ {0,3}(?:\d{1,9}[.)]|[-*+])[ \t]+(?P<text>.+?)[ \t]*$", re.MULTILINE)


class Item(Struct, frozen=True):
    """A note, a task or a skill as its file says it."""

    id: str
    """The path of its file below the root, which is also its document's id."""
    kind: str
    name: str
    """The file's name without its ending; of a SKILL.md, its folder's."""
    title: str
    version: str
    """Names this very state of the file. A change must name the version it is based on."""
    fields: Mapping[str, Any] = {}
    """The front matter."""
    body: str = ""
    text: str = ""
    """The whole file."""
    problems: tuple[str, ...] = ()
    """What in it makes no sense."""
    writable: bool = True
    """Whether it lies in the folder for its kind; others, such as a SKILL.md elsewhere, are only read."""

    def values(self, key: str) -> tuple[str, ...]:
        """Give what a key of the front matter says, as a list of texts."""
        value = self.fields.get(key)
        if key in fields.REFERRING:
            return fields.targets(value)
        return tuple(iterate_texts(value)) if isinstance(value, list) else fields.strings(value)

    def relation_targets(self, key: str) -> tuple[str, ...]:
        """Give what a relation says so that it can be written again with one more or less.

        Raises:
            UsageError: it is more than a list of texts, and would lose something.
        """
        value = self.fields.get(key, [])
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            return self.values(key)
        raise UsageError(f"{key} of {self.id} is more than a list of names.", "Change it in an editor.")

    def value(self, key: str) -> str:
        """Give what a key of the front matter says, as one text."""
        return " ".join(iterate_texts(self.fields.get(key)))


def parsed(path: str, kind: str, raw: bytes, *, writable: bool = True) -> Item:
    """Read a file's bytes.

    Raises:
        UsageError: it is no text.
    """
    decoded = decode(raw)
    if decoded is None:
        raise UsageError(f"{path} holds no text.")
    front = frontmatter_edit.read(decoded.text)
    values = {key.lower(): _plain(value) for key, value in front.values.items()}
    name = name_of(path)
    body = frontmatter_edit.body_of(decoded.text)
    stated = next(iterate_texts(values.get("name")), "") if path.endswith(SKILL_PAGE) else ""
    first = _HEADING.search(body)
    troubles = [front.problem] if front.problem else []
    if _RESCUED.search(name):
        troubles.append("written in the very moment another text replaced it: put together what belongs together")
    return Item(
        id=path,
        kind=kind,
        name=name,
        title=stated or next(iterate_texts(values.get("title")), "") or (first["text"] if first else name),
        version=version_of(raw),
        fields=values,
        body=body,
        text=decoded.text,
        problems=(*troubles, *fields.problems(kind, values)),
        writable=writable,
    )


def name_of(path: str) -> str:
    """Give the short name of an entry.

    >>> name_of(".waymeet/notes/a.md"), name_of("skills/deploy/SKILL.md")
    ('a', 'deploy')
    """
    folders, _, file = path.rpartition("/")
    return folders.rpartition("/")[2] if file == SKILL_PAGE and folders else file.rpartition(".")[0]


def skill_steps(item: Item) -> tuple[str, ...]:
    """List the steps of a skill: those of its front matter, else the list under its heading "Steps"."""
    stated = item.fields.get("steps")
    if isinstance(stated, list):
        return tuple(iterate_texts(stated))
    section = _STEPS.search(item.body)
    return tuple(found["text"] for found in _STEP.finditer(section["steps"])) if section else ()


def with_steps(body: str, wanted: tuple[str, ...]) -> str:
    r"""Write steps as a numbered list under the heading "Steps", in place of those that are there.

    >>> with_steps("About it.\n", ("Build", "Ship"))
    'About it.\n\n## Steps\n\n1. Build\n2. Ship\n'
    """
    section = "## Steps\n\n" + "".join(f"{number}. {step}\n" for number, step in enumerate(wanted, start=1))
    old = _STEPS.search(body)
    if old:
        rest = body[old.end() :]
        return body[: old.start()] + section + ("\n" if rest else "") + rest
    return f"{body.rstrip()}\n\n{section}" if body.strip() else section


def keys(item: Item) -> Iterator[str]:
    """Yield the keys by which a link can name an item (see `waymeet.ingest.build.link_keys`)."""
    file = item.id.rpartition("/")[2]
    yield path_key(item.id)
    if file != SKILL_PAGE:
        yield file_name_key(file)
    yield file_name_key(item.name)
    for title in (item.title, *item.values("aliases")):
        if key := title_key(title):
            yield key


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever YAML can say
    """Take values out of the wrappers that unknown YAML tags leave around them."""
    value = getattr(value, "value", value)
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value
