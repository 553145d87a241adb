"""Who is asked: only whom the user chose; the guard before slow rerankers; what is remembered, and for how long."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.model_server import serving

from waymeet.errors import CircuitOpenError, ModelError, SettingsError
from waymeet.models.choose_rerankers import choose_expander, choose_models, choose_reranker
from waymeet.models.expanders import TtlCache
from waymeet.models.rerank.circuit_breaker import GuardedReranker
from waymeet.settings import Expand, Rerank, Settings, resolve
from waymeet.settings.sources import from_environment, from_project

KEYS = {"VOYAGE_API_KEY": "voyage-key-123", "COHERE_API_KEY": "cohere-key-456", "OPENAI_API_KEY": "openai-key-789"}


class Slow:
    """A reranker that takes a given time, by the clock of the test."""

    name = "slow"

    def __init__(self) -> None:
        self.now = 1000.0
        self.takes = 0.0
        self.calls = 0
        self.fails = False

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.calls += 1
        self.now += self.takes
        if self.fails:
            raise ModelError("broken")
        return [0.5 for _ in texts]


def guarded(inner: Slow, threshold: float = 0.5) -> GuardedReranker:
    return GuardedReranker(inner, threshold, Rerank(), lambda: inner.now)


def ask(reranker: GuardedReranker, times: int = 1) -> None:
    for _ in range(times):
        assert list(reranker.score("q", ["t"])) == [0.5]


def test_nineteen_slow_calls_are_too_few_to_judge_and_the_twentieth_switches_off_for_a_minute() -> None:
    inner = Slow()
    reranker = guarded(inner)
    inner.takes = 0.6
    ask(reranker, 20)
    with pytest.raises(CircuitOpenError, match="60 more seconds") as caught:
        ask(reranker)
    assert "rerank.p95_ms" in caught.value.hint
    assert inner.calls == 20
    inner.now += 59.5
    with pytest.raises(CircuitOpenError):
        ask(reranker)
    inner.now += 0.5
    inner.takes = 0.1
    ask(reranker, 50)
    assert inner.calls == 70


def test_a_reranker_that_is_still_slow_after_its_rest_rests_again() -> None:
    inner = Slow()
    reranker = guarded(inner)
    inner.takes = 0.6
    ask(reranker, 20)
    inner.now += 60.0
    ask(reranker)
    with pytest.raises(CircuitOpenError):
        ask(reranker)
    assert inner.calls == 21


def test_one_slow_call_in_twenty_is_tolerated_and_two_are_not() -> None:
    inner = Slow()
    reranker = guarded(inner)
    for takes in (*[0.1] * 19, 9.0):
        inner.takes = takes
        ask(reranker)
    inner.takes = 9.0
    ask(reranker)
    with pytest.raises(CircuitOpenError):
        ask(reranker)


def test_only_the_last_hundred_calls_count() -> None:
    inner = Slow()
    reranker = guarded(inner)
    for takes in (*[0.1] * 200, *[0.6] * 5):
        inner.takes = takes
        ask(reranker)
    ask(reranker)  # six of the last hundred
    with pytest.raises(CircuitOpenError):
        ask(reranker)


def test_failures_count_by_the_time_they_take() -> None:
    inner = Slow()
    reranker = guarded(inner)
    inner.takes, inner.fails = 10.0, True
    for _ in range(20):
        with pytest.raises(ModelError, match="broken"):
            reranker.score("q", ["t"])
    with pytest.raises(CircuitOpenError):
        reranker.score("q", ["t"])


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    memory: TtlCache[int] = TtlCache(300.0, 2)
    memory["a"] = 1
    memory["b"] = 2
    assert memory["a"] == 1
    memory["c"] = 3
    assert dict(memory) == {"a": 1, "c": 3}
    del memory["a"]
    assert list(memory) == ["c"]


def test_a_key_in_the_environment_chooses_nothing() -> None:
    assert choose_reranker(Rerank(), KEYS) is None
    assert choose_expander(Expand(), KEYS) is None
    assert choose_models(Settings().rerank, Settings().expand) == (None, None, None)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("VOYAGE_API_KEY", "COHERE_API_KEY"), "Voyage rerank-2"),
        (("COHERE_API_KEY", "OPENAI_API_KEY"), "Cohere rerank-v3.5"),
        (("OPENAI_API_KEY",), None),
        ((), None),
    ],
)
def test_auto_chooses_by_keys(keys: tuple[str, ...], expected: str | None) -> None:
    numbers = Rerank(provider="auto", url="https://elsewhere.example", model="other", key_variable="OTHER")
    reranker = choose_reranker(numbers, {name: KEYS[name] for name in keys})
    assert (reranker.name if reranker else None) == expected


def test_auto_without_keys_takes_the_local_model_if_there_is_one(tmp_path: Path) -> None:
    reranker = choose_reranker(Rerank(provider="auto", model=str(tmp_path)), {})
    assert reranker is not None
    with pytest.raises(ModelError):  # an empty folder is no model, and says so when it is asked
        reranker.score("q", ["t"])


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (Rerank(provider="voyage"), "VOYAGE_API_KEY is not set"),
        (Rerank(provider="cohere"), "COHERE_API_KEY or CO_API_KEY is not set"),
        (Rerank(provider="endpoint"), "no server is configured"),
        (Rerank(provider="chat", url="https://x.example/v1"), "no server is configured"),
        (Rerank(provider="chat", url="https://x.example/v1", model="m", key_variable="MINE"), "MINE is not set"),
        (Rerank(provider="local"), "model is not set"),
    ],
)
def test_a_choice_that_cannot_be_used_says_so_when_it_is_asked(numbers: Rerank, message: str) -> None:
    reranker = choose_reranker(numbers, {})
    assert reranker is not None
    with pytest.raises(ModelError, match=message):
        reranker.score("q", ["t"])


def test_an_expander_that_cannot_be_used_says_so_when_it_is_asked() -> None:
    expander = choose_expander(Expand(provider="chat", model="m"), {})
    assert expander is not None
    with pytest.raises(ModelError, match="no server is configured"):
        expander.expand("q", 2)


def test_a_server_gets_no_key_unless_its_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving() as server:
        for variable in ("", "OPENAI_API_KEY"):
            numbers = Rerank(provider="endpoint", url=server.url, model="m", key_variable=variable)
            reranker = choose_reranker(numbers, KEYS)
            assert reranker is not None
            reranker.score("q", ["t"])
        assert server.keys == [None, "Bearer openai-key-789"]
        assert server.paths == ["/v1/rerank", "/v1/rerank"]


def test_a_project_may_not_choose_who_is_asked(tmp_path: Path) -> None:
    for line in ('rerank.url = "https://evil.example"', 'expand.provider = "chat"', "rerank.candidates = 100"):
        (tmp_path / "waymeet.toml").write_text(f"{line}\n")
        with pytest.raises(SettingsError, match="may not set"):
            from_project(tmp_path)


def test_older_names_of_variables_are_understood() -> None:
    variables = {
        "WAYMEET_ENABLE_CROSS_ENCODER": "true",
        "WAYMEET_CROSS_ENCODER_PROVIDER": "cohere",
        "WAYMEET_MAX_RERANK_CANDIDATES": "30",
        "WAYMEET_RERANK_P95_THRESHOLD": "700",
        "WAYMEET_RERANK_CACHE_TTL": "60000",
        "WAYMEET_RERANK_CACHE_SIZE": "7",
        "WAYMEET_ENABLE_RRF_FUSION": "false",
        "WAYMEET_ENABLE_BM25": "false",
        "WAYMEET_ENABLE_FUZZY_MATCH": "false",
    }
    settings = resolve(from_environment(variables))
    rerank = settings.rerank
    assert (rerank.provider, rerank.candidates, rerank.p95_ms) == ("cohere", 30, 700.0)
    assert (rerank.cache_seconds, rerank.cache_entries) == (60.0, 7)
    assert (settings.memory.rrf, settings.memory.lexical, settings.understand.fuzzy) == (False, False, False)


def test_our_own_names_win_over_older_ones_and_the_switch_alone_decides() -> None:
    both = {"WAYMEET_RERANK_CACHE_TTL": "1000", "WAYMEET_RERANK_CACHE_SECONDS": "9"}
    assert resolve(from_environment(both)).rerank.cache_seconds == 9.0
    assert resolve(from_environment({"WAYMEET_CROSS_ENCODER_PROVIDER": "voyage"})).rerank.provider == "none"
    off = {"WAYMEET_ENABLE_CROSS_ENCODER": "false", "WAYMEET_CROSS_ENCODER_PROVIDER": "voyage"}
    assert resolve(from_environment(off)).rerank.provider == "none"


@pytest.mark.parametrize(
    "variables",
    [
        {"WAYMEET_ENABLE_CROSS_ENCODER": "perhaps"},
        {"WAYMEET_RERANK_CACHE_TTL": "soon"},
        {"WAYMEET_ENABLE_CROSS_ENCODER": "1", "WAYMEET_CROSS_ENCODER_PROVIDER": "magic"},
        {"WAYMEET_MAX_RERANK_CANDIDATES": "101"},
    ],
)
def test_a_wrong_value_of_an_older_name_is_an_error(variables: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        from_environment(variables)
