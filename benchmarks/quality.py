"""Make docs/quality.md of the reports that `make quality` leaves behind, with published figures beside ours."""

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from quality_picture import Dots, drawn
from run import machine

from waymeet.evaluate.metrics import MAIN_METRIC, Comparison, Overall, summarise_comparisons
from waymeet.interfaces.quality.markdown_report import escape_markdown as plain
from waymeet.interfaces.quality.markdown_report import table_section as section
from waymeet.interfaces.quality.report import Report
from waymeet.interfaces.quality.rows import list_remarks
from waymeet.interfaces.quality.tables import Cell, Table, summary_tables

DOCS = Path(__file__).parent.parent / "docs"
PLAIN, WORDS, AUTO = "plain", "auto:words", "auto"
OWN, OWN_NAME = "vault", "vault (our own)"
"""The collection in this repository, and what it is called: it shows that parts work, and counts in no mean."""
_ALONE = " (words alone)"
"""What is added to the name of a collection that was asked without models; it counts in no mean, either."""
_ROUNDING = 0.0005

_INTRO = """\
How good answers are, measured on labelled public collections, by one command:

```
make quality COLLECTIONS="path/to/collections/*"
```

The collections are not part of this repository; `waymeet eval --help` says what one looks like, and `waymeet eval
--mine` measures on your own project. Waymeet was developed with these collections. What it does on others of the same
kinds is what counts, and the last table is about that."""

_COLUMNS = """\
`plain` is BM25 over whole documents: no sections, no links, no models. `auto` is the default, and `auto:words` the same
without models of meaning. The others are recipes after other systems ([How answers are ranked](ranking.md)), with
the same models; `deep` had no reranker and no model that rewords questions, `files` looks at names only, `neighbours`
gives five results at most. Documents take the road that files take: they are cut into sections or symbols, of which the
best counts. An answer names the translations of what it shows, whatever ranked it; one that is judged right and not
shown itself counts behind its hit, in every column (on ub-peer, where both are judged)."""

_BEYOND = """\
## What these collections cannot show

Some parts hardly do anything there, for what they are there for does not happen: nobody misspells a word, insists on a
phrase that stands nowhere (`relax_phrases`), or says what was right or wrong (`apply_feedback`); nobody tags pages,
gives them properties or trigger phrases, calls them by another name, or has them in three languages. So some
collections are asked
once more with a slip in every question, which is what `correct_spelling` is for, and there is a vault of our own in
`benchmarks/vault`: the pages, notes, tasks, skills and code of a small team that does not exist, and 159 questions of
the kinds that people and agents ask. We wrote it ourselves, knowing the parts, and replaced questions that did not need
the part they were written for, so its intervals do not rule out chance: it shows that a part works, not how often it
matters. It has no part in any mean, nor in the weights.

With 120 questions of each collection, small effects look like noise: `auto.min_similarity_steps` gains .006 (± .005) on
xquad-en2zh if all its 1,190 questions are asked.

These collections judge whole documents. Sections are judged in the vault (`limit_per_document` is about how many of one
document are shown) and by [questions from projects themselves](mine.md), where what helps to find the right document
costs a
little."""

_TRIED = """\
## What was tried where an aim is missed

Each by itself, over all collections, most with at most 250 questions of each; what gained in one place and cost in
others was left out.

- Fusion: meaning by its standard deviation, from the usual similarity upwards, or completed for everything that any
  list found; lists three and ten times as long: ±.005 on average, musique down to .70.
- docsfaq: if half of a score depends on the whole document instead of .3, it reaches .54, and the right section of a
  project is found less often (-.03); a prior for pages that many link to gains .01 to .03 here and costs as much in
  Chinese. Without what links say (`inbound`) words alone reach .49 here and .46 on debfaq-ja, and what others call a
  page is found no more. Passages without a title that two hundred pages share: +.01 for the model alone, and fewer
  among five.
- locomo: other norms, saturations, weights of neighbouring turns and of meaning move it by less than .005; embedding
  a turn together with those around it gains .05 for the model alone and nothing beside words, which know the
  neighbours already.
- cosqa, scifact: flat in the weight of meaning around what is set. On scifact shared names that lift past the first
  gained .004, and cost the first place elsewhere.
- How near the question's words stand to each other in the text, ordered or not: ±.001 on average. The hits once more
  by their relevance: -.001. Both models for English: nothing.
- Gifts along links that never lift past the giver, as shared names do: 2wiki's first place gains .01, semble and
  docsfaq lose .01 to .04.
- A prior against tests, stubs, generated files and logs: +.003 to +.018 on semble, but the right files of commits
  among five fall by .02 to .03."""


