"""The page and the picture of the engine benchmark: each figure beside its target."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any, NamedTuple

Figures = Mapping[str, Any]
Times = Mapping[str, float]
_SMALL, _MIDDLE, _LARGE = "10000", "100000", "1000000"


class _Line(NamedTuple):
    """A figure with its target; `limit` is the highest value that reaches it, `least` the lowest."""

    what: str
    value: float
    target: str
    limit: float | None = None
    least: float | None = None
    processor: float | None = None

    @property
    def is_reached(self) -> bool:
        return (self.limit is None or self.value <= self.limit) and (self.least is None or self.value >= self.least)


def write_page(figures: Figures, command: str, date: str, picture: str) -> str:
    """Write the page: ratios with targets, the times behind them, and the picture."""
    sizes, corpus = figures["sizes"], figures["corpus"]
    ratios = [
        f"| {line.what} | {line.value:,.3g} | {'' if line.processor is None else f'{line.processor:,.3g}'} | "
        f"{line.target} | {'yes' if line.is_reached else '**no**'} |"
        for line in _ratios(sizes)
    ]
    lines = [
        f"# The engine at {' and '.join(f'{int(size):,}' for size in sizes)} sections",
        "",
        f"`{command}`, {date}. Queries: {corpus['questions']}. Vectors: {corpus['vectors']}. Links are random.",
        f"Above 100,000: {corpus['above_100000']}. One core reads {figures['memory_gigabytes_per_second']} GB",
        "of memory a second. Times are milliseconds, 50th / 95th percentile, in brackets of processor time.",
        "",
        f"![Time of an answer by number of sections]({picture})",
        "",
        "| ratio | measured | by processor time | target | reached |",
        "|---|--:|--:|--:|---|",
        *ratios,
        "",
        *_times(sizes),
        "",
        *_others(sizes),
        "",
    ]
    return "\n".join(lines)


def _compare(what: str, times: Times, others: Times, target: str, limit: float, *, at_least: bool = False) -> _Line:
    """Divide 95th percentiles by those of another engine, of clock and of processor time."""
    clock, processor = (times[name] / others[name] for name in ("p95", "processor_p95"))
    return _Line(f"{what}, p95", clock, target, None if at_least else limit, limit if at_least else None, processor)


def _ratios(sizes: Figures) -> Iterator[_Line]:
    for size, figures in sizes.items():
        text, built = figures["build"]["text_megabytes"], figures["build"]
        label = f"{int(size):,} sections"
        words = built["index_megabytes"]["before_vectors"]
        yield _Line(f"{label}: index without vectors / text", words / text, "≤ 1.6", 1.6)
        if "tantivy_with_texts_megabytes" in built:
            ratio = words / built["tantivy_with_texts_megabytes"]
            yield _Line(f"{label}: index without vectors / tantivy with texts", ratio, "≤ 1.3", 1.3)
        kilobytes = built["index_megabytes"]["for_vectors"] * 1e3 / int(size)
        yield _Line(f"{label}: kilobytes for the vector of a section", kilobytes, "≤ 0.45", 0.45)
        recall = figures["vectors_top50_ms"]["recall_at_50"]
        yield _Line(f"{label}: recall@50 of vectors", recall, "≥ 0.99", least=0.99)
        busy, idle = (figures["changes"][name] for name in ("during_changes_ms", "idle_ms"))
        yield _compare(f"{label}: an answer during 50 changes a second / idle", busy, idle, "≤ 2", 2.0)
    if _MIDDLE in sizes:
        yield from _ratios_at_100_000(sizes[_MIDDLE])
    if _MIDDLE in sizes and _LARGE in sizes:
        yield from _ratios_at_1_000_000(sizes[_SMALL], sizes[_MIDDLE], sizes[_LARGE])


def _ratios_at_100_000(figures: Figures) -> Iterator[_Line]:
    whole, lexical = figures["end_to_end_ms"], figures["lexical_top10_ms"]
    if "fts5_sqlite_vec_sql" in whole:
        rival, what = whole["fts5_sqlite_vec_sql"], "100,000: FTS5 + sqlite-vec + SQL / end to end"
        yield _compare(what, rival, whole["waymeet"], "≥ 50", 50.0, at_least=True)
    if "tantivy" in lexical:
        yield _compare("100,000: words / tantivy", lexical["waymeet"], lexical["tantivy"], "≤ 0.4", 0.4)


def _ratios_at_1_000_000(small: Figures, middle: Figures, large: Figures) -> Iterator[_Line]:
    times, others = (figures["end_to_end_ms"]["waymeet"] for figures in (large, middle))
    yield _compare("1,000,000 / 100,000: end to end", times, others, "≤ 7", 7.0)
    lexical, vectors = large["lexical_top10_ms"], large["vectors_top50_ms"]
    if "tantivy" in lexical:
        yield _Line(
            "1,000,000: words / tantivy, p95", lexical["waymeet"]["p95"] / lexical["tantivy"]["p95"], "≤ 1", 1.0
        )
    ratio = vectors["waymeet"]["p95"] / vectors["numpy"]["p95"]
    yield _Line("1,000,000: vectors / numpy over all vectors, p95", ratio, "≤ 0.33", 1 / 3)
    ratio = large["new_process"]["open_ms"] / small["new_process"]["open_ms"]
    yield _Line("1,000,000 / 10,000: opening", ratio, "≤ 3", 3.0)
    yield _Line("1,000,000: private MB of a process that searches", large["new_process"]["private_mb"], "≤ 300", 300.0)
    visible = sum(large["one_changed_file"].values())
    yield _Line("1,000,000: ms until a changed file is found", visible, "≤ 200", 200.0)


def _times(sizes: Figures) -> Iterator[str]:
    yield "| times in ms | " + " | ".join(f"{int(size):,}" for size in sizes) + " |"
    yield "|---" + "|--:" * len(sizes) + "|"
    groups = {
        "lexical_top10_ms": "words, best 10",
        "vectors_top50_ms": "vectors, best 50",
        "end_to_end_ms": "end to end",
    }
    for group, title in groups.items():
        names = dict.fromkeys(
            name for figures in sizes.values() for name, times in figures[group].items() if isinstance(times, dict)
        )
        for name in names:
            cells = (_cell(figures[group].get(name)) for figures in sizes.values())
            yield f"| {title}: {name.replace('_', ' ')} | {' | '.join(cells)} |"


def _cell(times: Mapping[str, float] | None) -> str:
    if times is None:
        return "–"
    return f"{times['p50']:.3g} / {times['p95']:.3g} ({times['processor_p50']:.3g} / {times['processor_p95']:.3g})"


def _others(sizes: Figures) -> Iterator[str]:
    rows: dict[str, Callable[[Figures], float]] = {
        "text, MB": lambda each: each["build"]["text_megabytes"],
        "index without vectors, MB": lambda each: each["build"]["index_megabytes"]["before_vectors"],
        "added for vectors, MB": lambda each: each["build"]["index_megabytes"]["for_vectors"],
        "storing words and links, s": lambda each: each["build"]["put_s"] + each["build"]["merge_words_s"],
        "storing vectors, s": lambda each: each["build"]["put_vectors_s"] + each["build"]["merge_vectors_s"],
        "opening, ms": lambda each: each["new_process"]["open_ms"],
        "first answer of a process, ms": lambda each: each["new_process"]["first_answer_ms"],
        "private memory, MB": lambda each: each["new_process"]["private_mb"],
        "mapped memory, MB": lambda each: each["new_process"]["mapped_mb"],
        "one changed file is stored, ms": lambda each: each["one_changed_file"]["put_ms"],
        "… and found, ms": lambda each: each["one_changed_file"]["first_question_ms"],
        "changes a second by another process": lambda each: each["changes"]["changes_per_second"],
    }
    yield "| other figures | " + " | ".join(f"{int(size):,}" for size in sizes) + " |"
    yield "|---" + "|--:" * len(sizes) + "|"
    for name, read in rows.items():
        yield f"| {name} | {' | '.join(f'{read(figures):,.4g}' for figures in sizes.values())} |"


# --- picture -------------------------------------------------------------------------------------------------------

_LEFT, _WIDTH, _RIGHT, _TOP, _HEIGHT, _BOTTOM = 64, 480, 190, 24, 300, 46
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1d2433; } .tick { fill: #667085; font-size: 11px; }
.grid { stroke: #e4e7ec; } path { fill: none; stroke-width: 2; } .a { stroke: #13795b; fill: #13795b; }
.b { stroke: #5b8def; fill: #5b8def; } .c { stroke: #b54708; fill: #b54708; } .d { stroke: #98a2b3; fill: #98a2b3; }
.e { stroke: #7a5af8; fill: #7a5af8; } path.a, path.b, path.c, path.d, path.e { fill: none; }
@media (prefers-color-scheme: dark) { text { fill: #e6e9f0; } .tick { fill: #98a2b3; } .grid { stroke: #2c3444; } }
"""
_CURVES = (
    ("a", "end to end", "end_to_end_ms", "waymeet"),
    ("b", "words", "lexical_top10_ms", "waymeet"),
    ("e", "words: tantivy", "lexical_top10_ms", "tantivy"),
    ("c", "vectors", "vectors_top50_ms", "waymeet"),
    ("d", "vectors: numpy over all", "vectors_top50_ms", "numpy"),
)


