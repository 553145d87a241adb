"""Show searches in a small project in three languages, then in this repository: `make demo`.

`python docs/demo.py languages` shows the first part only. No network is needed: the models are part of the packages.
"""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PAGES = "docs/demo"
LANGUAGES = (
    "The pages of docs/demo are in English, Japanese and Chinese. No query shares a word with its result.",
    ("index", PAGES),
    ("search", "-C", PAGES, "-n", "1", "avoid billing a customer twice"),
    ("search", "-C", PAGES, "-n", "1", "嵐で船が出ない場合、代金をもどす方法"),
    ("search", "-C", PAGES, "-n", "1", "怎样保护乘客的隐私"),
    "A query in English whose only relevant page is in Japanese:",
    ("search", "-C", PAGES, "-n", "1", "forgot my password"),
)
THIS_REPOSITORY = (
    "This repository, by full text and links only. To embed its thousands of sections takes minutes: `waymeet index`.",
    ("index", ".", "--no-embed"),
    ("search", "how are results fused", "--explain", "-n", "2"),
    ("search", "getUserById", "--explain", "-n", "2"),
)


def main() -> int:
    """Print and run the commands."""
    for step in LANGUAGES if sys.argv[1:] == ["languages"] else (*LANGUAGES, *THIS_REPOSITORY):
        if isinstance(step, str):
            print(f"\n# {step}", flush=True)
            continue
        command = " ".join(f'"{word}"' if " " in word or not word.isascii() else word for word in step)
        print(f"\n$ waymeet {command}", flush=True)
        process = subprocess.run([sys.executable, "-m", "waymeet", *step], cwd=REPOSITORY, check=False)
        if process.returncode:
            return process.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
