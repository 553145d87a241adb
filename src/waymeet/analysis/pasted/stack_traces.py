"""Parsers of stack traces (Python, JavaScript, Java, Go, Rust) and of compiler messages."""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from waymeet.analysis.pasted.location import Location


class Trace(Struct, frozen=True):
    """Error message and locations of a stack trace, from the failure outwards."""

    language: str
    message: str
    locations: tuple[Location, ...]


_RUNTIME_PATH = re.compile(
    r"node:|<anonymous>|<frozen|<string>|\(native\)|/lib/python\d(?:\.\d+)?t?/(?!(?:site|dist)-packages/)"
    r"|/rustc/|/usr/(?:local/)?(?:lib/)?go/src|\A(?:java|javax|jdk|sun|kotlin|scala)/"
    r"|internal/(?:modules|process)"
)
"""Paths of runtimes, which are not part of the project. Those of libraries may be: its own installed copies."""

_PYTHON = re.compile(r'\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<symbol>.+))?')
_PYTEST = re.compile(
    r"(?P<path>[^\s:]+\.py):(?P<line>\d+): (?:in (?P<symbol>\w+)|(?:[\w.]*(?:Error|Exception|Failed|Exit)\b.*)?)"
)
_PYTHON_MESSAGE = re.compile(
    r"(?:E {3})?(?P<text>(?:[A-Za-z_]\w*\.)*[A-Z]\w*"
    r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|Failed)(?:: .*)?)"
)
_PYTEST_MESSAGE = re.compile(r"E {3,}(?P<text>\S.*)")

_JS = re.compile(
    r"\s*at (?:async )?(?:new )?(?:(?P<symbol>[^\s(]+)(?: \[as \w+\])? \()?"
    r"(?:file://)?(?P<path>(?:[A-Za-z]:)?[^\s():]+):(?P<line>\d+):\d+\)?"
    r"|(?P<symbol2>[\w.$<>/]*)@(?:\w+://[^/]*)?(?P<path2>[^\s:@]+):(?P<line2>\d+):\d+"
)
_JS_MESSAGE = re.compile(r"(?:Uncaught )?(?P<text>(?:[A-Z]\w*(?:Error|Exception)|Error)(?: \[\w+\])?: .*)")

_JAVA = re.compile(
    r"\s*at (?:[\w.@-]*/)*(?P<symbol>[\w.$<>]+)\((?P<path>[\w$-]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)"
)
_JAVA_MESSAGE = re.compile(
    r"(?:Exception in thread \"[^\"]*\" |Caused by: )?"
    r"(?P<text>(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)[\w$]*(?:: .*)?)"
)

_GO = re.compile(r"\t(?P<path>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")
_GO_CALL = re.compile(r"(?:created by )?(?P<symbol>[\w./*()-]+?)(?:\([^()]*\))?(?: in goroutine \d+)?")
_GO_MESSAGE = re.compile(r"(?:panic|fatal error): (?P<text>.*?)(?: \[recovered\])?")

_RUST = re.compile(r"\s+at (?P<path>\S+\.rs):(?P<line>\d+)(?::\d+)?")
_RUST_CALL = re.compile(r"\s*\d+: +(?:0x[0-9a-f]+ - )?(?P<symbol>\S.*)")
_RUST_PANIC = re.compile(
    r"thread '[^']*'(?: \(\d+\))? panicked at (?:'(?P<text>.*)', )?(?P<path>[^\s:']+):(?P<line>\d+):\d+:?"
)
_RUST_ERROR = re.compile(r"(?P<text>error(?:\[E\d+\])?: .*)")
_RUST_ARROW = re.compile(r"\s*--> (?P<path>[^\s:]+):(?P<line>\d+):\d+")

_TOOL = re.compile(
    r"(?P<path>[^\s:()]+\.\w+)(?::(?P<line>\d+)(?::\d+)?|\((?P<row>\d+),\d+\)):? "
    r"(?P<text>(?:fatal )?(?:error|warning|note)?\b.*)"
)


def parse_trace(lines: Sequence[str]) -> Trace | None:
    """Parse the stack trace in a text, or return None if there is none.

    Of several languages, the one with the most locations is chosen.
    """
    parsers: tuple[Callable[[Sequence[str]], Trace], ...] = (
        _parse_python,
        _parse_java,
        _parse_go,
        _parse_rust,
        _parse_javascript,
        _parse_tool,
    )
    trace = max((parse(lines) for parse in parsers), key=lambda candidate: len(candidate.locations))
    # One location without a message may be chance, except in Python's form, which no other text has.
    is_certain = trace.message or trace.language == "Python" or len(trace.locations) > 1
    if not trace.locations or not is_certain:
        return None
    own = tuple(location for location in trace.locations if not _RUNTIME_PATH.search(location.path))
    return Trace(trace.language, trace.message, tuple(dict.fromkeys(own or trace.locations)))


