"""Every client against a real server process that speaks its format: well, refusing, busy, broken, slow, wrong."""

import json
from collections.abc import Iterator
from urllib.request import ProxyHandler, build_opener

import numpy as np
import pytest
from support.embedding_server import LENGTH, vector
from support.subprocess_server import process

from waymeet.errors import EmbeddingError, UnusableVectorError
from waymeet.models.remote.embedder import EmbedderLimits, HttpEmbedder
from waymeet.models.remote.http import Clock
from waymeet.models.remote.providers import Provider, cohere, compatible, openai, voyage, with_url

KEY = "sk-very-secret-0123456789"
KEYS = dict.fromkeys(("VOYAGE_API_KEY", "OPENAI_API_KEY", "CO_API_KEY", "MY_KEY"), KEY)
CLIENTS = ["voyage", "openai", "cohere", "compatible"]
TEXTS = ["one", "three and more", "日本語の文章"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with process("embedding_server.py") as found:
        yield found


class Waits:
    """A clock that never waits and remembers what it was asked to."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.clock = Clock(wait=self.pauses.append, chance=lambda: 1.0)


def _embedder(
    address: str, client: str, manner: str, waits: Waits | None = None, patience: EmbedderLimits | None = None
) -> HttpEmbedder:
    known: dict[str, Provider] = {
        "voyage": voyage("", LENGTH),
        "openai": openai("", LENGTH),
        "cohere": cohere("", LENGTH),
        "compatible": compatible(f"{address}/{manner}/v1", "local", key="MY_KEY"),
    }
    provider = known[client]
    if client != "compatible":
        provider = with_url(provider, f"{address}/{manner}/{'v2' if client == 'cohere' else 'v1'}")
    return HttpEmbedder(provider, KEYS, patience or EmbedderLimits(), (waits or Waits()).clock)


@pytest.mark.parametrize("client", CLIENTS)
def test_texts_become_unit_vectors_in_their_order(address: str, client: str) -> None:
    embedder = _embedder(address, client, "ok")
    found = [*embedder.embed_passages(TEXTS), embedder.embed_query("why")]
    for text, each in zip([*TEXTS, "why"], found, strict=True):
        expected = np.array(vector(text))
        assert np.allclose(each, expected / np.linalg.norm(expected), atol=1e-6)
    assert embedder.dimension == LENGTH
    assert embedder.supports_language("ja")
    with build_opener(ProxyHandler({})).open(f"{address}/asked") as answer:
        asked = [each for each in json.load(answer) if each["manner"] == "ok"]
    assert asked[-1]["key"] == f"Bearer {KEY}"
    assert asked[-1]["path"] == ("v2/embed" if client == "cohere" else "v1/embeddings")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_wrong_key_is_not_repeated_anywhere(address: str, client: str) -> None:
    with pytest.raises(EmbeddingError, match=f"{client} does not accept the key") as caught:
        _embedder(address, client, "unauthorized").embed_query("x")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert "_KEY" in caught.value.hint


@pytest.mark.parametrize("client", CLIENTS)
def test_a_busy_server_is_left_alone_as_long_as_it_says(address: str, client: str) -> None:
    waits = Waits()
    assert len(_embedder(address, client, f"busy-{client}", waits).embed_passages(TEXTS)) == len(TEXTS)
    assert waits.pauses == [7.0, 7.0]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_broken_server_is_tried_five_times(address: str, client: str) -> None:
    waits = Waits()
    with pytest.raises(EmbeddingError, match=rf"{client} answered with an error \(HTTP 500\)"):
        _embedder(address, client, "broken", waits).embed_passages(TEXTS)
    assert waits.pauses == [0.25, 0.5, 1.0, 2.0]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_slow_server_is_not_waited_for(address: str, client: str) -> None:
    with pytest.raises(EmbeddingError, match=r"timed out|no answer within"):
        _embedder(address, client, "slow", patience=EmbedderLimits(query_seconds=0.2)).embed_query("x")


def test_a_server_that_kept_a_question_waiting_in_vain_is_left_alone_for_a_while(address: str) -> None:
    now, pauses = [0.0], list[float]()

    def wait(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    clock = Clock(now=lambda: now[0], wait=wait, chance=lambda: 1.0)
    embedder = HttpEmbedder(compatible(f"{address}/broken/v1", "local", LENGTH), {}, clock=clock)
    for tries in (4, 4, 8):
        with pytest.raises(EmbeddingError, match="HTTP 500"):
            embedder.embed_query("x")
        assert len(pauses) == tries
        now[0] += 20.0


@pytest.mark.parametrize("manner", ["malformed", "longer", "fewer", "nan", "null", "zero", "huge"])
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_not_a_vector_is_refused_with_the_name_of_the_provider(address: str, client: str, manner: str) -> None:
    embedder = _embedder(address, client, manner)
    if client == "compatible" and manner == "longer":  # it says its dimension itself, and may not change it
        embedder = HttpEmbedder(compatible(f"{address}/longer/v1", "local", LENGTH), {})
    with pytest.raises(EmbeddingError, match=f"{client} sent an answer that cannot be used") as caught:
        embedder.embed_passages(TEXTS)
    assert isinstance(caught.value, UnusableVectorError) == (manner in {"null", "zero", "huge"})  # of one text
