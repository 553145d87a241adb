"""Splitting of a file into chunks, without overlap and without loss of text."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest.parse import Field, Heading, Parsed
from waymeet.ingest.parse.markup.code_blocks import CODE_BLOCK
from waymeet.settings import Chunking
from waymeet.types import Chunk, Symbol


class Block(NamedTuple):
    """Lines that are not split."""

    start: int
    end: int
    """First and last line, counted from 1, both included."""
    starts_paragraph: bool = True
    """Whether a paragraph begins here, or code that is not indented."""
    part: str | None = None
    """A part of a line that is too long for one chunk; such a block becomes a chunk by itself."""


class Lines:
    r"""The lines of a file with the length of any range of them.

    >>> lines = Lines("one\n\nthree")
    >>> lines.text(1, 3), lines.length(1, 3), lines.is_blank(2)
    ('one\n\nthree', 10, True)
    """

    def __init__(self, text: str) -> None:
        self._lines: Sequence[str] = text.split("\n")
        self._before = [0, *accumulate(map(len, self._lines))]
        self._is_blank = [not line or line.isspace() for line in self._lines]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number - 1]

    def is_blank(self, number: int) -> bool:
        """Return whether a line holds only white space."""
        return self._is_blank[number - 1]

    def text(self, first: int, last: int) -> str:
        """Return a range of lines as one text."""
        return "\n".join(self._lines[first - 1 : last])

    def length(self, first: int, last: int) -> int:
        """Return the length of a range of lines."""
        return self._before[last] - self._before[first - 1] + last - first

    def blank_lines_in(self, ranges: Iterable[tuple[int, int]]) -> set[int]:
        """List the blank lines inside of unsplittable ranges."""
        return {
            number
            for first, last in ranges
            for number in range(first, min(last, len(self)) + 1)
            if self.is_blank(number)
        }


def split_blocks(lines: Lines, start: int, end: int, no_split: Collection[int], limit: int) -> Iterator[Block]:
    """Yield the paragraphs of a range, longer ones split at lines or inside of lines."""
    for first, last in _split_paragraphs(lines, start, end, no_split):
        if lines.length(first, last) <= limit:
            yield Block(first, last, starts_paragraph=not lines[first][0].isspace())
        else:
            yield from _split_lines(lines, first, last, limit)


def _split_paragraphs(lines: Lines, start: int, end: int, no_split: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last line of each paragraph, not ended by blank lines in `no_split`."""
    first = last = 0
    for number in range(start, end + 1):
        if not lines.is_blank(number):
            first, last = first or number, number
        elif first and number not in no_split:
            yield first, last
            first = 0
    if first:
        yield first, last


def _split_lines(lines: Lines, first: int, last: int, limit: int) -> Iterator[Block]:
    """Yield single lines, and parts of lines that are longer than the limit."""
    for number in range(first, last + 1):
        if lines.is_blank(number):
            continue
        if lines.length(number, number) <= limit:
            yield Block(number, number, starts_paragraph=number == first)
        else:
            for part in _split_line(lines[number], limit):
                yield Block(number, number, starts_paragraph=False, part=part)


