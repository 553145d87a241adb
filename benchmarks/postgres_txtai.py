"""txtai on the server of the PostgreSQL benchmark, in an interpreter of its own: commands in JSON, a line each.

    TXTAI_PYTHON postgres_txtai.py DSN FOLDER

The folder has `texts.json` and `vectors.npy`, and likewise `queries.json` and `query_vectors.npy`. Vectors come from
these files, so no model is needed. Each answer has the processor time that it took here.
"""

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from txtai import Embeddings  # type: ignore[import-not-found]


def load(folder: Path, texts: str, vectors: str) -> tuple[list[str], Any]:
    """Load texts with their vectors."""
    return json.loads((folder / texts).read_text(encoding="utf-8")), np.load(folder / vectors)


def main() -> None:
    """Index on the first command, then answer queries, given by number."""
    dsn, folder = sys.argv[1], Path(sys.argv[2])
    url = dsn.replace("postgresql://", "postgresql+psycopg2://")
    texts, vectors = load(folder, "texts.json", "vectors.npy")
    queries, query_vectors = load(folder, "queries.json", "query_vectors.npy")
    known = dict(zip([*texts, *queries], [*vectors, *query_vectors], strict=True))
    embeddings = Embeddings(
        {
            "method": "external",
            "transform": lambda batch: np.stack([known[text] for text in batch]),
            "backend": "pgvector",
            "pgvector": {"url": url, "schema": "txtai", "precision": "half"},
            "scoring": {"method": "pgtext", "url": url, "schema": "txtai", "language": "english", "normalize": True},
        }
    )
    for line in sys.stdin:
        command, started = json.loads(line), process_time()
        if command == "index":
            embeddings.index((number, text, None) for number, text in enumerate(texts))
            found: list[Any] = []
        else:
            found = embeddings.search(queries[command], 10)
        print(json.dumps({"processor": process_time() - started, "hits": len(found)}), flush=True)


if __name__ == "__main__":
    main()
