"""Reading stack traces of Python, JavaScript, Java, Go and Rust, and the complaints of compilers and checkers."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from waymeet.analysis.pasted.location import Location


class Trace(Struct, frozen=True):
    """What failed, and the way there, the nearest place first."""

    language: str
    message: str
    spots: tuple[Location, ...]


_FOREIGN = re.compile(
    r"site-packages|dist-packages|node_modules|node:|<anonymous>|<frozen|<string>|\(native\)|/lib/python\d|\.cargo/registry"
    r"|/rustc/|/go/pkg/mod/|/usr/(?:local/)?(?:lib/)?go/src|\A(?:java|javax|jdk|sun|kotlin|scala)/"
    r"|internal/(?:modules|process)"
)
"""Places in what others wrote: they say little about this project."""

_PYTHON = re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<symbol>.+))?')
_PYTEST = re.compile(
    r"(?P<path>[^\s:]+\.py):(?P<line>\d+): (?:in (?P<symbol>\w+)|(?:[\w.]*(?:Error|Exception|Failed|Exit)\b.*)?)"
)
_PYTHON_SAYS = re.compile(
    r"(?:E {3})?(?P<text>(?:[A-Za-z_]\w*\.)*[A-Z]\w*"
    r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|Failed)(?:: .*)?)"
)
_PYTEST_SAYS = re.compile(r"E {3,}(?P<text>\S.*)")

_JS = re.compile(
    r"\s*at (?:async )?(?:new )?(?:(?P<symbol>[^\s(]+)(?: \[as \w+\])? \()?"
    r"(?:file://)?(?P<path>(?:[A-Za-z]:)?[^\s():]+):(?P<line>\d+):\d+\)?"
    r"|(?P<symbol2>[\w.$<>/]*)@(?:\w+://[^/]*)?(?P<path2>[^\s:@]+):(?P<line2>\d+):\d+"
)
_JS_SAYS = re.compile(r"(?:Uncaught )?(?P<text>(?:[A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?: .*)")

_JAVA = re.compile(
    r"\s*at (?:[\w.@-]*/)*(?P<symbol>[\w.$<>]+)\((?P<path>[\w$-]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)"
)
_JAVA_SAYS = re.compile(
    r"(?:Exception in thread \"[^\"]*\" |Caused by: )?"
    r"(?P<text>(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)[\w$]*(?:: .*)?)"
)

_GO = re.compile(r"\t(?P<path>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")
_GO_CALL = re.compile(r"(?:created by )?(?P<symbol>[\w./*()-]+?)(?:\([^()]*\))?(?: in goroutine \d+)?")
_GO_SAYS = re.compile(r"(?:panic|fatal error): (?P<text>.*?)(?: \[recovered\])?")

_RUST = re.compile(r"\s+at (?P<path>\S+\.rs):(?P<line>\d+)(?::\d+)?")
_RUST_CALL = re.compile(r"\s*\d+: +(?:0x[0-9a-f]+ - )?(?P<symbol>\S.*)")
_RUST_SAYS = re.compile(
    r"thread '[^']*'(?: \(\d+\))? panicked at (?:'(?P<text>.*)', )?(?P<path>[^\s:']+):(?P<line>\d+):\d+:?"
)
_RUST_ERROR = re.compile(r"(?P<text>error(?:\[E\d+\])?: .*)")
_RUST_ARROW = re.compile(r"\s*--> (?P<path>[^\s:]+):(?P<line>\d+):\d+")

_TOOL = re.compile(
    r"(?P<path>[^\s:()]+\.\w+)(?::(?P<line>\d+)(?::\d+)?|\((?P<row>\d+),\d+\)):? "
    r"(?P<text>(?:fatal )?(?:error|warning|note)?\b.*)"
)


def trace(lines: Sequence[str]) -> Trace | None:
    """Read the trace that a text holds, None if there is none; of several kinds, the one with the most places."""
    readers: tuple[Callable[[Sequence[str]], Trace], ...] = (_python, _java, _go, _rust, _javascript, _tool)
    found = max((reader(lines) for reader in readers), key=lambda each: len(each.spots))
    telling = found.message or found.language == "Python" or len(found.spots) > 1  # Python's form is like no other text
    if not found.spots or not telling:
        return None
    own = tuple(spot for spot in found.spots if not _FOREIGN.search(spot.path))
    return Trace(found.language, found.message, tuple(dict.fromkeys(own or found.spots)))


def _python(lines: Sequence[str]) -> Trace:
    """The last call comes last, the message below it; of chained errors the last counts. pytest has its own form."""
    spots = [_spot(each) for line in lines if (each := _PYTHON.fullmatch(line) or _PYTEST.fullmatch(line))]
    said = _last(lines, _PYTHON_SAYS) or _first(lines, _PYTEST_SAYS)
    return Trace("Python", said, tuple(reversed(spots)))


def _javascript(lines: Sequence[str]) -> Trace:
    spots = [
        Location(
            each["path"] or each["path2"], int(each["line"] or each["line2"]), _tail(each["symbol"] or each["symbol2"])
        )
        for line in lines
        if (each := _JS.fullmatch(line))
    ]
    return Trace("JavaScript", _first(lines, _JS_SAYS), tuple(spots))


def _java(lines: Sequence[str]) -> Trace:
    """The cause that comes last is the root; where it arose stands right below it."""
    causes = [number for number, line in enumerate(lines) if line.startswith("Caused by: ")]
    root = causes[-1] if causes else 0
    spots = []
    for line in (*lines[root:], *lines[:root]):
        found = _JAVA.fullmatch(line)
        if found:
            folders = found["symbol"].split(".")[:-2]
            spots.append(Location("/".join([*folders, found["path"]]), int(found["line"]), _tail(found["symbol"])))
    return Trace("Java", _first(lines[root:], _JAVA_SAYS), tuple(spots))


def _go(lines: Sequence[str]) -> Trace:
    return Trace("Go", _first(lines, _GO_SAYS), _under_calls(lines, _GO, _GO_CALL))


def _rust(lines: Sequence[str]) -> Trace:
    """What panicked names its place itself; a compiler's error points to it with an arrow."""
    spots = list(_under_calls(lines, _RUST, _RUST_CALL))
    said = _first(lines, _RUST_ERROR)
    for number, line in enumerate(lines):
        panic = _RUST_SAYS.fullmatch(line)
        if panic:
            spots.insert(0, _spot(panic))
            said = panic["text"] or "".join(lines[number + 1 : number + 2])
        elif arrow := _RUST_ARROW.fullmatch(line):
            spots.append(_spot(arrow))
    return Trace("Rust", said, tuple(spots))


