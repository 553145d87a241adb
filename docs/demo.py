"""Ask a little project in three languages by meaning, then this repository by words and links: `make demo`.

`python docs/demo.py languages` shows the first part alone. Nothing needs the network: the models are in the packages.
"""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
PAGES = "docs/demo"
LANGUAGES = (
    "The pages of docs/demo are in English, Japanese and Chinese. No question shares a word with its answer.",
    ("index", PAGES),
    ("search", "-C", PAGES, "-n", "1", "avoid billing a customer twice"),
    ("search", "-C", PAGES, "-n", "1", "嵐で船が出ない場合、代金をもどす方法"),
    ("search", "-C", PAGES, "-n", "1", "怎样保护乘客的隐私"),
    "And a question in English whose only answer is a Japanese page:",
    ("search", "-C", PAGES, "-n", "1", "forgot my password"),
)
ITSELF = (
    "This repository, by words and links at once. `waymeet index` would embed its thousands of sections in minutes.",
    ("index", ".", "--no-embed"),
    ("search", "how are results fused", "--explain", "-n", "2"),
    ("search", "getUserById", "--explain", "-n", "2"),
)


def main() -> int:
    """Run the commands, showing each as it would be typed."""
    for step in LANGUAGES if sys.argv[1:] == ["languages"] else (*LANGUAGES, *ITSELF):
        if isinstance(step, str):
            print(f"\n# {step}", flush=True)
            continue
        typed = " ".join(f'"{word}"' if " " in word or not word.isascii() else word for word in step)
        print(f"\n$ waymeet {typed}", flush=True)
        done = subprocess.run([sys.executable, "-m", "waymeet", *step], cwd=REPOSITORY, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
