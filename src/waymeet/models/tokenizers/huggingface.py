"""Splitting text for models in folders, by the tokenizer.json that lies beside them.

Their tokenizers are of many kinds, so the library of that name does it; it comes with the extra `models`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from waymeet.errors import EmbeddingError
from waymeet.models.local.transformer import Tokens

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_LONGEST = 64  # characters per token that are looked at: no text needs more, and a huge one costs nothing


class Splitter:
    """Turns text into the tokens of one model."""

    def __init__(self, folder: Path, longest: int, *, lower: bool = False) -> None:
        self._tokenizer = _load(folder / "tokenizer.json")
        self._longest = longest
        self._lower = lower
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest, strategy="longest_first")

    def one(self, text: str) -> Tokens:
        """Split a text, with the special tokens that the model expects around it."""
        return _tokens(self._tokenizer.encode(self._clean(text)))

    def two(self, first: str, second: str) -> Tokens:
        """Split two texts that are looked at together; the longer one is cut if both are too long."""
        return _tokens(self._tokenizer.encode(self._clean(first), self._clean(second)))

    def bare(self, text: str, unknown: bool = False) -> list[int]:
        """Split a text without special tokens; unknown words are left out unless wanted."""
        ids: list[int] = self._tokenizer.encode(self._clean(text), add_special_tokens=False).ids
        return ids if unknown else [each for each in ids if each != self._unknown]

    @property
    def _unknown(self) -> int | None:
        name = getattr(self._tokenizer.model, "unk_token", None)
        return self._tokenizer.token_to_id(name) if name else None

    def _clean(self, text: str) -> str:
        text = text[: self._longest * _LONGEST].encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
        return text.lower() if self._lower else text


def _load(path: Path) -> "Tokenizer":
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only models in folders need it
    except ImportError as error:
        raise EmbeddingError(
            "Models in folders need the package tokenizers.", "pip install 'waymeet[models]'"
        ) from error
    if not path.is_file():
        raise EmbeddingError(f"{path.parent} has no tokenizer.json.", "Fetch the model with its fast tokenizer.")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more special than this
        raise EmbeddingError(f"{path} cannot be read: {error}.", "Fetch the model again.") from error
    tokenizer.encode_special_tokens = True  # text is only ever text: </s> in it is a tag of HTML
    return tokenizer


def _tokens(encoded: "Encoding") -> Tokens:
    kinds: list[int] = encoded.type_ids
    return Tokens(encoded.ids, kinds.index(1) if 1 in kinds else None)
