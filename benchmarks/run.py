"""Run benchmarks and save the figures: `make bench`.

Others: `make bench-1m`, `bench-phrases`, `bench-stages`, `bench-first-answer`, `bench-page`, `bench-code`.
"""

import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import analysis
import startup

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, str | int | None]:
    """Describe the machine that figures depend on."""
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def _measure_engine(name: str, command: str, today: str, *, million: bool = False) -> dict[str, Any]:
    """Measure the engine, and write its page and picture."""
    import engine  # noqa: PLC0415 - downloads packages and takes minutes
    import engine_report  # noqa: PLC0415 - likewise

    figures = engine.measure(engine.MILLION if million else engine.SIZES)
    (RESULTS / f"{name}.svg").write_text(engine_report.draw_growth(figures), encoding="utf-8")
    page = engine_report.write_page(figures, command, today, f"{name}.svg")
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    return figures


def main() -> None:
    """Measure, print and save the figures."""
    today = datetime.now(UTC).date().isoformat()
    if sys.argv[1:] == ["1m"]:
        name, command = f"engine-1m-{today}", "make bench-1m"
        figures = _measure_engine(name, command, today, million=True)
    elif sys.argv[1:] == ["phrases"]:
        import phrases  # noqa: PLC0415 - likewise

        name, command, figures = f"phrases-{today}", "make bench-phrases", phrases.measure()
        page = f"# Phrases, prefixes, substrings\n\n`{command}`, {today}\n\n{phrases.table(figures)}"
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    elif sys.argv[1:] == ["code"]:
        import symbols  # noqa: PLC0415 - likewise

        name, command, figures = f"code-{today}", "make bench-code", symbols.measure()
        page = f"# Source code: symbols and edges\n\n`{command}`, {today}\n\n{symbols.table(figures)}\n"
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    elif sys.argv[1:] == ["stages"]:
        import stages  # noqa: PLC0415 - likewise

        name, command, figures = f"stages-{today}", "make bench-stages", stages.measure()
        page = f"# Time of stages compared with retrieval\n\n`{command}`, {today}\n\n{stages.table(figures)}"
        (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    elif sys.argv[1:] == ["first-answer"]:
        import first_answer  # noqa: PLC0415 - likewise

        name, command, figures = f"first-answer-{today}", "make bench-first-answer", first_answer.measure()
    elif sys.argv[1:] == ["page"]:
        import page_speed  # noqa: PLC0415 - likewise, and it needs a Chromium

        name, command, figures = f"page-{today}", "make bench-page", page_speed.measure()
    else:
        name, command = f"engine-{today}", "make bench"
        figures = {"analysis": analysis.measure(), "startup": startup.measure()}
        figures |= _measure_engine(name, command, today)
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(
        {"date": today, "command": command, "machine": machine(), **figures}, indent=2, ensure_ascii=False
    )
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"saved to benchmarks/results/{name}.json", file=sys.stderr)


if __name__ == "__main__":
    main()
