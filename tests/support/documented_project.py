"""A small project that says a lot of its own parts: links, headings, docstrings, commits."""

import os
import subprocess
from pathlib import Path

THINGS = (
    "anchor barrel candle drawer engine feather garden hammer island jacket kettle ladder mirror needle orchard "
    "pillow quarry ribbon saddle tunnel umbrella valley window yacht"
).split()
"""What it is about, one page and one module each."""

_PAGE = """# The {thing}

What one has to know of every {thing} in this house, and whom to ask.

## Cleaning the {thing} by hand

A {thing} gathers dust over the winter. Take a soft cloth and warm water, rub the {thing} until it is clean, and let
it dry in the shade; your hand must not slip.

## Storing the {thing} in winter

When the first frost comes, wrap the {thing} in paper and put it into the cellar. It is stored there until spring,
away from light and mice, with a label on it.
"""
_MODULE = '''"""Counting."""


def polish_{thing}(cloth, water):
    """Rub a {thing} until it shines brightly.

    Afterwards it is dry.
    """
    shine = cloth.rub("{thing}", water)
    return shine.brightly()


def sell_{thing}(price):
    # Offers the {thing} to whoever
    # pays the highest price.
    return market.offer("{thing}", price)
'''


def files() -> dict[str, str]:
    """Give its files by path."""
    found = {}
    for number, thing in enumerate(THINGS):
        found[f"docs/page{number}.md"] = _PAGE.format(thing=thing)
        found[f"src/page{number}.py"] = _MODULE.format(thing=thing)
    links = (f"- See [all about the {thing}](docs/page{number}.md)." for number, thing in enumerate(THINGS))
    found["README.md"] = "# House\n\n" + "\n".join(links) + "\n"
    return found


def write(root: Path, texts: dict[str, str]) -> Path:
    """Write files below a folder."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def commit(root: Path, subject: str, *paths: str) -> None:
    """Commit some files, whatever the user's own git is set to."""
    who = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    nobody = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (["init", "-q"], ["add", "--", *paths], ["commit", "-q", "-m", subject]):
        subprocess.run(["git", *command], cwd=root, check=True, env={**os.environ, **who, **nobody})
