"""Index this repository and ask it three questions: `make demo`."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
COMMANDS = (
    ("index",),
    ("search", "how are results fused", "--explain", "-n", "2"),
    ("search", "getUserById", "--explain", "-n", "2"),
    ("search", "正規", "--explain", "-n", "2"),
)


def main() -> int:
    """Run the commands, showing each as it would be typed."""
    for command in COMMANDS:
        typed = " ".join(f'"{word}"' if " " in word else word for word in command)
        print(f"\n$ waymeet {typed}", flush=True)
        done = subprocess.run([sys.executable, "-m", "waymeet", *command], cwd=REPOSITORY, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
