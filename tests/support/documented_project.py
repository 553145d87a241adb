"""A small project with many labels: links, headings, docstrings, commits."""

import os
import subprocess
from pathlib import Path

THINGS = (
    "anchor barrel candle drawer engine feather garden hammer island jacket kettle ladder mirror needle orchard "
    "pillow quarry ribbon saddle tunnel umbrella valley window yacht"
).split()
"""The topics of the project, with one page and one module each."""

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
    """Return its files by path."""
    texts = {}
    for number, thing in enumerate(THINGS):
        texts[f"docs/page{number}.md"] = _PAGE.format(thing=thing)
        texts[f"src/page{number}.py"] = _MODULE.format(thing=thing)
    links = (f"- See [all about the {thing}](docs/page{number}.md)." for number, thing in enumerate(THINGS))
    texts["README.md"] = "# House\n\n" + "\n".join(links) + "\n"
    return texts


def write(root: Path, texts: dict[str, str]) -> Path:
    """Write files below a folder."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def commit(root: Path, subject: str, *paths: str) -> None:
    """Commit some files, independent of the user's git settings."""
    author = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    no_config = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (["init", "-q"], ["add", "--", *paths], ["commit", "-q", "-m", subject]):
        subprocess.run(["git", *command], cwd=root, check=True, env={**os.environ, **author, **no_config})
