"""State of the picker: the answer, the selected hit and the scroll position."""

from collections.abc import Mapping

from msgspec import Struct

from waymeet.types import Answer, Hit


class Found(Struct, frozen=True):
    """An answer with the whole texts of its hits."""

    answer: Answer
    texts: Mapping[str, str]
    """Texts of the sections by id."""


class PickerState:
    """The state of the picker. Only the thread of the interface changes it."""

    def __init__(self) -> None:
        self.found: Found | None = None
        self.selected = 0
        self.scroll: int | None = None
        """First row of the preview; None for the one that shows the first match."""
        self.shows_preview = True
        self.is_searching = False
        self.message = ""
        """An error, or what a key did; shown until the next key."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits of the last answer."""
        return self.found.answer.hits if self.found else ()

    @property
    def hit(self) -> Hit | None:
        """The selected hit."""
        return self.hits[self.selected] if self.hits else None

    @property
    def text(self) -> str:
        """The whole text of the selected hit."""
        if self.hit is None or self.found is None:
            return ""
        return self.found.texts.get(self.hit.id) or "\n".join(section.snippet for section in self.hit.sections)

    def show(self, found: Found | None) -> None:
        """Show another answer, from its first hit on."""
        self.found, self.selected, self.scroll, self.is_searching, self.message = found, 0, None, False, ""

    def fail(self, message: str) -> None:
        """Show an error in place of an answer."""
        self.show(None)
        self.message = message

    def move(self, steps: int) -> None:
        """Select another hit, at most the first or last one."""
        if self.hits:
            self.selected = min(max(self.selected + steps, 0), len(self.hits) - 1)
            self.scroll = None

    def scroll_preview(self, rows: int) -> None:
        """Scroll the preview. The view stops at its end."""
        self.scroll = max((self.scroll or 0) + rows, 0)
