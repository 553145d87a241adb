"""Providers on the network, against a real server in a thread with their formats and with faults."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from waymeet.errors import EmbeddingError
from waymeet.models.remote.embedder import EmbedderLimits, HttpEmbedder
from waymeet.models.remote.http import Clock, RetryPolicy, post
from waymeet.models.remote.providers import Provider, choose_by_keys, cohere, compatible, openai, voyage

KEY = "sk-very-secret-0123456789"
KEYS = {"VOYAGE_API_KEY": KEY, "OPENAI_API_KEY": KEY, "CO_API_KEY": KEY, "MY_KEY": KEY}


@dataclass(frozen=True)
class Reply:
    """The next response; without a body it embeds."""

    status: int = 200
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: Callable[[], object] | None = None


class Server:
    """Records requests; answers with the given replies first, then properly."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.replies: list[Reply] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.length = 4


def _vector(text: str, length: int) -> list[float]:
    return [float(len(text)), *(float(each % 7 + 1) for each in range(length - 1))]


def _answer(path: str, body: dict[str, Any], length: int) -> bytes:
    texts = body["texts"] if path.endswith("/embed") else body["input"]
    vectors = [_vector(text, length) for text in texts]
    if path.endswith("/embed"):
        return json.dumps({"id": "x", "embeddings": {"float": vectors}}).encode()
    listed = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return json.dumps({"object": "list", "data": listed[::-1], "usage": {"total_tokens": 1}}).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.keys.append(self.headers.get("Authorization"))
            reply = state.replies.pop(0) if state.replies else Reply()
            if reply.pause:
                reply.pause()
            content = _answer(self.path, body, state.length) if reply.body is None else reply.body
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(OSError):  # the client may have closed the connection
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Log nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state = Server(f"http://127.0.0.1:{running.server_address[1]}")
    thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield state
    running.shutdown()
    thread.join()
    running.server_close()


