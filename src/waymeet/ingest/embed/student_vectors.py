"""Approximate vectors of sections that have no true one yet.

A student of the main model predicts them at once for all sections. Then a few hundred sections that represent the
project are embedded first: they show how far the student can be trusted here, and correct it. A true vector replaces
the approximate one of its section.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from time import sleep
from typing import TYPE_CHECKING

from msgspec.structs import replace

from waymeet.analysis.embedded.section_text import chunk_language, embedding_texts
from waymeet.analysis.embedded.space_names import student_space
from waymeet.analysis.embedded.student_state import (
    CORRECTION_KEY,
    STATE_KEY,
    StudentState,
    decode_state,
    encode_state,
)
from waymeet.ingest.embed.batches import vector_problem
from waymeet.ingest.embed.failures import FailedChunks
from waymeet.ports import Embedder, Progress, Store, Student, choose_embedder
from waymeet.types import Chunk, Document

if TYPE_CHECKING:
    from waymeet.ports import Vector

_PORTION = 512
"""Sections predicted and stored at a time."""
_SAMPLE = 10_000
"""Sections at most that those to embed first are chosen from."""
_ALL = 2**31
"""More sections than any index has."""
_WAIT_SECONDS = 0.05
"""Time to wait for further sections while others are being indexed."""
_MIN_MISSING = 2
"""A student is corrected if so many times as many sections as that needs have no vector."""


class StudentVectors:
    """The approximate vectors of an index."""

    def __init__(
        self,
        store: Store,
        embedders: Sequence[Embedder],
        student: Student,
        is_over: Callable[[], bool] | None = None,
    ) -> None:
        """Predict vectors of the first model. `is_over` ends the work after any portion."""
        self._store = store
        self._embedders = embedders
        self._model = embedders[0]
        self._spaces = [embedder.space for embedder in embedders]
        self._space = student_space(self._model.space)
        self._student = student
        self._is_over = is_over or (lambda: False)

    def predict_missing(self, progress: Progress | None = None, is_indexed: Callable[[], bool] = lambda: True) -> None:
        """Predict vectors for the sections that have neither a true nor an approximate one.

        Until `is_indexed`, sections that are added meanwhile are predicted, too. Sections of languages that the main
        model does not support get none, nor those for which it returned none.

        Raises:
            EmbeddingError: the student cannot be used.
        """
        state = self._read_state()
        if state is None or state.version != self._student.version:
            new = encode_state(StudentState(self._student.version))
            self._store.drop_vectors({self._space: None}, {STATE_KEY: new, CORRECTION_KEY: ""})
        self._predict(self._list_until(is_indexed), progress)

    def _list_until(self, is_indexed: Callable[[], bool]) -> Iterator[list[str]]:
        """List the sections without any vector, and those added since, until all are indexed."""
        listed: set[str] = set()
        is_last = False
        while not is_last and not self._is_over():
            is_last = is_indexed()
            new = [chunk for chunk in self._list_missing(self._space) if chunk not in listed]
            listed.update(new)
            if new:
                yield new
            elif not is_last:
                sleep(_WAIT_SECONDS)

    def correct(self, count: int, batch_size: int) -> None:
        """Embed about `count` sections, correct the student by them, and predict the others again.

        It does nothing if few sections are left, or if it was done before.

        Raises:
            EmbeddingError: the model or the student failed.
        """
        state = self._read_state()
        if state is None or not count:
            return
        if state.trust is None and len(self._list_missing()) >= _MIN_MISSING * count:
            texts, vectors = self._embed_sample(count, batch_size)
            if texts and not self._is_over():
                refit = self._student.refit(texts, vectors)
                state = replace(state, trust=refit.trust, is_applied=False)
                self._store.drop_vectors({}, {STATE_KEY: encode_state(state), CORRECTION_KEY: refit.correction})
        if not state.is_applied:
            self._predict(iter([self._list_missing()]))
            if not self._is_over():
                self._store.set_metadata(STATE_KEY, encode_state(replace(state, is_applied=True)))

    def _read_state(self) -> StudentState | None:
        return decode_state(self._store.metadata(STATE_KEY))

    def _list_missing(self, *also: str) -> list[str]:
        """List the sections without a vector in any space of the models and `also`.

        Those for which a model returned no usable vector are left out.
        """
        failed = FailedChunks(self._store).chunk_ids(self._spaces)
        missing = self._store.chunks_without_vector([*self._spaces, *also], _ALL)
        return [chunk for chunk in missing if chunk not in failed]

    def _predict(self, lists: Iterator[list[str]], progress: Progress | None = None) -> None:
        """Predict the sections of lists. The first shows whether a second process pays."""
        chunks = next(lists, [])
        if not chunks:
            return
        student = self._student.correct(self._store.metadata(CORRECTION_KEY))
        read: deque[tuple[list[str], dict[str, str]]] = deque()  # chunks and digests of the portions in progress
        done = 0
        for vectors in student.predict_portions(self._read_portions(chain([chunks], lists), read), len(chunks)):
            ids, digests = read.popleft()
            self._store.put_vectors(self._space, dict(zip(ids, vectors, strict=True)), digests)
            done = min(done + _PORTION, len(chunks))
            if progress:
                progress(done, len(chunks), "approximate vectors")

    def _read_portions(
        self, lists: Iterable[Sequence[str]], read: deque[tuple[list[str], dict[str, str]]]
    ) -> Iterator[Sequence[str]]:
        """Read the texts of chunks portion by portion, and append their ids and digests to `read`."""
        for portion in (
            chunks[first : first + _PORTION] for chunks in lists for first in range(0, len(chunks), _PORTION)
        ):
            if self._is_over():
                return
            texts, digests = self._read_texts(portion)
            read.append((list(texts), digests))
            yield list(texts.values())

    def _read_texts(self, ids: Collection[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Read the texts that the main model embeds, and the digests of their documents, by chunk."""
        with self._store.snapshot():  # chunks and documents must be of the same version
            chunks = self._store.chunks(ids)
            documents = self._store.documents({chunk.document for chunk in chunks.values()})
        own = [chunk for chunk in chunks.values() if self._is_for_model(chunk, documents[chunk.document])]
        return embedding_texts(own, documents), {chunk.id: documents[chunk.document].digest for chunk in own}

    def _is_for_model(self, chunk: Chunk, document: Document) -> bool:
        return choose_embedder(self._embedders, chunk_language(chunk, document)) is self._model

    def _embed_sample(self, count: int, batch_size: int) -> "tuple[list[str], list[Vector]]":
        """Embed sections that represent the project, and return their texts with their vectors.

        Sections that have a vector already take part: the cache has it, so a run after a kill goes on where it stood.
        If few sections are in a language of the model, none is embedded.
        """
        every = self._store.chunks_without_vector([], _ALL)
        texts, digests = self._read_texts(every[:: max(1, -(-len(every) // _SAMPLE))])
        if len(texts) < _MIN_MISSING * count:
            return [], []
        ids = list(texts)
        chosen = [ids[number] for number in self._student.select(list(texts.values()), count)]
        found: dict[str, Vector] = {}
        for first in range(0, len(chosen), batch_size):
            if self._is_over():
                break
            batch = chosen[first : first + batch_size]
            vectors = dict(zip(batch, self._model.embed_passages([texts[chunk] for chunk in batch]), strict=True))
            usable = {id_: each for id_, each in vectors.items() if not vector_problem(each, self._model.dimension)}
            self._store.put_vectors(self._model.space, usable, digests)
            found |= usable
        return [texts[chunk] for chunk in found], list(found.values())
