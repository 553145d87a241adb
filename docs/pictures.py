"""Draw the pictures of the README from the output of searches: `make pictures`."""

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from waymeet.interfaces.render.text import render_answer, to_single_line
from waymeet.project import Project
from waymeet.types import Query

DOCS = Path(__file__).parent
WIDTH = 110


def draw(name: str, query: str, limit: int, *, explain: bool) -> None:
    """Search this repository and draw the output of a terminal as SVG."""
    with Project.open(DOCS.parent) as project:
        project.index()
        answer = project.search(Query(query, limit=limit, explain=explain))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    flags = f" -n {limit}{' --explain' if explain else ''}"
    console.print(Text.assemble(("$ ", "dim"), f'waymeet search "{query}"{flags}'))
    for line in render_answer(answer, summarise=True):
        console.print(
            Text.assemble(*((to_single_line(text), style) for text, style in line)), overflow="ellipsis", no_wrap=True
        )
    picture = console.export_svg(title="waymeet")
    # Fonts would be loaded from a server.
    picture = re.sub(r"@font-face \{.*?\}|<!--.*?-->", "", picture, flags=re.DOTALL)
    (DOCS / f"{name}.svg").write_text(re.sub(r"Fira Code(?=,)", "monospace", picture), encoding="utf-8")


if __name__ == "__main__":
    draw("search", "where are secrets masked", 2, explain=False)
    draw("explain", "how is the vector weight chosen", 1, explain=True)