def draw_growth(figures: Figures) -> str:
    """Draw the 95th percentiles by number of sections, both axes logarithmic."""
    sizes = figures["sizes"]
    curves = [
        (style, label, [(int(size), each[group][name]["p95"]) for size, each in sizes.items() if name in each[group]])
        for style, label, group, name in _CURVES
    ]
    curves = [curve for curve in curves if curve[2]]
    values = [value for _, _, points in curves for _, value in points]
    columns, rows = _decades(list(map(int, sizes))), _decades(values)
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>Milliseconds of an answer by number of sections, 95th percentile</title><style>{_STYLE}</style>",
        f'<text class="tick" x="{_LEFT}" y="14">ms, 95th percentile</text>',
        f'<text class="tick" x="{_LEFT + _WIDTH / 2}" y="{height - 6}" text-anchor="middle">sections</text>',
    ]
    for column in columns:
        x = _place(column, columns, _LEFT, _WIDTH)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_TOP + _HEIGHT}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{column:,g}</text>'
        )
    for row in rows:
        y = _place(row, rows, _TOP + _HEIGHT, -_HEIGHT)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + _WIDTH}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{row:g}</text>')
    label_heights = _spread([_place(points[-1][1], rows, _TOP + _HEIGHT, -_HEIGHT) for _, _, points in curves])
    for (style, label, points), label_y in zip(curves, label_heights, strict=True):
        places = [
            (_place(size, columns, _LEFT, _WIDTH), _place(value, rows, _TOP + _HEIGHT, -_HEIGHT))
            for size, value in points
        ]
        line = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path class="{style}" d="M{line}"/>')
        parts += [f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places]
        parts.append(f'<text x="{_LEFT + _WIDTH + 12}" y="{label_y + 4:.1f}">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _decades(values: Sequence[float]) -> list[float]:
    """List the powers of ten around values."""
    lowest, highest = floor(log10(min(values))), log10(max(values))
    return [10.0**power for power in range(lowest, floor(highest) + (2 if highest % 1 else 1))]


def _place(value: float, ticks: Sequence[float], start: float, length: float) -> float:
    """Place a value on a logarithmic axis."""
    low, high = log10(ticks[0]), log10(ticks[-1])
    return start + length * (log10(value) - low) / ((high - low) or 1.0)


def _spread(heights: Sequence[float], distance: float = 15.0) -> list[float]:
    """Move labels apart that would overlap."""
    placed: dict[int, float] = {}
    last = float("-inf")
    for index in sorted(range(len(heights)), key=heights.__getitem__):
        last = placed[index] = max(heights[index], last + distance)
    return [placed[index] for index in range(len(heights))]
