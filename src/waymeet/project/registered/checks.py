"""Comparison of the files of several projects with their indexes."""

import logging
from threading import Lock
from time import monotonic

from waymeet.errors import WaymeetError
from waymeet.project.project import Project
from waymeet.types import Degraded

_LOG = logging.getLogger(__name__)
SEARCH_SECONDS = 2.0
"""Age of a check from which on the files of a project are compared again before it is searched."""
ESTIMATE_SECONDS = 60.0
"""The same before its relevance is estimated, to choose the projects that are searched."""
_LATER_SECONDS = 10.0
"""Age of a check from which on they are compared after an answer, for the next query."""


class FileChecks:
    """When the index of each project was last known to be up to date. Threads may share it."""

    def __init__(self) -> None:
        self._checked: dict[str, float] = {}
        self._running: set[str] = set()
        self._lock = Lock()

    def age(self, id_: str) -> float:
        """Give the seconds since the index of a project was last up to date."""
        return monotonic() - self._checked.get(id_, float("-inf"))

    def note(self, id_: str, degraded: tuple[Degraded, ...]) -> None:
        """Note that a project was checked, with what its index lacks."""
        if not any(each.stage == "freshness" for each in degraded):
            self._checked[id_] = monotonic()

    def run(self, id_: str, project: Project, seconds: bool | float = True, query: str = "") -> tuple[Degraded, ...]:
        """Index the changed files of a project within some seconds, and report what its index lacks."""
        _, degraded = project.refreshed_store(refresh=seconds, query=query)
        self.note(id_, degraded)
        return degraded

    def is_due(self, id_: str) -> bool:
        """Tell whether a check after the answer is due, and note that it will be run."""
        with self._lock:
            if id_ in self._running or self.age(id_) < _LATER_SECONDS:
                return False
            self._running.add(id_)
            return True

    def run_quietly(self, id_: str, project: Project) -> None:
        """Run a check after the answer. The next search reports what makes it fail."""
        try:
            self.run(id_, project)
        except WaymeetError as error:
            _LOG.debug("the files of %s were not compared: %s", project.root, error)
        finally:
            with self._lock:
                self._running.discard(id_)
