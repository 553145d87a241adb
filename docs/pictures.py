"""Draw the pictures of the README from real output: `make pictures`."""

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


def draw(name: str, question: str, limit: int, *, explain: bool) -> None:
    """Ask this repository and draw what a terminal would show."""
    with Project.open(DOCS.parent) as project:
        project.index()
        answer = project.search(Query(question, limit=limit, explain=explain))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    flags = f" -n {limit}{' --explain' if explain else ''}"
    console.print(Text.assemble(("$ ", "dim"), f'waymeet search "{question}"{flags}'))
    for line in render_answer(answer):
        console.print(
            Text.assemble(*((to_single_line(text), style) for text, style in line)), overflow="ellipsis", no_wrap=True
        )
    picture = console.export_svg(title="waymeet")
    picture = re.sub(
        r"@font-face \{.*?\}|<!--.*?-->", "", picture, flags=re.DOTALL
    )  # a picture asks no server for fonts
    (DOCS / f"{name}.svg").write_text(re.sub(r"Fira Code(?=,)", "monospace", picture), encoding="utf-8")


if __name__ == "__main__":
    draw("search", "how are results fused", 3, explain=False)
    draw("explain", "how are results fused", 1, explain=True)
