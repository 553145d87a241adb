"""Asking the same questions many times, with the recipe or its numbers a little different each time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from waymeet.ports import Embedder
from waymeet.search.state import Tools

if TYPE_CHECKING:
    from waymeet.ports import Vector


class _Remembering:
    """An embedder that embeds each question once."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vector] = {}

    @property
    def lane(self) -> str:
        """Name the space of its vectors."""
        return self._inner.lane

    @property
    def dimension(self) -> int:
        """Say how long its vectors are."""
        return self._inner.dimension

    def suits(self, language: str) -> bool:
        """Tell whether it understands a language."""
        return self._inner.suits(language)

    def query(self, text: str) -> "Vector":
        """Embed a question, or give what it was embedded as before."""
        if text not in self._known:
            self._known[text] = self._inner.query(text)
        return self._known[text]

    def passages(self, texts: Sequence[str]) -> "Sequence[Vector]":
        """Embed texts to be found."""
        return self._inner.passages(texts)


def remembering(tools: Tools) -> Tools:
    """Give tools that embed each question once; what an answer costs can no longer be measured with them."""
    return tools._replace(embedders=tuple(_Remembering(each) for each in tools.embedders))
