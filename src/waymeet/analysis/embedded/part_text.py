"""Parts of a section, as a multilingual model gets them.

The model compares sentences. A vector of a whole paragraph finds its subject, vectors of its parts find what a single
sentence says.
"""

import re

from waymeet.analysis.embedded.section_text import embedding_text
from waymeet.analysis.token_estimate import estimate_tokens
from waymeet.types import Chunk, Document

_MAX_PARTS = 4
_PART_TOKENS = 45
"""Length of a part. Shorter sections have none."""
_SHORT_LETTERS = 25
_SHORT_SAMPLE = 500
_IDEOGRAPH = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Characters that say as much as three letters of an alphabet."""
_SENTENCE_END = re.compile(r"(?<=[.!?؟।])\s+|(?<=[。！？])|\n+")


def section_parts(chunk: Chunk, document: Document | None) -> list[str]:
    """List the text of a section and, if it is long prose, of up to four parts of it.

    >>> [len(text) for text in section_parts(Chunk("a.md#L1-L1", "a.md", 0, 1, 1, "Water boils. " * 40), None)]
    [520, 168, 181, 168]
    """
    text = embedding_text(chunk, document)
    if document is not None and document.kind == "code":
        return [text]
    parts = split_parts(chunk.text)
    heading = chunk.headings[-1] if chunk.headings else document.title if document else ""
    return [text, *(f"{heading}\n{part}" if heading else part for part in parts)] if len(parts) > 1 else [text]


def is_short(text: str) -> bool:
    """Check whether a text has fewer letters than about five words.

    >>> is_short("FOO"), is_short("文字化け"), is_short("Invoices are paid within ten days.")
    (True, True, False)
    """
    letters = sum(map(str.isalpha, text[:_SHORT_SAMPLE]))
    return letters < _SHORT_LETTERS and letters + 2 * len(_IDEOGRAPH.findall(text[:_SHORT_SAMPLE])) < _SHORT_LETTERS


def split_parts(text: str) -> list[str]:
    """Split a text at ends of sentences and lines into parts of about equal length."""
    number = min(round(estimate_tokens(text) / _PART_TOKENS), _MAX_PARTS)
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(text)]
    sentences = [sentence for sentence in sentences if sentence]
    if number < 2 or len(sentences) < 2:
        return sentences and [text]
    total = sum(map(len, sentences))
    parts: list[list[str]] = [[] for _ in range(number)]
    position = 0
    for sentence in sentences:
        middle = position + len(sentence) / 2
        parts[min(int(number * middle / total), number - 1)].append(sentence)
        position += len(sentence)
    return [" ".join(part) for part in parts if part]
