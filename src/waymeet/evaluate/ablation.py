"""The signals of a recipe, each taken away in turn: a number that ranks, set to where it has no say."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from waymeet.search.pipeline import stage_name
from waymeet.search.state import Recipe
from waymeet.settings import Settings
from waymeet.settings.layers import list_keys

_GROUPS = {
    "lexical": ("bm25.fields.",),
    "retrieve_variants": ("bm25.fields.",),
    "fuse": ("rrf.lexical", "rrf.vector"),
    "fuse_three_way": ("threeway.",),
    "fuse_memory": ("memory.graph", "memory.convergence"),
    "walk_links": ("memory.hop",),
    "weigh_by_intent": (
        "memory.preferred",
        "memory.constitutional",
        "memory.spec",
        "memory.decision_record",
        "memory.plan",
    ),
    "fuse_variants": ("deep.original", "deep.alternative", "deep.bonus"),
    "spread_activation": ("neighbours.contains", "neighbours.extends", "neighbours.implements", "neighbours.imports"),
}
"""Which settings are signals of which stage; every other stage that `auto` has uses the section of that name."""
_OWN_SECTION = "auto."
_IN_AUTO = frozenset(
    "weighted_sum aggregate_sections limit_per_document boost_name_match boost_definitions "
    "boost_shared_names boost_linked adapt_length_norm collapse_translations".split()
)
_FACTORS = "memory."
_SHARES = frozenset({"memory.graph", "memory.hop"})
_BOUNDS = frozenset({"auto.shared_name_cap"})
"""Numbers that hold something back, and let it go at 1."""
_INSTEAD = {
    "auto.vector_weight_short_text": "auto.vector_weight_prose",
    "auto.vector_weight_single_function": "auto.vector_weight_prose",
    "auto.vector_weight_non_english": "auto.vector_weight_prose",
    "auto.vector_weight_cross_lingual": "auto.vector_weight_prose",
    "auto.short_text_b": "bm25.b.body",
}
"""Numbers for texts of one kind, and what holds where that kind is not told apart."""

Tree = dict[str, Any]


def list_signals(recipe: Recipe, settings: Settings) -> Iterator[tuple[str, Tree]]:
    """Yield each signal that counts in a recipe, as it will be shown, with the settings that silence it."""
    values = dict(list_keys(msgspec.to_builtins(settings)))
    begins = _beginnings(recipe)
    for key, value in values.items():
        if key.startswith(begins) and not isinstance(value, (bool, int, str, type(None))):
            instead = _INSTEAD.get(key, "")
            silent = values[instead] if instead in values else _silent(key, value)
            if silent != (list(value) if isinstance(value, tuple) else value):
                yield f"{key} = {instead or _told(silent)}", _tree(key, silent)


def list_weights(recipe: Recipe, settings: Settings) -> dict[str, float]:
    """Give the weights that count in a recipe: its signals that are one number each, and not silent."""
    begins = _beginnings(recipe)
    values = list_keys(msgspec.to_builtins(settings))
    return {key: value for key, value in values if key.startswith(begins) and isinstance(value, float) and value}


def _beginnings(recipe: Recipe) -> tuple[str, ...]:
    """List how the keys of a recipe's signals begin."""
    found: dict[str, None] = {}
    for stage in recipe.stages:
        found |= dict.fromkeys(_GROUPS.get(stage_name(stage), ()))
        if stage_name(stage) in _IN_AUTO:
            found[_OWN_SECTION] = None
    return tuple(found)


def _silent(key: str, value: object) -> object:
    """Give the value at which a signal has no say: 0, or 1 for a factor."""
    neutral = 1.0 if key in _BOUNDS or (key.startswith(_FACTORS) and key not in _SHARES) else 0.0
    if isinstance(value, Sequence):
        return [neutral] * len(value) if all(isinstance(each, float) for each in value) else value
    return neutral if isinstance(value, float) else value


def _told(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_told, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _tree(key: str, value: object) -> Tree:
    tree: Any = value
    for part in reversed(key.split(".")):
        tree = {part: tree}
    return dict(tree)
