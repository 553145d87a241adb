"""Merge the answers of several projects into one."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from waymeet.formulas.explanation import product, total, value
from waymeet.formulas.merging import merge_scores
from waymeet.types import LOW_RELEVANCE_NOTE, Answer, Degraded, Explanation, Facet, FacetValue, Hit, Step

AddName = Callable[[str, str], str]
"""Puts the name of a project before an id."""


def merge_answers(answers: Mapping[str, Answer], limit: int, add_name: AddName) -> Answer:
    """Merge answers to the same query, by the name of their project.

    Hits are ordered by `formulas.merging`; those of one project keep their order. Every id gets its project's name.
    """
    ranked = [_score_hits(name, answer) for name, answer in answers.items()]
    placed = (entry for hits in ranked for entry in enumerate(hits))
    hits = tuple(hit for _, hit in sorted(placed, key=lambda entry: (-entry[1].score, entry[0])))[:limit]
    low = _is_low(answers.values())
    notes = _group_notes(answers, {hit.project for hit in hits})
    first = next(iter(answers.values()))
    coverages = [answer.vector_coverage for answer in answers.values() if answer.vector_coverage is not None]
    return replace(
        first,
        search_type=_join_types(answers.values()),
        hits=tuple(_add_names(hit, add_name) for hit in hits),
        total_found=sum(map(attrgetter("total_found"), answers.values())),
        low_relevance=low,
        has_word_match=any(map(attrgetter("has_word_match"), answers.values())),
        degraded=_group_degraded(answers),
        notes=(*notes, LOW_RELEVANCE_NOTE) if low else notes,
        reranked=any(map(attrgetter("reranked"), answers.values())),
        vector_coverage=min(coverages, default=None),
        facets=_merge_facets(answers.values()),
        steps=tuple(_describe_step(name, answer, hits) for name, answer in answers.items()),
        generation=sum(map(attrgetter("generation"), answers.values())),
        seconds=sum(map(attrgetter("seconds"), answers.values())),
    )


def _score_hits(name: str, answer: Answer) -> list[Hit]:
    """Give the hits of a project scores that can be compared with those of other projects."""
    scores = merge_scores([hit.relevance for hit in answer.hits])
    return [
        replace(hit, project=name, score=score.value, explanation=_explain(score, hit.explanation))
        for hit, score in zip(answer.hits, scores, strict=True)
    ]


def _explain(score: Explanation, own: Explanation | None) -> Explanation | None:
    """Explain a merged score.

    The score that orders the hits of one project is a part without weight.
    """
    if own is None:
        return None
    unweighted = product("score within its project, which orders the results of one project", value(0.0, "weight"), own)
    return total("score for several projects", score, unweighted)


def _add_names(hit: Hit, add_name: AddName) -> Hit:
    """Put the name of the project before all ids of a hit."""

    def named(id_: str) -> str:
        return add_name(hit.project, id_)

    return replace(
        hit,
        id=named(hit.id),
        document=named(hit.document),
        sections=tuple(replace(section, id=named(section.id)) for section in hit.sections),
        translations=tuple(
            replace(each, id=named(each.id), document=named(each.document)) for each in hit.translations
        ),
        copies=tuple(map(named, hit.copies)),
        linked_pages=tuple(replace(page, document=named(page.document)) for page in hit.linked_pages),
    )


def _join_types(answers: Iterable[Answer]) -> str:
    """Name the kind of search of all projects, or `hybrid` if they differ."""
    types = {answer.search_type for answer in answers if answer.search_type != "none"}
    return types.pop() if len(types) == 1 else "hybrid" if types else "none"


def _group_degraded(answers: Mapping[str, Answer]) -> tuple[Degraded, ...]:
    """List what limits the answers, each once with the names of its projects."""
    names: dict[Degraded, list[str]] = {}
    for name, answer in answers.items():
        for degraded in answer.degraded:
            names.setdefault(degraded, []).append(name)
    return tuple(
        Degraded(degraded.stage, degraded.code, f"{_name_projects(within, answers)}: {degraded.detail}")
        for degraded, within in names.items()
    )


def _name_projects(names: Sequence[str], answers: Mapping[str, Answer]) -> str:
    return "all projects" if len(names) == len(answers) > 1 else ", ".join(names)


def _is_low(answers: Iterable[Answer]) -> bool:
    """Tell whether no project seems to answer the query, and one says so."""
    answers = tuple(answers)
    return any(answer.low_relevance for answer in answers) and all(
        answer.low_relevance or not answer.hits for answer in answers
    )


def _group_notes(answers: Mapping[str, Answer], shown: Container[str]) -> tuple[str, ...]:
    """List the notes of projects whose hits are shown, each once with the names of its projects."""
    names: dict[str, list[str]] = {}
    for name, answer in answers.items():
        for note in answer.notes:
            if note != LOW_RELEVANCE_NOTE and (name in shown or len(answers) == 1):
                names.setdefault(note, []).append(name)
    return tuple(
        note if len(within) == len(answers) else f"{', '.join(within)}: {note}" for note, within in names.items()
    )


def _merge_facets(answers: Iterable[Answer]) -> tuple[Facet, ...]:
    """Add up the counts of all projects."""
    counts: dict[str, Counter[str]] = {}
    for facet in (facet for answer in answers for facet in answer.facets):
        counts.setdefault(facet.name, Counter()).update({each.value: each.count for each in facet.values})
    return tuple(
        Facet(name, tuple(FacetValue(value, count) for value, count in sorted(values.items(), key=_by_count)))  # type: ignore[arg-type]
        for name, values in counts.items()
    )


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _describe_step(name: str, answer: Answer, hits: Iterable[Hit]) -> Step:
    shown = sum(hit.project == name for hit in hits)
    return Step(f"project {name}", answer.seconds, effect=f"{shown} of {answer.total_found} results shown")
