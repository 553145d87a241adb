"""Regenerate the tables and transcripts of the documentation: `make docs`.

With paths of pages as arguments, only these are regenerated.
"""

import sys
from pathlib import Path

from blocks import replace_parts
from page_diff import diff_pages
from tables import PARTS
from transcripts import renew_transcripts

REPOSITORY = Path(__file__).parent.parent


def list_pages() -> list[Path]:
    """List all pages."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


def refresh_page(page: str) -> str:
    """Regenerate the tables and transcripts of a page."""
    return renew_transcripts(replace_parts(page, PARTS))


def main() -> int:
    """Write the pages that are out of date."""
    for path in [Path(name) for name in sys.argv[1:]] or list_pages():
        page = path.read_text(encoding="utf-8")
        regenerated = refresh_page(page)
        if diff_pages(page, regenerated):
            path.write_text(regenerated, encoding="utf-8")
            print(f"{path.name}: regenerated")
    return 0


if __name__ == "__main__":
    sys.exit(main())
