"""Approximate vectors of a project, until its sections are embedded."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event, Thread

from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, Progress, RunProgress, Store, TimedProgress
from waymeet.project.models import Models
from waymeet.settings import Embedding

_LOADING_DELAY = 0.5
"""Seconds of indexing after which models are loaded beside it."""
_MANY_FILES = 300
"""Files from which the approximate vectors of a run take about a second."""
_CHECK_SECONDS = 0.05
_BEGIN_SHARE = 0.4
"""Part of the files after which prediction begins beside indexing."""


def predict_vectors(
    models: Models,
    store: Store,
    settings: Embedding,
    progress: Progress | None = None,
    must_stop: Callable[[], bool] | None = None,
    *,
    is_indexed: Callable[[], bool] = lambda: True,
) -> str:
    """Give sections without a vector an approximate one, if the model has a student.

    Until `is_indexed`, further sections are added. Returns the error of a student that cannot be used, or the empty
    string.
    """
    student, embedders = models.student(settings), models.chosen(settings)
    if student is None:
        return ""
    from waymeet.ingest.embed import model_switch
    from waymeet.ingest.embed.student_vectors import StudentVectors

    try:
        if model_switch.previous_models(store, embedders) is None and _lacks_vectors(store, embedders):
            StudentVectors(store, embedders, student, must_stop).predict_missing(progress, is_indexed)
    except EmbeddingError as error:
        return f"No approximate vectors: {error.message} {error.hint}".rstrip()
    finally:
        student.release()
    return ""


def correct_student(
    models: Models, store: Store, settings: Embedding, must_stop: Callable[[], bool] | None = None
) -> str:
    """Predict vectors, and correct the student by true vectors of a few hundred sections.

    Returns the error of a student that cannot be used, or the empty string.
    """
    problem = predict_vectors(models, store, settings, None, must_stop)
    student = models.student(settings)
    if student is None or problem:
        return problem
    from waymeet.ingest.embed.student_vectors import StudentVectors

    vectors = StudentVectors(store, models.chosen(settings), student, must_stop)
    try:
        vectors.correct(settings.student_sections, settings.batch_chunks)
    except EmbeddingError as error:
        return f"The approximate vectors were not corrected: {error.message} {error.hint}".rstrip()
    return ""


class EarlyPrediction:
    """Prediction of approximate vectors in a thread while sections are still being indexed.

    Indexing often waits for its worker processes. First the student and its model are loaded; short runs are over
    before that. When some of many files are indexed, their sections are predicted, then those that follow.
    """

    def __init__(self, models: Models, store: Store, settings: Embedding, progress: Progress | None) -> None:
        self._models = models
        self._store = store
        self._settings = settings
        self._progress = progress
        self._may_begin, self._is_indexed, self._is_cancelled = Event(), Event(), Event()
        self._problem: str | None = None
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def __call__(self, done: int, total: int, path: str) -> None:
        """Take the progress of indexing, and pass it on."""
        if total >= _MANY_FILES and done >= _BEGIN_SHARE * total:
            self._may_begin.set()
        if self._progress:
            self._progress(done, total, path)

    def show_time(self, progress: RunProgress) -> None:
        """Show the rate and the remaining time."""
        if isinstance(self._progress, TimedProgress):
            self._progress.show_time(progress)

    def finish(self) -> str:
        """Predict what is left after indexing, and return the error of an unusable student."""
        self._is_indexed.set()
        self._thread.join()
        if self._error:
            raise self._error
        if self._problem is not None:
            return self._problem
        return predict_vectors(self._models, self._store, self._settings, self._progress)

    def cancel(self) -> None:
        """End prediction after the portion in progress."""
        self._is_cancelled.set()
        self._is_indexed.set()
        self._thread.join()

    def _run(self) -> None:
        if self._is_indexed.wait(_LOADING_DELAY) or not self._load():
            return
        while not self._may_begin.wait(_CHECK_SECONDS):
            if self._is_indexed.is_set():
                return
        if self._is_indexed.is_set():
            return
        try:
            student = self._models.student(self._settings)
            if student is not None:
                student.prepare()
            arguments = (self._models, self._store, self._settings, None, self._is_cancelled.is_set)
            self._problem = predict_vectors(*arguments, is_indexed=self._is_indexed.is_set)
        except BaseException as error:  # noqa: BLE001 - raised again by `finish`
            self._error = error

    def _load(self) -> bool:
        """Load the student and its model. An error is raised again when the models are used."""
        with suppress(EmbeddingError):
            student = self._models.student(self._settings)  # importing numpy takes a tenth of a second
            if student is not None:
                student.predict([])
                self._models.chosen(self._settings)[0].embed_query("")
                return True
        return False


def _lacks_vectors(store: Store, embedders: Sequence[Embedder]) -> bool:
    from waymeet.ingest.embed.failures import count_failed_chunks

    spaces = [embedder.space for embedder in embedders]
    embedded, chunks = store.coverage(spaces)
    return embedded + count_failed_chunks(store, spaces) < chunks