def _split_line(line: str, limit: int) -> Iterator[str]:
    """Split a line into parts of about the same length, at a space if possible.

    >>> list(_split_line("one two three four", 10))
    ['one two', 'three four']
    """
    remaining = line.strip()
    while len(remaining) > limit:
        parts = -(-len(remaining) // limit)  # both divisions round up
        even = -(-len(remaining) // parts)
        space = remaining.rfind(" ", even // 2, even + 1)
        cut = space if space > 0 else even
        yield remaining[:cut].rstrip()
        remaining = remaining[cut:].lstrip()
    yield remaining


class _Section(Struct, frozen=True):
    """The lines from one heading to the next, or between two boundaries of symbols."""

    start: int
    end: int
    level: int = 0
    """Level of its heading or nesting depth of its symbol; 0 for the text before the first heading."""
    headings: tuple[str, ...] = ()
    anchor: str = ""
    is_symbol: bool = False


class _Piece(Struct, frozen=True):
    """Blocks of one future chunk, with the section that gives its headings."""

    section: _Section
    blocks: Sequence[Block]
    last: _Section
    """The section of its last block."""


class _Names(NamedTuple):
    """Headings and symbols of a file."""

    parsed: Parsed
    short_names: Mapping[str, str]
    """The last part of symbol names, where it is unique in the file."""


def split_chunks(path: str, text: str, parsed: Parsed, chunking: Chunking) -> tuple[Chunk, ...]:
    """Split a file at its headings, or at its symbols if it has no headings.

    Long sections are split at paragraphs, and short ones are joined with the next section. A file without text becomes
    one empty chunk, so that its path can be found.
    """
    lines = Lines(text)
    has_symbols = any(symbol.kind != CODE_BLOCK for symbol in parsed.symbols)
    sections = _symbol_sections if has_symbols and not parsed.headings else _heading_sections
    short_names = _short_names(parsed.symbols) if has_symbols else {}
    chunks = [
        _make_chunk(path, lines, ordinal, piece, _Names(parsed, short_names))
        for ordinal, piece in enumerate(_Splitter(lines, parsed, chunking).pieces(sections(parsed, len(lines))))
    ]
    return tuple(_number_repeated_ids(chunks)) or (Chunk(f"{path}#L1-L1", path, 0, 1, 1, ""),)


def _symbol_sections(parsed: Parsed, last: int) -> Iterator[_Section]:
    """Yield the lines of each symbol without its members, and the lines between symbols.

    Lines between symbols belong to the symbol around them and have the level of its members.
    """
    enclosing: list[Symbol] = []
    start = parsed.body_line
    for symbol in (*parsed.symbols, None):
        begin = symbol.start if symbol else last + 1
        while enclosing and enclosing[-1].end < begin:
            yield from _symbol_section(enclosing, start, enclosing[-1].end, last)
            start = max(start, enclosing.pop().end + 1)
        yield from _symbol_section(enclosing, start, begin - 1, last)
        start = max(start, begin)
        if symbol:
            enclosing.append(symbol)


def _symbol_section(enclosing: Sequence[Symbol], start: int, end: int, last: int) -> Iterator[_Section]:
    if start > min(end, last):
        return
    if not enclosing:
        yield _Section(start, min(end, last), 1)
        return
    name = enclosing[-1].name
    level = len(enclosing) + (start > enclosing[-1].start)
    yield _Section(start, min(end, last), level, tuple(name.partition("~")[0].split(".")), name, is_symbol=True)


def _short_names(symbols: Iterable[Symbol]) -> dict[str, str]:
    """Return the last part of each symbol's name, if it is unique in the file."""
    full_names: dict[str, list[str]] = {}
    for symbol in symbols:
        full_names.setdefault(symbol.name.rpartition(".")[2], []).append(symbol.name)
    return {names[0]: short for short, names in full_names.items() if len(names) == 1 and names[0] != short}


def _heading_sections(parsed: Parsed, last: int) -> Iterator[_Section]:
    """Yield the text before the first heading, then a section for each heading."""
    starts = [heading.start for heading in parsed.headings]
    yield _Section(parsed.body_line, starts[0] - 1 if starts else last)
    above: list[Heading] = []
    ends = [start - 1 for start in starts[1:]] + [last] * bool(starts)
    for heading, end in zip(parsed.headings, ends, strict=True):
        above = [*(each for each in above if each.level < heading.level), heading]
        yield _Section(heading.start, end, heading.level, tuple(each.text for each in above), heading.anchor)


class _Splitter:
    """Packs the blocks of one file into pieces."""

    def __init__(self, lines: Lines, parsed: Parsed, chunking: Chunking) -> None:
        self._lines = lines
        self._max_chars = max(chunking.max_chars, 1)
        self._min_chars = chunking.min_chars
        self._no_split = lines.blank_lines_in((*parsed.unsplittable, *_lines_below_headings(lines, parsed.headings)))

    def pieces(self, sections: Iterable[_Section]) -> Iterator[_Piece]:
        """Yield the pieces of all sections.

        A section that ends the piece before it is joined with that. A piece that is too short is joined with the next
        section, unless that has a higher heading.
        """
        short: _Piece | None = None
        complete: _Piece | None = None
        for section in sections:
            blocks = list(split_blocks(self._lines, section.start, section.end, self._no_split, self._max_chars))
            if not blocks:
                continue
            before = short or complete
            if before and self._ends(before, section, blocks):
                joined = _Piece(before.section, [*before.blocks, *blocks], before.last)
                short, complete = (joined, complete) if short else (None, joined)
                continue
            if short and section.level < short.section.level:
                yield from filter(None, (complete, short))
                short = complete = None
            *done, last = self._pack(section, blocks, short)
            is_short = not done and self._size(last.blocks) < self._min_chars
            if done or not is_short:
                yield from filter(None, (complete, *done))
                complete = None
            short, complete = (last, complete) if is_short else (None, last)
        yield from filter(None, (complete, short))

    def _ends(self, piece: _Piece, section: _Section, blocks: list[Block]) -> bool:
        """Check whether a section is the end of the piece before it.

        It is if it has no words, like a closing bracket, or if it is a short symbol of the same name, like a setter
        after its getter.
        """
        if any(block.part for block in (*piece.blocks, *blocks)):
            return False
        if self._lines.length(piece.blocks[0].start, blocks[-1].end) > self._max_chars:
            return False
        if not any(map(str.isalnum, self._lines.text(blocks[0].start, blocks[-1].end))):
            return True
        has_same_name = section.is_symbol and section.headings == piece.last.headings
        return has_same_name and self._size(blocks) < self._min_chars

    def _pack(self, section: _Section, blocks: list[Block], short: _Piece | None) -> list[_Piece]:
        """Divide a section's blocks into pieces, the first joined with a short piece before it."""
        if short:
            runs = self._runs([*short.blocks, *blocks])
            if len(runs[0]) > len(short.blocks):
                # Text before the first heading has no headings of its own: it takes those of the next section.
                section_of_first = short.section if short.section.headings else section
                first = _Piece(section_of_first, runs[0], section)
                return [first, *(_Piece(section, run, section) for run in runs[1:])]
        pieces = [_Piece(section, run, section) for run in self._runs(blocks)]
        return [short, *pieces] if short else pieces

    def _runs(self, blocks: list[Block]) -> list[list[Block]]:
        """Divide blocks into runs below the limit, each ending before a new paragraph if possible."""
        if not blocks[0].part and self._size(blocks) <= self._max_chars:
            return [blocks]
        runs, first = [], 0
        for number, block in enumerate(blocks):
            if number > first and (block.part or blocks[number - 1].part):
                runs.append(blocks[first:number])
                first = number
            while number > first and self._lines.length(blocks[first].start, block.end) > self._max_chars:
                cut = self._find_cut(blocks, first, number)
                runs.append(blocks[first:cut])
                first = cut
        runs.append(blocks[first:])
        return self._balance_last(runs)

    def _find_cut(self, blocks: list[Block], first: int, end: int) -> int:
        """Find the last block that starts a paragraph, unless the text before it is too short."""
        cut = next((number for number in range(end, first, -1) if blocks[number].starts_paragraph), end)
        return cut if self._size(blocks[first:cut]) >= self._min_chars else end

    def _balance_last(self, runs: list[list[Block]]) -> list[list[Block]]:
        """Move blocks from the last run but one to the last if that is too short."""
        if len(runs) < 2 or self._size(runs[-1]) >= self._min_chars:
            return runs
        both = runs[-2] + runs[-1]
        if any(block.part for block in both):
            return runs
        cut = min(range(1, len(both)), key=lambda end: max(self._size(both[:end]), self._size(both[end:])))
        return [*runs[:-2], both[:cut], both[cut:]]

    def _size(self, run: Sequence[Block]) -> int:
        part = run[0].part
        return self._lines.length(run[0].start, run[-1].end) if part is None else len(part)


def _lines_below_headings(lines: Lines, headings: Iterable[Heading]) -> Iterator[tuple[int, int]]:
    """Yield the lines from each heading to the first paragraph below it, which are not split."""
    for heading in headings:
        last = heading.line + 1
        while last < len(lines) and lines.is_blank(last):
            last += 1
        yield heading.start, last


def _piece_anchors(piece: _Piece, headings: Sequence[Heading]) -> tuple[str, ...]:
    """List the anchors of the headings in a piece, or that of its section if it has none."""
    first = bisect_left(headings, piece.blocks[0].start, key=lambda heading: heading.line)
    end = bisect_right(headings, piece.blocks[-1].end, key=lambda heading: heading.line)
    inside = tuple(heading.anchor for heading in headings[first:end])
    return inside or tuple(filter(None, (piece.section.anchor,)))


def _piece_symbols(piece: _Piece, symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """List the symbols that begin in a piece."""
    first = bisect_left(symbols, piece.blocks[0].start, key=lambda symbol: symbol.start)
    end = bisect_right(symbols, piece.blocks[-1].end, key=lambda symbol: symbol.start)
    return tuple(symbols[first:end])


def _piece_fields(piece: _Piece, fields: Sequence[Field]) -> Iterator[str]:
    """Yield the names of the fields in a piece."""
    first = bisect_left(fields, piece.blocks[0].start, key=lambda field: field.line)
    end = bisect_right(fields, piece.blocks[-1].end, key=lambda field: field.line)
    yield from (field.name for field in fields[first:end])


def _make_chunk(path: str, lines: Lines, ordinal: int, piece: _Piece, names: _Names) -> Chunk:
    start, end, part = piece.blocks[0].start, piece.blocks[-1].end, piece.blocks[0].part
    symbols = _piece_symbols(piece, names.parsed.symbols)
    anchors = [*_piece_anchors(piece, names.parsed.headings), *(symbol.name for symbol in symbols)]
    short_names = (names.short_names[name] for name in anchors if name in names.short_names)
    return Chunk(
        id=f"{path}#L{start}-L{end}",
        document=path,
        ordinal=ordinal,
        start=start,
        end=end,
        text=lines.text(start, end) if part is None else part,
        headings=piece.section.headings,
        anchors=tuple(dict.fromkeys((*anchors, *short_names, *_piece_fields(piece, names.parsed.fields)))),
        symbols=symbols,
    )


def _number_repeated_ids(chunks: Sequence[Chunk]) -> Iterator[Chunk]:
    """Add `~2`, `~3`… to the ids of chunks that are parts of one long line."""
    counts: dict[str, int] = {}
    for chunk in chunks:
        counts[chunk.id] = number = counts.get(chunk.id, 0) + 1
        yield chunk if number == 1 else replace(chunk, id=f"{chunk.id}~{number}", symbols=())
