"""Cutting a file into the pieces that are found and cited. No text is lost, and none is in two pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest.parse import Heading, Parsed
from waymeet.ingest.parse.markup.code_blocks import CODE_BLOCK
from waymeet.settings import Chunking
from waymeet.types import Chunk, Symbol


class Block(NamedTuple):
    """Some lines that hold together."""

    start: int
    end: int
    """First and last line, counted from 1, both included."""
    opens: bool = True
    """Whether a new thought begins here: a paragraph, or code that is not indented."""
    part: str | None = None
    """A piece of a line that is too long for one chunk; such a block stands alone."""


class Lines:
    r"""The lines of a file, with how long any run of them is.

    >>> lines = Lines("one\n\nthree")
    >>> lines.text(1, 3), lines.length(1, 3), lines.blank(2)
    ('one\n\nthree', 10, True)
    """

    def __init__(self, text: str) -> None:
        self._lines: Sequence[str] = text.split("\n")
        self._before = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, number: int) -> str:
        return self._lines[number - 1]

    def blank(self, number: int) -> bool:
        """Tell whether there is nothing to read in a line."""
        return not self._lines[number - 1].strip()

    def text(self, first: int, last: int) -> str:
        """Give some lines as one text."""
        return "\n".join(self._lines[first - 1 : last])

    def length(self, first: int, last: int) -> int:
        """Say how long that text is."""
        return self._before[last] - self._before[first - 1] - 1

    def held(self, ranges: Iterable[tuple[int, int]]) -> set[int]:
        """List the blank lines inside of some ranges, at which they shall not be cut."""
        return {
            number for first, last in ranges for number in range(first, min(last, len(self)) + 1) if self.blank(number)
        }


def blocks(lines: Lines, start: int, end: int, held: Collection[int], limit: int) -> Iterator[Block]:
    """Yield the paragraphs of some lines; one that is longer than the limit is cut at lines, then inside of them."""
    for first, last in _paragraphs(lines, start, end, held):
        if lines.length(first, last) <= limit:
            yield Block(first, last, opens=not lines[first][0].isspace())
        else:
            yield from _rows(lines, first, last, limit)


def _paragraphs(lines: Lines, start: int, end: int, held: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last written lines between blank lines, except for those that shall not be cut at."""
    first = last = 0
    for number in range(start, end + 1):
        if not lines.blank(number):
            first, last = first or number, number
        elif first and number not in held:
            yield first, last
            first = 0
    if first:
        yield first, last


def _rows(lines: Lines, first: int, last: int, limit: int) -> Iterator[Block]:
    """Yield single lines, and pieces of those that are too long by themselves."""
    for number in range(first, last + 1):
        if lines.blank(number):
            continue
        if lines.length(number, number) <= limit:
            yield Block(number, number, opens=number == first)
        else:
            for part in _parts(lines[number], limit):
                yield Block(number, number, opens=False, part=part)


