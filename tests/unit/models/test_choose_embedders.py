"""Which embedders the settings choose, and what choosing them would cost: a key alone chooses and sends nothing."""

from pathlib import Path

import pytest
from support import tiny_models as tiny

from waymeet.errors import EmbeddingError, SettingsError
from waymeet.models.choose_embedders import choose_embedders
from waymeet.models.hashing import HashingEmbedder
from waymeet.models.remote.cost import PRICES, estimate, needs_consent
from waymeet.models.remote.embedder import HttpEmbedder
from waymeet.models.remote.providers import cohere, openai, voyage
from waymeet.settings import Embedding, make_layer

KEYS = {"VOYAGE_API_KEY": "v-key", "OPENAI_API_KEY": "o-key", "COHERE_API_KEY": "c-key"}
LOCAL = ["granite", "multilingual"]


def _spaces(numbers: Embedding, **environment: str) -> list[str]:
    return [each.space for each in choose_embedders(numbers, environment)]


def _families(numbers: Embedding, **environment: str) -> list[str]:
    known = {"granite": "granite", "use": "multilingual"}
    names = [space.partition("-")[0] for space in _spaces(numbers, **environment)]
    return [known.get(name, name) for name in names]


def test_a_key_in_the_environment_chooses_nothing_by_itself() -> None:
    assert _families(Embedding(provider="none"), **KEYS) == []
    assert _families(Embedding(provider="local"), **KEYS) == LOCAL


def test_auto_goes_by_keys_in_a_fixed_order_and_else_stays_here() -> None:
    auto = Embedding(provider="auto", model="left over from another", url="http://left.over/v1", key_variable="X")
    assert _spaces(auto, **KEYS) == ["voyage-voyage-4-1024/1"]
    assert _spaces(auto, COHERE_API_KEY="c", OPENAI_API_KEY="o") == ["openai-text-embedding-3-small-1536/1"]
    assert _spaces(auto, CO_API_KEY="c") == ["cohere-embed-v4.0-1024/1"]
    assert _families(auto, VOYAGE_API_KEY=" ") == _families(auto) == LOCAL


def test_each_provider_gives_one_embedder_that_suits_every_language(tmp_path: Path) -> None:
    folder = tiny.write_folder(tmp_path / "m", "bert", tiny.weights("bert"))
    chosen = [
        Embedding(provider="multilingual"),
        Embedding(provider="hashing", dimension=16),
        Embedding(provider="folder", model=str(folder)),
        Embedding(provider="voyage"),
        Embedding(provider="openai", dimension=256),
        Embedding(provider="cohere"),
        Embedding(provider="compatible", url="http://localhost:11434/v1", model="nomic-embed-text"),
    ]
    spaces = set()
    for numbers in chosen:
        (embedder,) = choose_embedders(numbers, KEYS)
        assert embedder.supports_language("ja")
        assert embedder.supports_language("")
        spaces.add(embedder.space)
    assert len(spaces) == len(chosen)
    granite, multilingual = choose_embedders(Embedding(provider="local"), {})
    assert (granite.supports_language(""), granite.supports_language("ja"), multilingual.supports_language("ja")) == (
        True,
        False,
        True,
    )


def test_what_the_user_sets_reaches_the_provider(tmp_path: Path) -> None:
    numbers = Embedding(
        provider="openai", model="text-embedding-3-large", url="https://gate.example/v1", key_variable="K"
    )
    (embedder,) = choose_embedders(numbers, {"K": "key"})
    assert isinstance(embedder, HttpEmbedder)
    provider = embedder.provider
    assert (provider.url, provider.keys, provider.dimension) == ("https://gate.example/v1/embeddings", ("K",), 3072)
    assert embedder.space != choose_embedders(Embedding(provider="openai", model="text-embedding-3-large"), {})[0].space
    folder = tiny.write_folder(tmp_path / "m", "bert", tiny.weights("bert"))
    plain = Embedding(provider="folder", model=str(folder))
    prefixed = Embedding(provider="folder", model=str(folder), query_prefix="how ")
    assert _spaces(plain) != _spaces(prefixed)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (Embedding(provider="folder"), "model is not set"),
        (Embedding(provider="folder", model="/nowhere/at/all"), "There is no folder"),
        (Embedding(provider="folder", model="some/model"), "no model some/model here"),
        (Embedding(provider="compatible", model="m"), "no server is configured"),
        (Embedding(provider="voyage"), "VOYAGE_API_KEY is not set"),
        (Embedding(provider="cohere", key_variable="MINE"), "MINE is not set"),
    ],
)
def test_one_that_cannot_be_used_says_so_when_it_is_asked(
    numbers: Embedding, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (embedder,) = choose_embedders(numbers, {})
    assert embedder.space
    assert embedder.supports_language("ja")
    for ask in (lambda: embedder.embed_query("x"), lambda: embedder.embed_passages(["x"])):
        with pytest.raises(EmbeddingError, match=message) as caught:
            ask()
        assert caught.value.hint


def test_no_file_of_a_project_may_choose_who_is_sent_its_texts() -> None:
    for key, value in {
        "provider": "compatible",
        "url": "http://evil.example/v1",
        "key_variable": "OPENAI_API_KEY",
    }.items():
        with pytest.raises(SettingsError, match=f"may not set embedding.{key}"):
            make_layer("waymeet.toml", {"embedding": {key: value}}, trusted=False)


def test_what_would_be_paid_is_said_before() -> None:
    texts = ["four words of text " * 100, " \n", "在庫" * 10]
    (paid,) = choose_embedders(Embedding(provider="voyage"), KEYS)
    found = estimate(paid, iter(texts))
    assert (found.provider, found.model, found.texts) == ("voyage", "voyage-4", 2)
    assert found.tokens == 563
    assert found.dollars == pytest.approx(563 * 0.06 / 1e6)
    assert found.sentence().startswith(
        "2 sections, about 563 tokens, would be sent to voyage (voyage-4): less than $0.01 by its"
    )
    (large,) = choose_embedders(Embedding(provider="openai", model="text-embedding-3-large"), KEYS)
    many = estimate(large, texts * 10_000)
    assert (
        "20,000 sections, about 5,630,000 tokens, would be sent to openai (text-embedding-3-large): about $0.73"
        in many.sentence()
    )
    numbers = Embedding()
    assert (needs_consent(found, numbers), needs_consent(many, numbers)) == (False, True)
    assert not needs_consent(many, Embedding(confirm_above_tokens=10_000_000))


def test_a_price_that_is_not_known_is_asked_about_and_one_s_own_server_is_not() -> None:
    texts = ["x" * 4000] * 1000
    own = Embedding(provider="compatible", url="http://localhost:11434/v1", model="m", key_variable="VOYAGE_API_KEY")
    hired = Embedding(provider="compatible", url="https://gpu.example/v1", model="m", key_variable="VOYAGE_API_KEY")
    without = Embedding(provider="compatible", url="http://10.0.0.7:8080/v1", model="m")
    asked = []
    for numbers in (own, hired, without, Embedding(provider="openai", model="unheard-of")):
        found = estimate(choose_embedders(numbers, KEYS)[0], texts)
        asked.append(needs_consent(found, numbers))
        assert ("not known" in found.sentence()) == asked[-1]
    assert asked == [False, True, False, True]
    here = estimate(HashingEmbedder(8), texts)
    assert (here.dollars, here.is_paid, here.provider) == (0.0, False, "")
    assert "on this machine" in here.sentence()


def test_every_usual_model_has_a_price() -> None:
    for provider in (voyage(), openai(), cohere()):
        assert PRICES[provider.name][provider.model] > 0