def _parse_python(lines: Sequence[str]) -> Trace:
    """Parse a trace of Python or pytest.

    The last call comes last, with the message below it; of chained errors the last one counts.
    """
    matches = (_PYTHON.fullmatch(line) or _PYTEST.fullmatch(line) for line in lines)
    locations = [_to_location(match) for match in matches if match]
    message = _find_last(lines, _PYTHON_MESSAGE) or _find_first(lines, _PYTEST_MESSAGE)
    return Trace("Python", message, tuple(reversed(locations)))


def _parse_javascript(lines: Sequence[str]) -> Trace:
    locations = []
    for line in lines:
        match = _JS.fullmatch(line)
        if match:
            path, number = match["path"] or match["path2"], int(match["line"] or match["line2"])
            locations.append(Location(path, number, _last_name(match["symbol"] or match["symbol2"])))
    return Trace("JavaScript", _find_first(lines, _JS_MESSAGE), tuple(locations))


def _parse_java(lines: Sequence[str]) -> Trace:
    """Parse a trace of Java, beginning at the last "Caused by", which is the root cause."""
    causes = [number for number, line in enumerate(lines) if line.startswith("Caused by: ")]
    root = causes[-1] if causes else 0
    locations = []
    for line in (*lines[root:], *lines[:root]):
        match = _JAVA.fullmatch(line)
        if match:
            path = "/".join([*match["symbol"].split(".")[:-2], match["path"]])
            locations.append(Location(path, int(match["line"]), _last_name(match["symbol"])))
    return Trace("Java", _find_first(lines[root:], _JAVA_MESSAGE), tuple(locations))


def _parse_go(lines: Sequence[str]) -> Trace:
    return Trace("Go", _find_first(lines, _GO_MESSAGE), _locate_below_calls(lines, _GO, _GO_CALL))


def _parse_rust(lines: Sequence[str]) -> Trace:
    """Parse a backtrace or panic message of Rust, or a compiler error with an arrow."""
    locations = list(_locate_below_calls(lines, _RUST, _RUST_CALL))
    message = _find_first(lines, _RUST_ERROR)
    for number, line in enumerate(lines):
        panic = _RUST_PANIC.fullmatch(line)
        if panic:
            locations.insert(0, _to_location(panic))
            message = panic["text"] or "".join(lines[number + 1 : number + 2])
        elif arrow := _RUST_ARROW.fullmatch(line):
            locations.append(_to_location(arrow))
    return Trace("Rust", message, tuple(locations))


def _parse_tool(lines: Sequence[str]) -> Trace:
    """Parse messages of compilers, checkers and linters of the form `file:line: message`."""
    matches = [match for line in lines if (match := _TOOL.fullmatch(line))]
    locations = [Location(match["path"], int(match["line"] or match["row"])) for match in matches]
    return Trace("", matches[0]["text"] if matches else "", tuple(locations))


def _locate_below_calls(lines: Sequence[str], place: re.Pattern[str], call: re.Pattern[str]) -> tuple[Location, ...]:
    """List locations that are written in the line below their call."""
    locations = []
    for above, line in zip(["", *lines], lines, strict=False):
        match = place.fullmatch(line)
        if match:
            caller = call.fullmatch(above)
            symbol = _last_name(caller["symbol"]) if caller else ""
            locations.append(Location(match["path"], int(match["line"]), symbol))
    return tuple(locations)


def _to_location(match: re.Match[str]) -> Location:
    symbol = match.groupdict().get("symbol") or ""
    return Location(match["path"], int(match["line"]), _last_name(symbol))


def _last_name(symbol: str | None) -> str:
    """Return the last part of a symbol's name, without additions of compilers.

    >>> (_last_name("com.shop.Cart.total"), _last_name("mycrate::cart::total::h0123456789abcdef"),
    ...  _last_name("main.(*Cart).Total"))
    ('total', 'total', 'Total')
    >>> _last_name("<module>"), _last_name("Object.<anonymous>"), _last_name("com.shop.Cart.lambda$total$0")
    ('', '', 'total')
    """
    name = re.sub(r"::h[0-9a-f]{16}\Z|::\{\{.*\}\}", "", symbol or "")
    name = re.sub(r".*\blambda\$(\w+?)\$\d+\Z", r"\1", name)
    name = re.split(r"[.:$/#]+", name.strip("<>() "))[-1] if "<" not in name.split(".")[-1] else ""
    return name if re.fullmatch(r"\w+", name) else ""


def _find_first(lines: Sequence[str], pattern: re.Pattern[str]) -> str:
    return next((match["text"].strip() for line in lines if (match := pattern.fullmatch(line))), "")


def _find_last(lines: Sequence[str], pattern: re.Pattern[str]) -> str:
    return _find_first(list(reversed(lines)), pattern)
