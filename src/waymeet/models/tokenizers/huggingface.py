"""Tokenizers of models in folders, by the package `tokenizers` (extra `models`)."""

from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError
from waymeet.models.local.transformer import Tokens

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_MAX_CHARS_PER_TOKEN = 64  # bounds the cost of a huge text, of which only the first tokens are used


class Splitter:
    """Encodes text as the tokens of one model."""

    def __init__(self, folder: Path, max_tokens: int, *, is_lowercase: bool = False) -> None:
        self._tokenizer = _load(folder / "tokenizer.json")
        self._max_tokens = max_tokens
        self._is_lowercase = is_lowercase
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens, strategy="longest_first")

    def encode(self, text: str) -> Tokens:
        """Encode a text with the special tokens of the model."""
        return _to_tokens(self._tokenizer.encode(self._clean(text)))

    def encode_pair(self, first: str, second: str) -> Tokens:
        """Encode a pair of texts.

        The longer one is truncated if both are too long.
        """
        return _to_tokens(self._tokenizer.encode(self._clean(first), self._clean(second)))

    def encode_known_words(self, text: str) -> list[int]:
        """Encode a text without special tokens and without unknown words."""
        ids: list[int] = self._tokenizer.encode(self._clean(text), add_special_tokens=False).ids
        name = getattr(self._tokenizer.model, "unk_token", None)
        unknown = self._tokenizer.token_to_id(name) if name else None
        return [token for token in ids if token != unknown]

    def _clean(self, text: str) -> str:
        """Truncate a text and replace lone surrogates."""
        text = text[: self._max_tokens * _MAX_CHARS_PER_TOKEN].encode("utf-8", "replace").decode("utf-8")
        return text.lower() if self._is_lowercase else text


def _load(path: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only models in folders need it
    except ImportError as error:
        raise EmbeddingError(
            "Models in folders need the package tokenizers.", "pip install 'waymeet[models]'"
        ) from error
    if not path.is_file():
        raise EmbeddingError(f"{path.parent} has no tokenizer.json.", "Download the model with its fast tokenizer.")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more specific
        raise EmbeddingError(f"{path} cannot be read: {error}.", "Download the model again.") from error
    tokenizer.encode_special_tokens = True  # in a text, </s> is an HTML tag and no special token
    return tokenizer


def _to_tokens(encoding: "Encoding") -> Tokens:
    kinds: list[int] = encoding.type_ids
    return Tokens(encoding.ids, kinds.index(1) if 1 in kinds else None)