def _tool(lines: Sequence[str]) -> Trace:
    """Compilers, checkers and linters write `file:line: message`."""
    found = [each for line in lines if (each := _TOOL.fullmatch(line))]
    spots = [Location(each["path"], int(each["line"] or each["row"])) for each in found]
    return Trace("", found[0]["text"] if found else "", tuple(spots))


def _under_calls(lines: Sequence[str], place: re.Pattern[str], call: re.Pattern[str]) -> tuple[Location, ...]:
    """Read places that stand below the calls they belong to."""
    spots = []
    for above, line in zip(["", *lines], lines, strict=False):
        found = place.fullmatch(line)
        if found:
            called = call.fullmatch(above)
            spots.append(Location(found["path"], int(found["line"]), _tail(called["symbol"]) if called else ""))
    return tuple(spots)


def _spot(found: re.Match[str]) -> Location:
    symbol = found.groupdict().get("symbol") or ""
    return Location(found["path"], int(found["line"]), _tail(symbol))


def _tail(symbol: str | None) -> str:
    """Give the last part of a symbol's name, without what compilers add.

    >>> _tail("com.shop.Cart.total"), _tail("mycrate::cart::total::h0123456789abcdef"), _tail("main.(*Cart).Total")
    ('total', 'total', 'Total')
    >>> _tail("<module>"), _tail("Object.<anonymous>"), _tail("com.shop.Cart.lambda$total$0")
    ('', '', 'total')
    """
    name = re.sub(r"::h[0-9a-f]{16}\Z|::\{\{.*\}\}", "", symbol or "")
    name = re.sub(r".*\blambda\$(\w+?)\$\d+\Z", r"\1", name)
    name = re.split(r"[.:$/#]+", name.strip("<>() "))[-1] if "<" not in name.split(".")[-1] else ""
    return name if re.fullmatch(r"\w+", name) else ""


def _first(lines: Sequence[str], form: re.Pattern[str]) -> str:
    return next((each["text"].strip() for line in lines if (each := form.fullmatch(line))), "")


def _last(lines: Sequence[str], form: re.Pattern[str]) -> str:
    return _first(list(reversed(lines)), form)