class Waiting:
    """A clock that never waits and records the pauses."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.time = 0.0

    def clock(self) -> Clock:
        return Clock(now=lambda: self.time, date=lambda: 1_000_000_000.0, wait=self._wait, chance=lambda: 1.0)

    def _wait(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += seconds


def _at(server: Server, provider: Provider, path: str = "/v1/embeddings") -> Provider:
    return provider._replace(url=server.address + path)


def _embedder(server: Server, waiting: Waiting | None = None, **changes: Any) -> HttpEmbedder:
    provider = _at(server, openai(dimension=4))._replace(**changes)
    return HttpEmbedder(provider, KEYS, EmbedderLimits(query_seconds=30), (waiting or Waiting()).clock())


def _right(vectors: Sequence[np.ndarray], texts: Sequence[str], length: int = 4) -> None:
    for vector, text in zip(vectors, texts, strict=True):
        expected = np.array(_vector(text, length))
        assert vector.dtype == np.float32
        assert np.allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


def test_voyage_is_told_what_a_text_is_for(server: Server) -> None:
    server.length = 1024
    embedder = HttpEmbedder(_at(server, voyage()), KEYS)
    _right(embedder.embed_passages(["one", "three"]), ["one", "three"], 1024)
    _right([embedder.embed_query("why")], ["why"], 1024)
    assert [each["input_type"] for each in server.asked] == ["document", "query"]
    assert server.asked[0] == {
        "input": ["one", "three"],
        "model": "voyage-4",
        "input_type": "document",
        "output_dimension": 1024,
        "truncation": True,
    }
    assert server.keys == [f"Bearer {KEY}"] * 2
    assert (embedder.dimension, embedder.space) == (1024, "voyage-voyage-4-1024/1")


def test_openai_is_asked_for_a_dimension(server: Server) -> None:
    embedder = HttpEmbedder(_at(server, openai(dimension=256)), KEYS)
    server.length = 256
    _right(embedder.embed_passages(["one", "three"]), ["one", "three"], 256)
    asked = {"input": ["one", "three"], "model": "text-embedding-3-small", "encoding_format": "float"}
    assert server.asked == [{**asked, "dimensions": 256}]
    assert openai().dimension == 1536


def test_cohere_has_a_format_of_its_own(server: Server) -> None:
    embedder = HttpEmbedder(_at(server, cohere(dimension=256), "/v2/embed"), KEYS)
    server.length = 256
    _right(embedder.embed_passages(["one", "three"]), ["one", "three"], 256)
    _right([embedder.embed_query("why")], ["why"], 256)
    assert [each["input_type"] for each in server.asked] == ["search_document", "search_query"]
    assert server.asked[0] == {
        "texts": ["one", "three"],
        "model": "embed-v4.0",
        "input_type": "search_document",
        "embedding_types": ["float"],
        "truncate": "END",
        "output_dimension": 256,
    }


def test_models_that_cannot_be_asked_for_a_dimension_are_not(server: Server) -> None:
    HttpEmbedder(_at(server, cohere("embed-english-v3.0"), "/v2/embed"), KEYS).embed_query("why")
    assert "output_dimension" not in server.asked[0]
    server.length = 1536
    HttpEmbedder(_at(server, openai("text-embedding-ada-002")), KEYS).embed_query("why")
    assert "dimensions" not in server.asked[1]
    assert openai("text-embedding-3-large").dimension == 3072
    server.length = 1024
    HttpEmbedder(_at(server, voyage("voyage-law-2")), KEYS).embed_query("why")
    assert "output_dimension" not in server.asked[2]


def test_a_compatible_server_needs_no_key_and_tells_its_dimension(server: Server) -> None:
    plain = compatible(f"{server.address}/v1/", "nomic")
    embedder = HttpEmbedder(plain._replace(query_prefix="query: ", passage_prefix="passage: "), {})
    assert embedder.dimension == 4
    _right(embedder.embed_passages(["one"]), ["passage: one"])
    _right([embedder.embed_query("why")], ["query: why"])
    assert server.keys == [None] * 3
    others = [HttpEmbedder(compatible(f"{server.address}/v1", "other"), {}), HttpEmbedder(plain, {})]
    others += [
        HttpEmbedder(plain, {}, EmbedderLimits(text_chars=100)),
        HttpEmbedder(compatible("http://x/v1", "nomic"), {}),
    ]
    assert len({embedder.space, *(each.space for each in others)}) == 5
    keyed = HttpEmbedder(compatible(f"{server.address}/v1/embeddings", "nomic", key="MY_KEY"), KEYS)
    keyed.embed_query("x")
    assert server.keys[-1] == f"Bearer {KEY}"
    HttpEmbedder(compatible(f"{server.address}/v1", "nomic", 4), {}).embed_query("x")
    assert (server.asked[-1]["dimensions"], "dimensions" in server.asked[-2]) == (4, False)


def test_a_compatible_server_that_does_not_know_the_format_is_asked_without_it(server: Server) -> None:
    server.replies = [Reply(400, b"unknown field: encoding_format")]
    _right([HttpEmbedder(compatible(f"{server.address}/v1", "plain"), {}).embed_query("x")], ["x"])
    assert [sorted(each) for each in server.asked] == [["encoding_format", "input", "model"], ["input", "model"]]


def test_texts_are_sent_in_batches_and_come_back_in_order(server: Server) -> None:
    texts = ["x" * (at % 9 + 1) for at in range(10)]
    _right(_embedder(server, max_texts=4).embed_passages(texts), texts)
    assert [len(each["input"]) for each in server.asked] == [4, 4, 2]
    server.asked.clear()
    _right(_embedder(server, max_bytes=12).embed_passages(texts), texts)
    assert all(sum(map(len, each["input"])) <= 12 for each in server.asked)
    server.asked.clear()
    _embedder(server, text_bytes=12).embed_passages(["y" * 50, "日本語の文章"])
    assert server.asked[0]["input"] == ["y" * 12, "日本語の"]
    short = HttpEmbedder(_at(server, openai(dimension=4)), KEYS, EmbedderLimits(text_chars=5))
    short.embed_passages(["y" * 50])
    assert server.asked[-1]["input"] == ["y" * 5]


def test_a_minute_holds_so_many_requests_and_tokens(server: Server) -> None:
    waiting = Waiting()
    provider = _at(server, openai(dimension=4))._replace(max_texts=1)
    HttpEmbedder(provider, KEYS, EmbedderLimits(requests=3), waiting.clock()).embed_passages(["x"] * 7)
    assert waiting.pauses == [60.0, 60.0]
    waiting.pauses.clear()
    server.asked.clear()
    provider = provider._replace(max_texts=100)
    embedder = HttpEmbedder(provider, KEYS, EmbedderLimits(tokens=10), waiting.clock())
    embedder.embed_passages(["x" * 14] * 5)  # 4 tokens each: two go into a minute
    assert [len(each["input"]) for each in server.asked] == [2, 2, 1]
    assert waiting.pauses == [60.0, 60.0]
    embedder.embed_query("a user waits for the answer to this query, so it is sent at once")
    embedder.embed_passages(["y" * 700])  # more than a minute may hold: it goes alone
    assert waiting.pauses == [60.0, 60.0, 60.0]


def test_texts_of_nothing_are_not_sent(server: Server) -> None:
    vectors = _embedder(server).embed_passages(["", "two", " \n", "\ud800"])
    assert [vectors[at].tolist() for at in (0, 2)] == [[1.0, 0.0, 0.0, 0.0]] * 2
    assert server.asked[0]["input"] == ["two", "?"]
    assert _embedder(server).embed_passages([]) == []


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_names_its_variable_and_is_never_shown(server: Server, status: int) -> None:
    server.replies = [Reply(status, f"bad key {KEY}, go away".encode())]
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY") as caught:
        _embedder(server).embed_query("x")
    assert KEY not in str(caught.value)
    assert len(server.asked) == 1


def test_a_missing_key_names_its_variable() -> None:
    embedder = HttpEmbedder(cohere(), {"OPENAI_API_KEY": KEY})
    assert (embedder.space, embedder.dimension) == ("cohere-embed-v4.0-1024/1", 1024)
    with pytest.raises(EmbeddingError, match="CO_API_KEY or COHERE_API_KEY"):
        embedder.embed_query("x")


@pytest.mark.parametrize("key", ["sk-very\nsecret-01234", "sk-very secret-01234", "sk-very-sécret-01234"])
def test_a_key_that_cannot_be_sent_is_not_shown(server: Server, key: str) -> None:
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY does not hold a key") as caught:
        HttpEmbedder(_at(server, openai(dimension=4)), {"OPENAI_API_KEY": key}).embed_query("x")
    with pytest.raises(EmbeddingError, match="cannot be sent") as deeper:
        post(server.address, {"Authorization": f"Bearer {key}\n"}, b"{}", RetryPolicy(tries=1))
    for error in (caught.value, deeper.value):
        assert "secret" not in f"{error} {error.__cause__}"
    assert server.asked == []


def test_a_key_is_not_sent_unencrypted() -> None:
    with pytest.raises(EmbeddingError, match="unencrypted"):
        HttpEmbedder(compatible("http://example.com/v1", "m", key="MY_KEY"), KEYS).embed_query("x")


def test_no_proxy_is_used_for_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    _right([_embedder(server).embed_query("x")], ["x"])


def test_too_many_requests_are_repeated_when_the_server_says(server: Server) -> None:
    date = "Sun, 09 Sep 2001 01:46:50 GMT"  # ten seconds after the clock's date
    server.replies = [
        Reply(429, b"slow", {"Retry-After": "7"}),
        Reply(429, b"slow", {"Retry-After": date}),
        Reply(429, b"slow", {"Retry-After": "soon"}),
    ]
    waiting = Waiting()
    _right([_embedder(server, waiting).embed_query("x")], ["x"])
    assert waiting.pauses == [7.0, 10.0, 1.0]


def test_a_server_that_wants_too_much_patience_is_left(server: Server) -> None:
    server.replies = [Reply(429, b"come back tomorrow", {"Retry-After": "86400"})]
    waiting = Waiting()
    with pytest.raises(EmbeddingError, match=r"too many requests.*come back tomorrow") as caught:
        _embedder(server, waiting).embed_query("x")
    assert "embedding.requests_per_minute" in caught.value.hint
    assert waiting.pauses == []


def test_a_failing_server_is_asked_again_with_growing_pauses(server: Server) -> None:
    server.replies = [Reply(500, b"oops"), Reply(503), Reply(502), Reply(529)]
    waiting = Waiting()
    _right([_embedder(server, waiting).embed_query("x")], ["x"])
    assert waiting.pauses == [0.25, 0.5, 1.0, 2.0]
    server.replies = [Reply(500, b"\x1b[31moops\n\nagain")] * 5
    with pytest.raises(EmbeddingError, match="HTTP 500") as caught:
        _embedder(server).embed_query("x")
    assert caught.value.message.isprintable()


def test_a_mistake_of_ours_is_not_repeated(server: Server) -> None:
    server.replies = [Reply(400, b'{"error": "no such parameter"}')]
    with pytest.raises(EmbeddingError, match=r"HTTP 400.*no such parameter"):
        _embedder(server).embed_query("x")
    server.replies = [Reply(404, b"")]
    with pytest.raises(EmbeddingError, match="HTTP 404"):
        _embedder(server).embed_query("x")
    assert len(server.asked) == 2


def test_a_redirection_is_not_followed_for_the_key_is_for_one_server(server: Server) -> None:
    server.replies = [Reply(307, b"", {"Location": f"{server.address}/elsewhere"})]
    with pytest.raises(EmbeddingError, match="HTTP 307"):
        _embedder(server).embed_query("x")
    assert len(server.asked) == 1


def test_a_slow_server_is_given_up(server: Server) -> None:
    waiting, ended = Waiting(), Event()
    server.replies = [Reply(pause=lambda: ended.wait(5))] * 5
    quick = EmbedderLimits(query_seconds=0.2, try_seconds=0.05, batch_seconds=10, tries=2)
    embedder = HttpEmbedder(_at(server, openai(dimension=4)), KEYS, quick, waiting.clock())
    with pytest.raises(EmbeddingError, match="timed out"):
        embedder.embed_passages(["x"])
    assert len(server.asked) == 2
    slow = HttpEmbedder(_at(server, openai(dimension=4)), KEYS, EmbedderLimits(query_seconds=0.2), waiting.clock())
    with pytest.raises(EmbeddingError, match=r"timed out|no answer within 0\.2 seconds"):
        slow.embed_query("x")
    ended.set()


def test_a_server_that_is_not_there_is_named() -> None:
    waiting = Waiting()
    nowhere = compatible("http://127.0.0.1:9/v1", "m", 4)
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        HttpEmbedder(nowhere, {}, clock=waiting.clock()).embed_query("x")
    assert len(waiting.pauses) == 4
    for address in ("file:///etc/passwd", "nonsense", "http://user:word@example.com/v1"):
        with pytest.raises(EmbeddingError, match="no usable address") as caught:
            HttpEmbedder(compatible(address, "m", 4), {}).embed_query("x")
        assert "word" not in str(caught.value.message)


def _listed(*vectors: object) -> bytes:
    return json.dumps({"data": [{"index": at, "embedding": each} for at, each in enumerate(vectors)]}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 1, "embedding": [1, 2, 3, 4]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, NaN, 4]}]}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 1e999, 4]}]}',
        _listed([1, 2, None, 4]),
        _listed([1, 2, 3]),
        _listed([1, 2, 3, 4, 5]),
        _listed([0, 0, 0, 0]),
        _listed([1, 2, 3, 4], [1, 2, 3, 4]),
        _listed("AACAPw=="),
    ],
)
def test_an_answer_that_is_not_a_vector_is_refused(server: Server, body: bytes) -> None:
    server.replies = [Reply(body=body)]
    with pytest.raises(EmbeddingError, match="cannot be used"):
        _embedder(server).embed_query("x")


def test_an_answer_without_end_is_refused(server: Server) -> None:
    server.replies = [Reply(body=b" " * 200_000)]
    with pytest.raises(EmbeddingError, match="more than 100,000 bytes"):
        post(server.address, {}, b'{"input": []}', RetryPolicy(max_bytes=100_000))


def test_keys_choose_a_provider_in_a_fixed_order() -> None:
    def named(**environment: str) -> str | None:
        provider = choose_by_keys(environment)
        return provider and provider.name

    assert named() is None
    assert named(COHERE_API_KEY="c") == "cohere"
    assert named(COHERE_API_KEY="c", OPENAI_API_KEY="o") == "openai"
    assert named(OPENAI_API_KEY="o", VOYAGE_API_KEY="v") == "voyage"
    assert named(VOYAGE_API_KEY="") is None
