"""A process with the formats of Voyage, Cohere, Jina-like servers and OpenAI, and with their refusals.

Requests are checked against the providers' references (as of November 2026): an unknown or missing field, a missing
key or a temperature that a model does not take is an error here as it is there. `python model_process.py` prints the
port it listens on.
"""

import json
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from typing import Any

KEY = "Bearer sk-of-the-process-0123456789"


class Wrong(Exception):  # noqa: N818 - a reply
    """The response of a provider to an invalid request."""

    def __init__(self, status: int, body: object) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


def fit(query: str, text: str) -> float:
    """Score a text by the part of the question's words that it has, a little below 1 and above 0."""
    words = query.lower().split()
    return round(0.02 + 0.96 * sum(word in text.lower() for word in words) / len(words), 4)


def check_fields(body: dict[str, Any], needed: set[str], allowed: set[str], wrap: Callable[[str], object]) -> None:
    """Refuse a request that misses a field or has one that is not known."""
    unknown, missing = body.keys() - needed - allowed, needed - body.keys()
    if unknown or missing:
        raise Wrong(400 if unknown else 422, wrap(f"unknown {sorted(unknown)}, missing {sorted(missing)}"))


def ranked(body: dict[str, Any], most: int | None) -> list[dict[str, Any]]:
    """Rank the documents of a request, the best first."""
    scores = [{"index": at, "relevance_score": fit(body["query"], text)} for at, text in enumerate(body["documents"])]
    return sorted(scores, key=lambda each: -each["relevance_score"])[:most]


def voyage(body: dict[str, Any]) -> object:
    """Answer as api.voyageai.com/v1/rerank."""
    check_fields(
        body,
        {"query", "documents", "model"},
        {"top_k", "return_documents", "truncation"},
        lambda message: {"detail": f"Argument error: {message}"},
    )
    results = ranked(body, body.get("top_k"))
    return {"object": "list", "data": results, "model": body["model"], "usage": {"total_tokens": 42}}


def cohere(body: dict[str, Any]) -> object:
    """Answer as api.cohere.com/v2/rerank."""
    check_fields(
        body,
        {"model", "query", "documents"},
        {"top_n", "max_tokens_per_doc", "priority"},
        lambda message: {"id": "1", "message": message},
    )
    units = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
    return {"id": "1", "results": ranked(body, body.get("top_n")), "meta": units}


def jina(body: dict[str, Any]) -> object:
    """Answer as Jina and vLLM do, texts included; the model `logits` as llama.cpp does, in the order of the texts."""
    check_fields(
        body,
        {"model", "query", "documents"},
        {"top_n", "return_documents"},
        lambda message: {"error": {"message": message, "type": "BadRequestError", "code": 400}},
    )
    results = ranked(body, body.get("top_n"))
    if body["model"] == "logits":
        results = [
            {**each, "relevance_score": log(each["relevance_score"] / (1 - each["relevance_score"]))}
            for each in sorted(results, key=lambda each: int(each["index"]))
        ]
        return {"model": "logits", "object": "list", "usage": {"total_tokens": 42}, "results": results}
    texts = [{**each, "document": {"text": body["documents"][each["index"]]}} for each in results]
    return {"id": "rerank-1", "model": body["model"], "usage": {"total_tokens": 42}, "results": texts}


def openai(body: dict[str, Any]) -> object:
    """Answer as api.openai.com/v1/chat/completions; models called `gpt-5…` accept only the default temperature."""
    check_fields(
        body,
        {"model", "messages"},
        {"temperature", "stream", "response_format", "max_completion_tokens", "seed"},
        lambda message: {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}},
    )
    if body["model"].startswith("gpt-5") and body.get("temperature", 1) != 1:
        refusal = (
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is used."
        )
        error = {
            "message": refusal,
            "type": "invalid_request_error",
            "param": "temperature",
            "code": "unsupported_value",
        }
        raise Wrong(400, {"error": error})
    material = json.loads(body["messages"][-1]["content"])
    if "texts" in material:
        reply: object = {
            "scores": {number: fit(material["question"], text) for number, text in material["texts"].items()}
        }
    else:
        reply = {"wordings": ["signing keys", "key rotation"][: material["number"]]}
    message: dict[str, object] = {"role": "assistant", "content": json.dumps(reply), "refusal": None, "annotations": []}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 9, "total_tokens": 29},
        "service_tier": "default",
    }


PROVIDERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "/voyage/v1/rerank": voyage,
    "/cohere/v2/rerank": cohere,
    "/v1/rerank": jina,
    "/v1/chat/completions": openai,
}


class Handler(BaseHTTPRequestHandler):
    """Answers requests; the models `busy`, `broken`, `garbled` and `slow` have these faults."""

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self._reply(200, self._answered(body))
        except Wrong as wrong:
            self._reply(wrong.status, wrong.body)

    def _answered(self, body: dict[str, Any]) -> object:
        if self.headers.get("Authorization") != KEY:
            raise Wrong(401, {"error": {"message": "Incorrect API key provided."}})
        if self.path not in PROVIDERS:
            raise Wrong(404, {"detail": "Not Found"})
        match body.get("model"):
            case "busy":
                raise Wrong(429, {"message": "Please slow down."})
            case "broken":
                raise Wrong(500, {"message": "internal error"})
            case "garbled":
                return "�"
            case "slow":
                time.sleep(1.0)
        return PROVIDERS[self.path](body)

    def _reply(self, status: int, body: object) -> None:
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Log nothing."""


if __name__ == "__main__":
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        sys.stdout.write(f"{server.server_address[1]}\n")
        sys.stdout.flush()
        server.serve_forever()