def _parts(line: str, limit: int) -> Iterator[str]:
    """Cut a line into pieces of about the same length, at a space if there is one near.

    >>> list(_parts("one two three four", 10))
    ['one two', 'three four']
    """
    rest = line.strip()
    while len(rest) > limit:
        even = -(-len(rest) // -(-len(rest) // limit))
        space = rest.rfind(" ", even // 2, even + 1)
        cut = space if space > 0 else even
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    yield rest


class _Section(Struct, frozen=True):
    """The lines from one heading to the next, or from where one symbol begins or ends to where the next one does."""

    start: int
    end: int
    level: int = 0
    """Of its heading, or how deep the symbol lies; 0 for the text before the first heading."""
    headings: tuple[str, ...] = ()
    anchor: str = ""


class _Piece(Struct, frozen=True):
    """Blocks that will be one chunk, under the section whose place it takes."""

    section: _Section
    blocks: Sequence[Block]


class _Named(NamedTuple):
    """What can be named in a file."""

    parsed: Parsed
    shorter: Mapping[str, str]
    """Names of symbols that need not be said in full."""


def chunks(path: str, text: str, parsed: Parsed, chunking: Chunking) -> tuple[Chunk, ...]:
    """Cut a file by its headings, or by its symbols if it has none.

    Long sections are cut at paragraphs, and tiny ones are joined to what follows them.
    A file without any text becomes one empty chunk, so that its path can be found.
    """
    lines = Lines(text)
    code = any(symbol.kind != CODE_BLOCK for symbol in parsed.symbols)
    sections = _symbol_sections if code and not parsed.headings else _sections
    shorter = _shorter_names(parsed.symbols) if code else {}
    made = [
        _chunk(path, lines, ordinal, piece, _Named(parsed, shorter))
        for ordinal, piece in enumerate(_Cutter(lines, parsed, chunking).pieces(sections(parsed, len(lines))))
    ]
    return tuple(_unique(made)) or (Chunk(f"{path}#L1-L1", path, 0, 1, 1, ""),)


def _symbol_sections(parsed: Parsed, last: int) -> Iterator[_Section]:
    """Yield the lines of each symbol without those of its members, and the lines between them.

    Lines between symbols belong to what lies around them, and are as deep as their neighbours.
    """
    around: list[Symbol] = []
    start = parsed.body_line
    for symbol in (*parsed.symbols, None):
        begin = symbol.start if symbol else last + 1
        while around and around[-1].end < begin:
            yield from _lines_of(around, start, around[-1].end, last)
            start = max(start, around.pop().end + 1)
        yield from _lines_of(around, start, begin - 1, last)
        start = max(start, begin)
        if symbol:
            around.append(symbol)


def _lines_of(around: Sequence[Symbol], start: int, end: int, last: int) -> Iterator[_Section]:
    if start > min(end, last):
        return
    if not around:
        yield _Section(start, min(end, last), 1)
        return
    name = around[-1].name
    level = len(around) + (start > around[-1].start)
    yield _Section(start, min(end, last), level, tuple(name.partition("~")[0].split(".")), name)


def _shorter_names(symbols: Iterable[Symbol]) -> dict[str, str]:
    """Give the last part of the name of each symbol that is the only one of the file with that part."""
    found: dict[str, list[str]] = {}
    for symbol in symbols:
        found.setdefault(symbol.name.rpartition(".")[2], []).append(symbol.name)
    return {names[0]: short for short, names in found.items() if len(names) == 1 and names[0] != short}


def _sections(parsed: Parsed, last: int) -> Iterator[_Section]:
    """Yield the text before the first heading, then a section for each heading."""
    starts = [heading.line for heading in parsed.headings]
    yield _Section(parsed.body_line, starts[0] - 1 if starts else last)
    above: list[Heading] = []
    ends = [start - 1 for start in starts[1:]] + [last] * bool(starts)
    for heading, end in zip(parsed.headings, ends, strict=True):
        above = [*(each for each in above if each.level < heading.level), heading]
        yield _Section(heading.line, end, heading.level, tuple(each.text for each in above), heading.anchor)


class _Cutter:
    """Fills pieces with the blocks of one file."""

    def __init__(self, lines: Lines, parsed: Parsed, chunking: Chunking) -> None:
        self._lines = lines
        self._most = max(chunking.max_chars, 1)
        self._least = chunking.min_chars
        self._held = lines.held((*parsed.unsplittable, *_below_headings(lines, parsed.headings)))

    def pieces(self, sections: Iterable[_Section]) -> Iterator[_Piece]:
        """Yield the pieces of all sections; one that is too short begins the next, unless that is of a higher level."""
        short: _Piece | None = None
        for section in sections:
            inside = list(blocks(self._lines, section.start, section.end, self._held, self._most))
            if not inside:
                continue
            if short and section.level < short.section.level:
                yield short
                short = None
            *done, last = self._packed(section, inside, short)
            yield from done
            short = last if not done and self._size(last.blocks) < self._least else None
            if short is None:
                yield last
        if short:
            yield short

    def _packed(self, section: _Section, inside: list[Block], short: _Piece | None) -> list[_Piece]:
        """Divide a section's blocks; the first piece begins with what was too short before it, if both fit."""
        if short:
            runs = self._runs([*short.blocks, *inside])
            if len(runs[0]) > len(short.blocks):
                # Text before the first heading has no place of its own: the section it runs into is its place.
                place = short.section if short.section.headings else section
                return [_Piece(place, runs[0]), *(_Piece(section, run) for run in runs[1:])]
        pieces = [_Piece(section, run) for run in self._runs(inside)]
        return [short, *pieces] if short else pieces

    def _runs(self, inside: list[Block]) -> list[list[Block]]:
        """Divide blocks into runs that are not too long, ending each before a new thought if possible."""
        if not inside[0].part and self._size(inside) <= self._most:
            return [inside]
        runs, first = [], 0
        for at, block in enumerate(inside):
            if at > first and (block.part or inside[at - 1].part):
                runs.append(inside[first:at])
                first = at
            while at > first and self._lines.length(inside[first].start, block.end) > self._most:
                cut = self._cut(inside, first, at)
                runs.append(inside[first:cut])
                first = cut
        runs.append(inside[first:])
        return self._evened(runs)

    def _cut(self, inside: list[Block], first: int, at: int) -> int:
        """Find the last block that opens a thought, unless too little would be left before it."""
        opening = next((cut for cut in range(at, first, -1) if inside[cut].opens), at)
        return opening if self._size(inside[first:opening]) >= self._least else at

    def _evened(self, runs: list[list[Block]]) -> list[list[Block]]:
        """Move blocks from the last run but one to the last if that is too short to say much."""
        if len(runs) < 2 or self._size(runs[-1]) >= self._least:
            return runs
        both = runs[-2] + runs[-1]
        if any(block.part for block in both):
            return runs
        cut = min(range(1, len(both)), key=lambda at: max(self._size(both[:at]), self._size(both[at:])))
        return [*runs[:-2], both[:cut], both[cut:]]

    def _size(self, run: Sequence[Block]) -> int:
        part = run[0].part
        return self._lines.length(run[0].start, run[-1].end) if part is None else len(part)


def _below_headings(lines: Lines, headings: Iterable[Heading]) -> Iterator[tuple[int, int]]:
    """Yield the lines from each heading to the first paragraph below it, for they belong together."""
    for heading in headings:
        last = heading.line + 1
        while last < len(lines) and lines.blank(last):
            last += 1
        yield heading.line, last


def _anchors(piece: _Piece, headings: Sequence[Heading]) -> tuple[str, ...]:
    """List the anchors of the headings that a piece holds, or that of the section it goes on with."""
    first = bisect_left(headings, piece.blocks[0].start, key=lambda heading: heading.line)
    behind = bisect_right(headings, piece.blocks[-1].end, key=lambda heading: heading.line)
    inside = tuple(heading.anchor for heading in headings[first:behind])
    return inside or tuple(filter(None, (piece.section.anchor,)))


def _symbols(piece: _Piece, symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """List the symbols that begin in a piece."""
    first = bisect_left(symbols, piece.blocks[0].start, key=lambda symbol: symbol.start)
    behind = bisect_right(symbols, piece.blocks[-1].end, key=lambda symbol: symbol.start)
    return tuple(symbols[first:behind])


def _chunk(path: str, lines: Lines, ordinal: int, piece: _Piece, named: _Named) -> Chunk:
    start, end, part = piece.blocks[0].start, piece.blocks[-1].end, piece.blocks[0].part
    symbols = _symbols(piece, named.parsed.symbols)
    anchors = [*_anchors(piece, named.parsed.headings), *(symbol.name for symbol in symbols)]
    return Chunk(
        id=f"{path}#L{start}-L{end}",
        document=path,
        ordinal=ordinal,
        start=start,
        end=end,
        text=lines.text(start, end) if part is None else part,
        headings=piece.section.headings,
        anchors=tuple(dict.fromkeys((*anchors, *(named.shorter[name] for name in anchors if name in named.shorter)))),
        symbols=symbols,
    )


def _unique(made: Sequence[Chunk]) -> Iterator[Chunk]:
    """Tell apart the chunks that a long line was cut into."""
    times: dict[str, int] = {}
    for chunk in made:
        times[chunk.id] = number = times.get(chunk.id, 0) + 1
        yield chunk if number == 1 else replace(chunk, id=f"{chunk.id}~{number}", symbols=())
