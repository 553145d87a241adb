"""Older names of some variables, with our prefix: what they set, and in which unit they are written.

| variable | sets |
|---|---|
| `WAYMEET_ENABLE_CROSS_ENCODER` | `rerank.provider`: none, or what the next one says |
| `WAYMEET_CROSS_ENCODER_PROVIDER` | which provider that is (auto if it is not set); alone it switches nothing on |
| `WAYMEET_MAX_RERANK_CANDIDATES` | `rerank.candidates` |
| `WAYMEET_RERANK_P95_THRESHOLD` | `rerank.p95_ms`, in milliseconds |
| `WAYMEET_RERANK_CACHE_TTL` | `rerank.cache_seconds`, written in milliseconds |
| `WAYMEET_RERANK_CACHE_SIZE` | `rerank.cache_entries` |
| `WAYMEET_ENABLE_RRF_FUSION` | `memory.rrf` |
| `WAYMEET_ENABLE_BM25` | `memory.lexical` |
| `WAYMEET_ENABLE_FUZZY_MATCH` | `understand.fuzzy` |
"""

from collections.abc import Iterator, Mapping

from waymeet.errors import SettingsError

_SWITCH = "WAYMEET_ENABLE_CROSS_ENCODER"
_PROVIDER = "WAYMEET_CROSS_ENCODER_PROVIDER"
_MILLISECONDS = "WAYMEET_RERANK_CACHE_TTL"
_SAME = {
    "WAYMEET_MAX_RERANK_CANDIDATES": "rerank.candidates",
    "WAYMEET_RERANK_P95_THRESHOLD": "rerank.p95_ms",
    "WAYMEET_RERANK_CACHE_SIZE": "rerank.cache_entries",
    "WAYMEET_ENABLE_RRF_FUSION": "memory.rrf",
    "WAYMEET_ENABLE_BM25": "memory.lexical",
    "WAYMEET_ENABLE_FUZZY_MATCH": "understand.fuzzy",
}
ALIASES = frozenset({_SWITCH, _PROVIDER, _MILLISECONDS, *_SAME})


def aliased(variables: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Give what older names set: the variable, the key and the text of its value.

    >>> list(aliased({"WAYMEET_ENABLE_CROSS_ENCODER": "true"}))
    [('WAYMEET_ENABLE_CROSS_ENCODER', 'rerank.provider', 'auto')]
    >>> list(aliased({"WAYMEET_RERANK_CACHE_TTL": "300000"}))
    [('WAYMEET_RERANK_CACHE_TTL', 'rerank.cache_seconds', '300.0')]
    >>> list(aliased({"WAYMEET_CROSS_ENCODER_PROVIDER": "voyage"}))
    []
    """
    for variable in sorted(ALIASES & variables.keys()):
        text = variables[variable].strip()
        if variable == _SWITCH:
            chosen = variables.get(_PROVIDER, "").strip() or "auto"
            yield variable, "rerank.provider", chosen if _truth(variable, text) else "none"
        elif variable == _MILLISECONDS:
            yield variable, "rerank.cache_seconds", _seconds(variable, text)
        elif variable != _PROVIDER:
            yield variable, _SAME[variable], text


def _truth(variable: str, text: str) -> bool:
    if text.lower() not in {"true", "false", "1", "0"}:
        raise SettingsError(f"{variable}: expected true or false, not {text!r}.")
    return text.lower() in {"true", "1"}


def _seconds(variable: str, text: str) -> str:
    try:
        return str(float(text) / 1000.0)
    except ValueError:
        raise SettingsError(f"{variable}: expected milliseconds, not {text!r}.") from None
