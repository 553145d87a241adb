"""Stage that boosts sections with several consecutive words of the query."""

from msgspec.structs import replace

from waymeet.analysis import has_cjk, normalise_text
from waymeet.formulas.explanation import product, value
from waymeet.formulas.word_runs import MIN_RUN, longest_run, run_share
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.rank.bonus import add_bonus
from waymeet.search.state import Search, Tools
from waymeet.settings import Settings
from waymeet.types import Explanation

_LEADING = 20
"""Candidates whose texts are read."""
_MAX_WORDS = 60
"""Words of a query that are looked for. A longer one is pasted text."""


def boost_word_runs(search: Search, tools: Tools, settings: Settings) -> Search:
    """Add a bonus to leading sections with four or more consecutive words of the query.

    The words of an error message follow each other in the code that writes it, and a question may be a heading of a
    list of answers. Function words count, too. Text without spaces is compared by pairs of characters anyway.
    """
    weight = settings.auto.word_run_bonus
    words = normalise_text(search.text).split()[:_MAX_WORDS]
    if not weight or len(words) < MIN_RUN or has_cjk(search.text):
        few = "fewer than four words" if len(words) < MIN_RUN else "text without spaces"
        return search.skip(few if weight else "setting auto.word_run_bonus is 0")
    leading, rest = search.candidates[:_LEADING], search.candidates[_LEADING:]
    chunks = tools.store.chunks([candidate.chunks[0] for candidate in leading if candidate.chunks])
    boosted = []
    for candidate in leading:
        chunk = chunks.get(candidate.chunks[0]) if candidate.chunks else None
        run = longest_run(words, normalise_text(chunk.text)) if chunk else 0
        boosted.append(candidate if run < MIN_RUN else add_bonus(candidate, _explain_bonus(run, len(words), weight)))
    return replace(search, candidates=sort_candidates((*boosted, *rest)))


def _explain_bonus(run: int, words: int, weight: float) -> Explanation:
    return product(
        f"{run} words follow each other as in the query",
        value(weight, "weight (auto.word_run_bonus)"),
        value(run_share(run, words), f"√((run − 3) / (words − 3)), run = {run}, words = {words}"),
        group="bonuses",
    )
