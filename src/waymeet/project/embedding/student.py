"""Approximate vectors of a project, until its sections are embedded."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread

from waymeet.errors import EmbeddingError
from waymeet.ports import Embedder, Progress, RunProgress, Store, TimedProgress
from waymeet.project.models import Models
from waymeet.settings import Embedding

_LOADING_DELAY = 0.5
"""Seconds of indexing after which models are loaded beside it."""
_MANY_FILES = 300
"""Files from which the approximate vectors of a run take about a second."""
_NEARLY_ALL = 0.8
"""Part of the files after which the processes that parse have little left to do."""


def predict_vectors(
    models: Models,
    store: Store,
    settings: Embedding,
    progress: Progress | None = None,
    must_stop: Callable[[], bool] | None = None,
) -> str:
    """Give sections without a vector an approximate one, if the model has a student.

    Returns the error of a student that cannot be used, or the empty string.
    """
    student, embedders = models.student(settings), models.chosen(settings)
    if student is None:
        return ""
    from waymeet.ingest.embed import model_switch
    from waymeet.ingest.embed.student_vectors import StudentVectors

    try:
        if model_switch.previous_models(store, embedders) is None and _lacks_vectors(store, embedders):
            StudentVectors(store, embedders, student, must_stop).predict_missing(progress)
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


class _WatchedProgress:
    """A progress display with a function that is called before it."""

    def __init__(self, display: Progress | None, call: Callable[[int, int], None]) -> None:
        self._display = display
        self._call = call

    def __call__(self, done: int, total: int, path: str) -> None:
        self._call(done, total)
        if self._display:
            self._display(done, total, path)

    def show_time(self, progress: RunProgress) -> None:
        """Show the rate and the remaining time."""
        if isinstance(self._display, TimedProgress):
            self._display.show_time(progress)


@contextmanager
def preparing(models: Models, settings: Embedding, progress: Progress | None) -> Iterator[Progress]:
    """Load the student and its model in a thread while a block indexes.

    Indexing often waits for its worker processes. Short runs are over before the thread begins. The block reports its
    progress to the function that it gets: when few of many files are left, the student may use the core of those
    processes. An error is raised again when the models are used.
    """
    is_over, loaded, student = Event(), Event(), None

    def load() -> None:
        nonlocal student
        if is_over.wait(_LOADING_DELAY):
            return
        with suppress(EmbeddingError):
            student = models.student(settings)  # importing numpy takes a tenth of a second
            if student is not None:
                student.predict([])
                models.chosen(settings)[0].embed_query("")
                loaded.set()

    def prepare(done: int, total: int) -> None:
        if loaded.is_set() and total >= _MANY_FILES and done >= _NEARLY_ALL * total:
            loaded.clear()
            if student:
                student.prepare()

    thread = Thread(target=load, daemon=True)
    thread.start()
    try:
        yield _WatchedProgress(progress, prepare)
    except BaseException:
        if student:
            student.release()
        raise
    finally:
        is_over.set()
        thread.join()


def _lacks_vectors(store: Store, embedders: Sequence[Embedder]) -> bool:
    from waymeet.ingest.embed.failures import count_failed_chunks

    spaces = [embedder.space for embedder in embedders]
    embedded, chunks = store.coverage(spaces)
    return embedded + count_failed_chunks(store, spaces) < chunks
