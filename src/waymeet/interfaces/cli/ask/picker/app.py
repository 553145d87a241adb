"""The picker on the terminal: keys, search in a thread, and drawing, by prompt_toolkit."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.output import Output
from prompt_toolkit.utils import get_cwidth

from waymeet.errors import WaymeetError
from waymeet.interfaces.cli.ask.picker.clipboard import copy_text
from waymeet.interfaces.cli.ask.picker.state import Found, PickerState
from waymeet.interfaces.cli.ask.picker.view import screen_lines, status_line
from waymeet.interfaces.render.text import Line, escape_control, to_single_line
from waymeet.types import Hit

SearchFunction = Callable[[str], Found]
"""Answers a query; called in a thread."""

_DEBOUNCE_SECONDS = 0.08
"""Pause in typing before a search."""
_ESCAPE_SECONDS = 0.05
"""Time in which further bytes after Escape make it another key."""
_OTHER_ROWS = 2
"""Rows of the screen for the query and the status."""
_STYLES = {
    "bold": "bold",
    "dim": "fg:ansibrightblack",
    "red": "fg:ansired",
    "green": "fg:ansigreen",
    "yellow": "fg:ansiyellow",
    "cyan": "fg:ansicyan",
    "reverse": "reverse",
}


class Picker:
    """A search with results while typing. Run it with `run`."""

    def __init__(
        self,
        search: SearchFunction,
        text: str = "",
        *,
        debounce: float = _DEBOUNCE_SECONDS,
        terminal_input: Input | None = None,
        terminal_output: Output | None = None,
    ) -> None:
        self.state = PickerState()
        self._search = search
        self._debounce = debounce
        self._request = 0
        """Number of the last request; answers to earlier ones are dropped."""
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="waymeet-picker")
        self.buffer = Buffer(
            document=Document(text, len(text)), multiline=False, on_text_changed=lambda _: self._request_search()
        )
        self.app: Application[Hit | None] = Application(
            layout=Layout(self._layout()),
            key_bindings=self._keys(),
            full_screen=True,
            input=terminal_input,
            output=terminal_output,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = _ESCAPE_SECONDS

    async def run_async(self) -> Hit | None:
        """Run until a hit is chosen, and return it, or None if the user left."""
        try:
            return await self.app.run_async(pre_run=self._request_search)
        finally:
            self._request += 1
            self._pool.shutdown(wait=True, cancel_futures=True)

    def run(self) -> Hit | None:
        """Run until a hit is chosen, and return it, or None if the user left."""
        return asyncio.run(self.run_async())

    def _layout(self) -> HSplit:
        query = VSplit(
            [
                Window(FormattedTextControl([("bold fg:ansigreen", "search › ")]), width=9, height=1),
                Window(BufferControl(self.buffer), height=1),
            ]
        )
        body = Window(FormattedTextControl(self._draw_body, focusable=False), wrap_lines=False)
        status = Window(FormattedTextControl(self._draw_status, focusable=False), height=1, wrap_lines=False)
        return HSplit([query, body, status])

    def _draw_body(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        rows = max(size.rows - _OTHER_ROWS, 0)
        return _to_fragments(screen_lines(self.state, size.columns, rows, get_cwidth))

    def _draw_status(self) -> StyleAndTextTuples:
        return _to_fragments([status_line(self.state, self.app.output.get_size().columns, get_cwidth)])

    def _request_search(self) -> None:
        """Search for the typed text after a pause, unless more is typed meanwhile."""
        self._request += 1
        self.state.message = ""
        if not self.buffer.text.strip():
            self.state.show(None)
            return
        self.state.is_searching = True
        self.app.create_background_task(self._search_later(self._request, self.buffer.text))

    async def _search_later(self, request: int, text: str) -> None:
        await asyncio.sleep(self._debounce)
        if request != self._request:
            return
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self._pool, self._search_unless_stale, request, text
            )
        except WaymeetError as error:
            if request == self._request:
                self.state.fail(to_single_line(str(error)))
        except Exception as error:  # noqa: BLE001 - reported by the command line, after the terminal is restored
            self.app.exit(exception=error)
        else:
            if found is not None and request == self._request:
                self.state.show(found)
        self.app.invalidate()

    def _search_unless_stale(self, request: int, text: str) -> Found | None:
        return self._search(text) if request == self._request else None

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        def bind(names: str, action: Callable[[], None]) -> None:
            def run_action(_event: KeyPressEvent) -> None:
                self.state.message = ""
                action()

            for name in names.split():
                keys.add(name, eager=True)(run_action)

        bind("up c-p", lambda: self.state.move(-1))
        bind("down c-n", lambda: self.state.move(1))
        bind("pageup", lambda: self.state.scroll_preview(-self._page()))
        bind("pagedown", lambda: self.state.scroll_preview(self._page()))
        bind("tab", self._toggle_preview)
        bind("enter", self._choose)
        bind("c-y", self._copy)
        bind("escape c-c c-g", lambda: self.app.exit(result=None))
        bind("c-d", lambda: None if self.buffer.text else self.app.exit(result=None))
        return keys

    def _page(self) -> int:
        return max(self.app.output.get_size().rows // 3, 1)

    def _toggle_preview(self) -> None:
        self.state.shows_preview = not self.state.shows_preview

    def _choose(self) -> None:
        if self.state.hit is not None:
            self.app.exit(result=self.state.hit)

    def _copy(self) -> None:
        if self.state.hit is not None:
            self.app.create_background_task(self._copy_later(self.state.hit.id))

    async def _copy_later(self, citation: str) -> None:
        written: list[str] = []
        how = await asyncio.get_running_loop().run_in_executor(None, copy_text, citation, written.append)
        for sequence in written:
            self.app.output.write_raw(sequence)
            self.app.output.flush()
        self.state.message = f"{citation} {how}"
        self.app.invalidate()


def _to_fragments(lines: list[Line]) -> StyleAndTextTuples:
    return list(_iterate_fragments(lines))


def _iterate_fragments(lines: list[Line]) -> Iterator[tuple[str, str]]:
    """Yield the segments of lines with the styles of prompt_toolkit."""
    for number, line in enumerate(lines):
        if number:
            yield "", "\n"
        for text, style in line:
            yield " ".join(_STYLES[word] for word in style.split() if word in _STYLES), escape_control(text)
