"""Make the made parts of the documentation anew: `make docs`. With paths of pages, only those."""

import sys
from pathlib import Path

from alike import differences
from blocks import with_parts
from tables import PARTS
from transcripts import with_transcripts

REPOSITORY = Path(__file__).parent.parent


def pages() -> list[Path]:
    """List all pages."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


def refreshed(page: str) -> str:
    """Give a page with its tables and transcripts as they are now."""
    return with_transcripts(with_parts(page, PARTS))


def main() -> int:
    """Write the pages that are out of date."""
    for path in [Path(name) for name in sys.argv[1:]] or pages():
        page = path.read_text(encoding="utf-8")
        anew = refreshed(page)
        if differences(page, anew):
            path.write_text(anew, encoding="utf-8")
            print(f"{path.name}: made anew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