class Aim(Struct, frozen=True, forbid_unknown_fields=True):
    """What was to be reached on a collection."""

    collection: str
    elsewhere: float
    models: float
    words: float | None = None
    measure: str = MAIN_METRIC


class Published(Struct, frozen=True, forbid_unknown_fields=True):
    """What others say they reach, and on what."""

    collection: str
    measure: str
    on: str
    systems: tuple[tuple[str, float], ...]


class Known(Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known from elsewhere."""

    published: tuple[Published, ...]
    aim: tuple[Aim, ...]


def known() -> Known:
    """Read what is written down by hand."""
    text = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Known)


def joined(reports: Sequence[Report]) -> Report:
    """Make one report: figures of the one that compares recipes, parts and weights of those that look into one."""
    whole = next((each for each in reports if each.comparisons), reports[0])
    ablations = [replace(line, collection=_named(line), against=AUTO) for each in reports for line in each.ablations]
    beside = dict.fromkeys(each.collection for each in ablations if each.collection.endswith((OWN_NAME, _ALONE)))
    return replace(
        whole,
        ablations=tuple(ablations),
        excluded_from_mean=tuple(sorted(beside, key=lambda name: name != OWN_NAME)),
        required_stages=tuple(dict.fromkeys(line for each in reports for line in each.required_stages)),
        folds=tuple(line for each in reports for line in each.folds),
    )


def _named(line: Comparison) -> str:
    """Name the collection of an ablation, so that one does not stand twice in a row."""
    name = OWN_NAME if line.collection == OWN else line.collection
    return f"{name}{_ALONE}" if line.against == WORDS else name


def page(report: Report, others: Known, measured_on: str) -> str:
    """Write the page."""
    return "\n".join(_lines(report, others, measured_on)) + "\n"


def _lines(report: Report, others: Known, measured_on: str) -> Iterator[str]:
    main, *rest = summary_tables(report)
    yield from ("# Quality of answers", "", _INTRO, "", f"{plain(measured_on)}, Waymeet {plain(report.version)}.", "")
    yield from (f"![{MAIN_METRIC} on every collection](quality.svg)", "", "## At a glance", "")
    yield from (f"- {each}" for each in glance(report))
    yield from ("", *section(main), "", _COLUMNS, "")
    yield from (*section(aims(report, others.aim)), "", *section(published(report, others.published)))
    for each in rest:
        yield from ("", *section(each))
    yield from ("", _TRIED, "", _BEYOND)
    notes = list(list_remarks(report))
    if notes:
        yield from ("", "## Remarks", "", *(f"- {plain(each)}" for each in notes))


def glance(report: Report) -> Iterator[str]:
    """Say what the tables come to."""
    against = {each.name: each for each in summarise_comparisons(report.comparisons)}
    for name in (AUTO, WORDS):
        if name in against:
            yield f"`{name}` against plain BM25: {_said(against[name])}."
    rivals = {each.against: each for each in summarise_comparisons(report.against_others)}
    if WORDS in rivals:
        low = rivals[WORDS].worst
        least = f"least on {plain(low.collection)} ({low.difference:+.3f})"
        yield f"What models add to `auto`: {_said(rivals[WORDS])}; {least}."
    for name, each in rivals.items():
        if name != WORDS:
            yield f"`auto` against `{plain(name)}`: {_said(each)}."
    found = _figures(report)
    if found and all({PLAIN, AUTO} <= each.keys() for each in found.values()):
        first = {name: each[AUTO]["MRR@10"] - each[PLAIN]["MRR@10"] for name, each in found.items()}
        low_name = min(first, key=lambda name: first[name])
        worst = f"least on {plain(low_name)} ({first[low_name]:+.3f})"
        mean = sum(first.values()) / len(first)
        yield f"The place of the first right answer (MRR@10), `auto` against plain BM25: {mean:+.3f}; {worst}."
    for each in summarise_comparisons(report.ablations, report.excluded_from_mean):
        if each.name == "without boost_linked":
            high = each.best
            most = f"{high.difference:+.3f} on {plain(high.collection)}" if high.difference > 0 else "nothing anywhere"
            yield f"`auto` without its hop along links: {_said(each)}; without it, the most gained is {most}."
    if report.folds:
        (each,) = summarise_comparisons([fold.comparison for fold in report.folds])
        yield f"Weights tuned without a collection, on it, against those that are set: {_said(each)}."


def _said(each: Overall) -> str:
    """Tell a difference over all collections in words."""
    worse = f" ({', '.join(map(plain, each.worse))})" if each.worse else ""
    return (
        f"{each.mean:+.3f} {MAIN_METRIC} on average ({each.low:+.3f} … {each.high:+.3f}), "
        f"beyond noise better on {len(each.better)} and worse on {len(each.worse)} collections{worse}"
    )


def aims(report: Report, found: Sequence[Aim]) -> Table:
    """Show what was aimed at beside what is reached."""
    ours = _figures(report)
    rows = []
    for each in found:
        if each.collection not in ours:
            continue
        here = ours[each.collection]
        cells = [each.collection, each.measure, f"{each.elsewhere:.3f}", _value(here, PLAIN, each.measure)]
        for name, aim in ((WORDS, each.words), (AUTO, each.models)):
            cells += [f"{aim:.3f}" if aim is not None else "–", _reached(here, name, each.measure, aim)]
        rows.append(list(map(Cell, cells)))
    heads = [
        "collection",
        "measure",
        "BM25 elsewhere",
        PLAIN,
        "aim for words and links",
        WORDS,
        "aim with models",
        AUTO,
    ]
    about = (
        "Aims were set before the work began. Where one is missed, it says by how much. BM25 elsewhere is another "
        "implementation, over whole documents."
    )
    return Table("What was aimed at", about, heads, rows)


def published(report: Report, found: Sequence[Published]) -> Table:
    """Show what others publish beside what is measured here."""
    ours = _figures(report)
    rows = []
    for each in found:
        here = ours.get(each.collection)
        if here is None:
            continue
        theirs = ", ".join(f"{name} {value:.3f}" for name, value in each.systems)
        figures = [_value(here, name, each.measure) for name in (PLAIN, WORDS, AUTO)]
        rows.append(list(map(Cell, (each.collection, each.measure, *figures, theirs, each.on))))
    heads = ["collection", "measure", PLAIN, WORDS, AUTO, "published by others", "which was measured on"]
    about = (
        "Hardly one of these is quite the same test, so they place our figures and prove little: see the last column."
    )
    return Table("Published figures", about, heads, rows)


Figures = Mapping[str, Mapping[str, Mapping[str, float]]]


def _figures(report: Report) -> Figures:
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    for each in report.results:
        found.setdefault(each.collection, {})[each.recipe] = each.metrics
    return found


def _value(here: Mapping[str, Mapping[str, float]], name: str, measure: str) -> str:
    return f"{here[name][measure]:.3f}" if name in here else "–"


def _reached(here: Mapping[str, Mapping[str, float]], name: str, measure: str, aim: float | None) -> str:
    """Show a figure, and whether it is what was aimed at."""
    if name not in here or aim is None:
        return _value(here, name, measure)
    short = here[name][measure] - aim
    return f"{here[name][measure]:.3f} {'✓' if short > -_ROUNDING else f'({short:+.3f})'}"


def picture(report: Report) -> str:
    """Draw the main figures."""
    rows = [
        Dots(name, [(each, here[each][MAIN_METRIC]) for each in (PLAIN, WORDS, AUTO) if each in here])
        for name, here in _figures(report).items()
    ]
    return drawn(rows, f"{MAIN_METRIC} by plain BM25, words and links, and with models")


def main() -> int:
    """Write the page and its picture."""
    reports = [msgspec.json.decode(Path(name).read_bytes(), type=Report) for name in sys.argv[1:]]
    if not reports:
        print("Name the reports that `waymeet eval … --report FILE.json` wrote.", file=sys.stderr)
        return 2
    report = joined(reports)
    here = machine()
    measured_on = f"Measured on {datetime.now(UTC).date().isoformat()}: {here['cores']} cores of {here['cpu']}"
    (DOCS / "quality.svg").write_text(picture(report), encoding="utf-8")
    (DOCS / "quality.md").write_text(page(report, known(), measured_on), encoding="utf-8")
    print("written: docs/quality.md, docs/quality.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
