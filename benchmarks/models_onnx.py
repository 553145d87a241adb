"""Run the default model by onnxruntime, with a graph written from the same weights.

Operations are fused, word embeddings are looked up outside of the graph (which then has 43 MB instead of 120), and the
last layer is computed for the first token only, as in our encoder.
"""

from collections.abc import Sequence

import numpy as np
from onnx_writer import FLOAT, INT32, Node, Value, model

from waymeet.models.local.kernels import layer_norm
from waymeet.models.local.matmul import Weight
from waymeet.models.local.transformer import Encoder, Tokens


def write_graph(encoder: Encoder) -> bytes:
    """Write the encoder's layers as an ONNX model.

    Inputs are embedded tokens and lengths, the output is the vectors of the first tokens.
    """
    weights = {"first": np.array(0, dtype=np.int64)}
    nodes: list[Node] = []

    def add(operation: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> str:
        nodes.append(Node(operation, inputs, [output], attributes, domain))
        return output

    hidden, share = "x", np.float32((len(encoder.norm) // encoder.heads) ** 0.5)
    for at, layer in enumerate(encoder.layers):
        own = {name: each.to_matrix() if isinstance(each, Weight) else each for name, each in layer._asdict().items()}
        queries, pairs, queries_bias, pairs_bias = map(own.pop, ("queries", "pairs", "queries_bias", "pairs_bias"))
        own["qkv"] = np.concatenate([queries * share, pairs], axis=1)  # the operation divides by √d itself
        own["qkv_bias"] = np.concatenate([queries_bias * share, pairs_bias])
        weights |= {f"{at}.{name}": np.ascontiguousarray(value) for name, value in own.items()}
        w = {name: f"{at}.{name}" for name in own}
        context = add(
            "Attention",
            [hidden, w["qkv"], w["qkv_bias"], "lengths"],
            f"{at}.c",
            "com.microsoft",
            num_heads=encoder.heads,
        )
        if at + 1 == len(encoder.layers):
            context = add("Gather", [context, "first"], f"{at}.c0", axis=1)
            hidden = add("Gather", [hidden, "first"], f"{at}.h0", axis=1)
        mixed = add("Add", [add("MatMul", [context, w["out"]], f"{at}.o"), w["out_bias"]], f"{at}.ob")
        mixed = add("Add", [mixed, hidden], f"{at}.r")
        kept = add("LayerNormalization", [mixed, w["out_norm"], w["out_shift"]], f"{at}.n", epsilon=encoder.eps)
        wide = add("Add", [add("MatMul", [kept, w["up"]], f"{at}.u"), w["up_bias"]], f"{at}.ub")
        wide = add("Gelu", [wide], f"{at}.g")
        narrow = add("Add", [add("MatMul", [wide, w["down"]], f"{at}.d"), w["down_bias"]], f"{at}.db")
        narrow = add("Add", [narrow, kept], f"{at}.s")
        hidden = add("LayerNormalization", [narrow, w["down_norm"], w["down_shift"]], f"{at}.x", epsilon=encoder.eps)
    inputs = [Value("x", FLOAT, ["texts", "tokens", len(encoder.norm)]), Value("lengths", INT32, ["texts"])]
    return model(nodes, inputs, [Value(hidden, FLOAT, ["texts", len(encoder.norm)])], weights)


class OnnxRival:
    """Runs the graph on batches of texts of similar length, padded."""

    def __init__(self, encoder: Encoder, threads: int) -> None:
        import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - the import is part of what is measured

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._encoder = encoder
        self._session = onnxruntime.InferenceSession(write_graph(encoder), options, providers=["CPUExecutionProvider"])

    def pooled(self, texts: Sequence[Tokens], batch: int = 8) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
        """Return one vector for each text."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at].ids))
        result = np.empty((len(texts), len(self._encoder.norm)), dtype=np.float32)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            lengths = np.array([len(texts[at].ids) for at in chosen], dtype=np.int32)
            x = np.zeros((len(chosen), int(lengths.max()), len(self._encoder.norm)), dtype=np.float32)
            for row, at in enumerate(chosen):
                ids = np.asarray(texts[at].ids)
                x[row, : len(ids)] = self._encoder.words(ids) + self._encoder.positions[: len(ids)]
            flat = x.reshape(-1, x.shape[-1])
            layer_norm(flat, self._encoder.norm, self._encoder.shift, self._encoder.eps)
            result[chosen] = self._session.run(None, {"x": x, "lengths": lengths})[0]
        return result
