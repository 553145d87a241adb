"""Ablation: set one ranking signal of a recipe at a time to a neutral value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from waymeet.search.pipeline import stage_name
from waymeet.search.state import Recipe
from waymeet.settings import Settings
from waymeet.settings.layers import list_keys

_FACTORS = "memory."
"""Section of settings that multiply a score, so that 1 is neutral."""
_SHARES = frozenset({"memory.graph", "memory.hop"})
"""Exceptions in that section: weights, for which 0 is neutral."""
_CAPS = frozenset(
    {
        "auto.shared_name_cap",
        "auto.code_factor_cross_lingual",
        "auto.speaker_factor",
        "auto.raised_min_share",
        "understand.function_word",
    }
)
"""Upper bounds on a bonus and other factors, for which 1 is neutral."""
_FALLBACKS = {
    "auto.vector_weight_short_text": "auto.vector_weight_prose",
    "auto.vector_weight_single_function": "auto.vector_weight_prose",
    "auto.vector_weight_non_english": "auto.vector_weight_prose",
    "auto.vector_weight_mixed": "auto.vector_weight_non_english",
    "auto.short_text_b": "bm25.b.body",
}
"""Settings for one kind of text, and the setting that replaces each where that kind is not distinguished."""

Tree = dict[str, Any]
Signals = Mapping[str, Sequence[str]]
"""The settings that are ranking signals, as keys or prefixes, by the name of the stage that reads them."""


def list_signals(recipe: Recipe, settings: Settings, signals: Signals) -> Iterator[tuple[str, Tree]]:
    """Yield each active signal as `key = neutral value`, with the settings for that value."""
    values = dict(list_keys(msgspec.to_builtins(settings)))
    prefixes = _signal_prefixes(recipe, signals)
    for key, value in values.items():
        if key.startswith(prefixes) and not isinstance(value, (bool, int, str, type(None))):
            fallback = _FALLBACKS.get(key, "")
            neutral = values[fallback] if fallback in values else _neutral_value(key, value)
            if neutral != (list(value) if isinstance(value, tuple) else value):
                yield f"{key} = {fallback or _format_value(neutral)}", _make_tree(key, neutral)


def list_weights(recipe: Recipe, settings: Settings, signals: Signals) -> dict[str, float]:
    """Give the signals of a recipe that are a single number other than 0."""
    prefixes = _signal_prefixes(recipe, signals)
    values = list_keys(msgspec.to_builtins(settings))
    return {key: value for key, value in values if key.startswith(prefixes) and isinstance(value, float) and value}


def _signal_prefixes(recipe: Recipe, signals: Signals) -> tuple[str, ...]:
    """List the keys and prefixes of the signals of a recipe's stages."""
    return tuple(dict.fromkeys(prefix for stage in recipe.stages for prefix in signals.get(stage_name(stage), ())))


def _neutral_value(key: str, value: object) -> object:
    """Give the value at which a signal has no effect: 0 for a weight, 1 for a factor or cap."""
    neutral = 1.0 if key in _CAPS or (key.startswith(_FACTORS) and key not in _SHARES) else 0.0
    if isinstance(value, Sequence):
        return [neutral] * len(value) if all(isinstance(each, float) for each in value) else value
    return neutral if isinstance(value, float) else value


def _format_value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _make_tree(key: str, value: object) -> Tree:
    tree: Any = value
    for part in reversed(key.split(".")):
        tree = {part: tree}
    return dict(tree)
