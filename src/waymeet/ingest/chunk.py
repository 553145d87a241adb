"""Cutting a file into the pieces that are found and cited. No text is lost, and none is in two pieces."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waymeet.ingest.blocks import Block, Lines, blocks
from waymeet.ingest.parse import Heading, Parsed
from waymeet.settings import Chunking
from waymeet.types import Chunk


class _Section(Struct, frozen=True):
    """The lines from one heading to the next."""

    start: int
    end: int
    level: int = 0
    """Of its heading; 0 for the text before the first one."""
    headings: tuple[str, ...] = ()
    anchor: str = ""


class _Piece(Struct, frozen=True):
    """Blocks that will be one chunk, under the section whose place it takes."""

    section: _Section
    blocks: Sequence[Block]


def chunks(path: str, text: str, parsed: Parsed, chunking: Chunking) -> tuple[Chunk, ...]:
    """Cut a file by its headings; long sections at paragraphs, and tiny ones are joined to what follows them.

    A file without any text becomes one empty chunk, so that its path can be found.
    """
    lines = Lines(text)
    made = [
        _chunk(path, lines, ordinal, piece, _anchors(piece, parsed.headings))
        for ordinal, piece in enumerate(_Cutter(lines, parsed, chunking).pieces(_sections(parsed, len(lines))))
    ]
    return tuple(_unique(made)) or (Chunk(f"{path}#L1-L1", path, 0, 1, 1, ""),)


def _sections(parsed: Parsed, last: int) -> Iterator[_Section]:
    """Yield the text before the first heading, then a section for each heading."""
    starts = [heading.line for heading in parsed.headings]
    yield _Section(parsed.body, starts[0] - 1 if starts else last)
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
        self._held = lines.held((*parsed.unbroken, *_below_headings(lines, parsed.headings)))

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
                place = short.section if short.section.level else section
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


def _chunk(path: str, lines: Lines, ordinal: int, piece: _Piece, anchors: tuple[str, ...]) -> Chunk:
    start, end, part = piece.blocks[0].start, piece.blocks[-1].end, piece.blocks[0].part
    return Chunk(
        id=f"{path}#L{start}-L{end}",
        document=path,
        ordinal=ordinal,
        start=start,
        end=end,
        text=lines.text(start, end) if part is None else part,
        headings=piece.section.headings,
        anchors=anchors,
    )


def _unique(made: Sequence[Chunk]) -> Iterator[Chunk]:
    """Tell apart the chunks that a long line was cut into."""
    times: dict[str, int] = {}
    for chunk in made:
        times[chunk.id] = number = times.get(chunk.id, 0) + 1
        yield chunk if number == 1 else replace(chunk, id=f"{chunk.id}~{number}")
