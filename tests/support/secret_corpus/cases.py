"""The shape of a case of the secret corpus, and how templates become cases.

A template is plain text. `§§ kind | source` begins a kind, `§ path` a file. In a file (or its path) `‹name arguments›`
is replaced by a random value, `‹x=name arguments›` also remembers it for `‹x›`, and `‹›` is nothing: it divides
literals that would look like a real token in this repository. `⟦…⟧` encloses what must be masked, or must be kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.secret_corpus.values import VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

INNERMOST = re.compile(r"‹([^‹›]*)›")
REGION = re.compile(r"⟦(.*?)⟧", re.DOTALL)
ASSIGNMENT = re.compile(r"(\w+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SecretCase:
    """A file with secrets, of which none may be readable after masking."""

    kind: str
    source: str
    """Where the form is documented, or why a reader knows it for a secret."""
    path: str
    text: str
    secrets: tuple[str, ...]
    """The exact secret strings; a secret of several lines has one for each line."""
    is_in_path: bool
    """Whether the secret is part of the path instead of the text."""

    def find_readable(self, masked: str) -> tuple[str, ...]:
        """List the secrets of which more than half is readable in the masked text (or path)."""
        original = self.path if self.is_in_path else self.text
        for secret in sorted(self.secrets, key=len, reverse=True):
            original = original.replace(secret, "\0")
        return tuple(secret for secret in self.secrets if _is_readable(secret, masked, original))


@dataclass(frozen=True, slots=True)
class LookAlikeCase:
    """A file with something that resembles a secret and must stay as it is."""

    kind: str
    source: str
    path: str
    text: str
    kept: str
    is_in_path: bool
    """Whether the look-alike is part of the path instead of the text."""

    def is_altered(self, masked: str) -> bool:
        """Say whether the look-alike is whole less often in the masked text (or path) than before."""
        original = self.path if self.is_in_path else self.text
        return masked.count(self.kept) < original.count(self.kept)


@dataclass(frozen=True, slots=True)
class Sample:
    """One file of a kind, as a template."""

    kind: str
    source: str
    path: str
    text: str


def make_secrets(rng: Random, templates: tuple[str, ...]) -> list[SecretCase]:
    """Make the secret cases of templates, with new random values."""
    cases = []
    for sample in read_samples(templates):
        memory: dict[str, str] = {}
        path, text = expand(sample.path, rng, memory), expand(sample.text, rng, memory)
        is_in_path = "⟦" in path
        secrets = tuple(dict.fromkeys(_regions(path if is_in_path else text)))
        cases.append(SecretCase(sample.kind, sample.source, _bare(path), _bare(text), secrets, is_in_path))
    return cases


def make_look_alikes(rng: Random, templates: tuple[str, ...]) -> list[LookAlikeCase]:
    """Make the look-alike cases of templates, one for each marked place."""
    cases: list[LookAlikeCase] = []
    for sample in read_samples(templates):
        memory: dict[str, str] = {}
        path, text = expand(sample.path, rng, memory), expand(sample.text, rng, memory)
        is_in_path = "⟦" in path
        cases.extend(
            LookAlikeCase(sample.kind, sample.source, _bare(path), _bare(text), kept, is_in_path)
            for kept in REGION.findall(path if is_in_path else text)
        )
    return cases


def read_samples(templates: tuple[str, ...]) -> Iterator[Sample]:
    """Divide templates into kinds and files."""
    for template in templates:
        for part in re.split(r"^§§ ", template, flags=re.MULTILINE)[1:]:
            title, _, files = part.partition("\n")
            kind, _, source = title.partition(" | ")
            for file in re.split(r"^§ ", files, flags=re.MULTILINE)[1:]:
                path, _, text = file.partition("\n")
                yield Sample(kind, source, path, text)


def expand(template: str, rng: Random, memory: dict[str, str]) -> str:
    """Replace the placeholders of a template from the inside out."""
    while match := INNERMOST.search(template):
        value = _evaluate(match.group(1), rng, memory)
        if "\n" in value:
            line = template[: match.start()].rpartition("\n")[2]
            indent = line[: len(line) - len(line.lstrip())]
            value = value.replace("\n", "\n" + indent)
        template = template[: match.start()] + value + template[match.end() :]
    return template


def _evaluate(expression: str, rng: Random, memory: dict[str, str]) -> str:
    """Compute the value of one placeholder."""
    if not expression:
        return ""
    if expression in memory:
        return memory[expression]
    if assignment := ASSIGNMENT.fullmatch(expression):
        memory[assignment.group(1)] = _evaluate(assignment.group(2), rng, memory)
        return memory[assignment.group(1)]
    name, _, argument = expression.partition(" ")
    return VALUES[name](rng, argument)


def _regions(text: str) -> Iterator[str]:
    """Yield what is marked, line by line."""
    for region in REGION.findall(text):
        yield from (line.strip() for line in region.splitlines() if line.strip())


def _bare(text: str) -> str:
    """Remove the marks."""
    return text.replace("⟦", "").replace("⟧", "")


def _is_readable(secret: str, masked: str, rest: str) -> bool:
    """Say whether a run of more than half of the secret is in the masked text and not in the rest of the file."""
    length = len(secret) // 2 + 1
    runs = (secret[start : start + length] for start in range(len(secret) - length + 1))
    return any(run in masked and run not in rest for run in runs)
