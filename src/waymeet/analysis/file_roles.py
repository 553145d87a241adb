"""Roles of files in a project, by path and content: one table for embedding and ranking."""

import re
from typing import NamedTuple

SOURCE, TEST, DOCUMENTATION, EXAMPLE, BENCHMARK = "source", "test", "documentation", "example", "benchmark"
CHANGELOG, RELEASE_NOTES, LICENCE = "changelog", "release notes", "licence"
LOCALE, GENERATED, MINIFIED, VENDORED = "locale catalogue", "generated", "minified", "vendored"
BUILD_OUTPUT, LOCK, DATA, IMAGE = "build output", "lock file", "data", "image"


class Role(NamedTuple):
    """Treatment of the files with a role."""

    is_embedded: bool
    is_path_only: bool = False
    """Whether only the path of a file whose name alone shows the role is indexed."""
    is_strong: bool = False
    """Whether a file keeps the role in folders of build output and vendored packages."""


ROLES = {
    SOURCE: Role(is_embedded=True),
    TEST: Role(is_embedded=True),
    DOCUMENTATION: Role(is_embedded=True),
    EXAMPLE: Role(is_embedded=True),
    BENCHMARK: Role(is_embedded=True),
    CHANGELOG: Role(is_embedded=True),
    RELEASE_NOTES: Role(is_embedded=True),
    LICENCE: Role(is_embedded=True, is_strong=True),
    LOCALE: Role(is_embedded=False),
    GENERATED: Role(is_embedded=False),
    MINIFIED: Role(is_embedded=False, is_path_only=True, is_strong=True),
    VENDORED: Role(is_embedded=False),
    BUILD_OUTPUT: Role(is_embedded=False),
    LOCK: Role(is_embedded=False, is_path_only=True, is_strong=True),
    DATA: Role(is_embedded=True),
    IMAGE: Role(is_embedded=False, is_strong=True),
}
"""Every role with its treatment. All files can be found by their paths, and those with text by their words."""

LOCK_NAMES = frozenset({"package-lock.json", "packages.lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum"})
LOCK_SUFFIXES = (".lock", ".lockb", ".lockfile")
MINIFIED_SUFFIXES = tuple(
    [f"{mark}min.{extension}" for mark in ".-" for extension in ("js", "mjs", "cjs", "css", "html", "svg")]
    + [f".{extension}.map" for extension in ("js", "mjs", "cjs", "css", "ts")]
)
"""Endings of minified files and of the source maps that belong to them."""

# The patterns below are compiled at their first use, because every search imports this module.
_CATALOGUE = r"json|ya?ml|properties|toml|ini|xml|strings|php|resx"
_CODE_CATALOGUE = r"py|rb|js|mjs|cjs|d\.[cm]?ts|[cm]?ts|lua|dart"
_LOCALE_FOLDER = r"locales?|i18n|l10n|langs?|translations?|intl"
_LANGUAGE_CODE = r"(?!en\b)[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))?"
_BY_NAME = (
    (IMAGE, r".*\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|heic|psd|svg|eps|xcf|cur|jp2|sketch|cr2)"),
    (LOCALE, r".*\.(?:po|pot|mo|xliff|xlf|arb|lproj)|messages_.*\.properties"),
    (
        LICENCE,
        r"(?:un)?licen[cs]es?(?:[.-].*)?|copying(?:\..*)?|notice(?:\.(?:txt|md))?|third[-_ ]?party[-_ ]?notices.*",
    ),
    (
        GENERATED,
        r".*_pb2(?:_grpc)?\.pyi?|.*\.pb\.(?:go|cc|h|rs|swift)|.*\.(?:g|freezed)\.dart|.*\.(?:designer|g)\.cs",
    ),
    (GENERATED, r".*[._]generated\.\w+|.*\.gen\.\w+|zz_generated.*|pkg-info"),
    (GENERATED, r"(?:genindex(?:-\w+)?|(?:py-)?modindex|index-all|all(?:classes|packages)(?:-\w+)?)\.html"),
)
"""Patterns of file names in small letters; the first that matches decides."""
_BY_FOLDER = (
    (LOCALE, r"(?:.*/)?lc_messages/.*|(?:.*/)?\w+\.lproj/.*\.strings|(?:.*/)?values-[a-z]{2}(?:-r\w+)?/\w+\.xml"),
    (LOCALE, rf"(?:.*/)?(?:{_LOCALE_FOLDER})/(?:.*/)?[^/]*\.(?:{_CATALOGUE})"),
    (
        LOCALE,
        rf"(?:.*/)?(?:{_LOCALE_FOLDER})/(?:{_LANGUAGE_CODE}/(?:.*/)?[^/]+|{_LANGUAGE_CODE})\.(?:{_CODE_CATALOGUE})",
    ),
    (GENERATED, r"(?:.*/)?(?:__generated__|generated-sources)/.*|(?:.*/)?[^/]*\.(?:egg|dist)-info/.*"),
)
"""Patterns of paths in small letters."""
_DOCS_BY_NAME = (
    (CHANGELOG, r"(?:.*[-_.])?(?:changelog|changes|history|news)(?:[-_.]?v?\d[\w.]*)?(?:\.\w+)?"),
    (RELEASE_NOTES, r"release[-_ ]?notes?.*|what'?s[-_ ]?new.*|releases(?:\.\w+)?"),
)
_DOCS_BY_FOLDER = (
    (CHANGELOG, r"(?:.*/)?(?:changelogs?|changelog\.d|changes\.d|newsfragments|news\.d)/.*"),
    (RELEASE_NOTES, r"(?:.*/)?(?:release[-_]?notes?|whats?[-_]?new|releases)/.*"),
    (TEST, r"(?!(?:.*/)?docs?/)(?:.*/)?(?:tests?|__tests__)/.*\.(?:txt|x?html?)"),
    (GENERATED, r"(?:.*/)?[^/]*\.(?:egg|dist)-info/.*"),
    (TEST, r"(?:.*/)?(?:tests?|__tests__)/(?:.*/)?(?:fixtures?|testdata|data|snapshots?)/.*|(?:.*/)?testdata/.*"),
    (EXAMPLE, r"(?!docs?/)(?:.*/)?(?:examples?|samples?|demos?)/.*"),
)
"""Patterns of documents: code may be in modules of these names, too."""
_WEAK_NAMES = r"(?:.*/)?(?:changes|history|news)(?:\.\w+)?|(?:.*/)?releases/.*"
"""Names that pages about other topics have, too."""
_VERSION_OR_DATE = r"\b\d+\.\d+|\b\d{4}-\d\d-\d\d\b"
_MIN_PAGE_CHARS = 500
_DOCS_WITHOUT_EXTENSION = r"(?:install|history|hacking|thanks|faq|maintainers|contributors)"
_CODE_BY_FOLDER = (
    (TEST, r"(?:.*/)?(?:(?:\w+[-_])?tests?|androidtest|specs?|e2e|testdata|fixtures|cypress)/.*"),
    (TEST, r"(?:.*/)?__(?:tests|mocks|fixtures|snapshots)__/.*"),
    (TEST, r"(?:.*/)?(?:test_[^/]*|conftest)\.\w+|.*[._-](?:tests?|tst|spec)(?:-d)?\.(?!ya?ml)\w+"),
    (
        BENCHMARK,
        r"(?:.*/)?(?:benchmarks?|bench|benches|perf)/.*|.*[._-]bench(?:mark)?\.\w+|(?:.*/)?bench(?:mark)?_[^/]*",
    ),
    (EXAMPLE, r"(?:.*/)?(?:examples?|samples?|demos?|playground)/.*"),
)
_TEST_TOOLS = r".+/test/(?!tests?\.)[^/]*\.pyi?"
_TEST_CASE = r"(?m)^\s+(?:async )?def test_\w+\(self\)|^(?:async )?def test_"
"""Python packages called `test` may hold tools for tests instead of test cases."""
_CAMEL_TEST = r".*[a-z0-9](?:Tests?|Spec|TestCase)\.(?:java|kt|scala|cs|swift|php|groovy)"
_CONFIGURATION = frozenset({"toml", "yaml", "ini", "properties", "dotenv"})
_SETTINGS_FILE = (
    r"(?:.*/)?(?:package|composer|tsconfig[^/]*|jsconfig|manifest|angular|nx|turbo|lerna|deno|project|app|vercel|now"
    r"|renovate|biome|settings|launch|tasks|devcontainer|[^/]*\.config|[^/]*rc|config)\.jsonc?"
    r"|(?:.*/)?(?:pom|build|web\.config|androidmanifest)\.xml|.*\.(?:csproj|fsproj|vbproj|props|targets|pom)"
    r"|(?:.*/)?(?:requirements|constraints)[^/]*\.(?:txt|in)|(?:.*/)?\.[^/]+|(?:.*/)?[^/.]+file"
)
"""Files of other kinds than code that are written by hand to build and run it."""

_HEAD_CHARS = 2_000
_GENERATED_TEXT = (
    r"(?is)@generated\b|\bcode generated\b.{0,200}\bdo not edit\b|<auto-generated|\bautogenerated by thrift\b"
    r"|\bgenerated by the protocol buffer compiler\b"
    r"|\bthis (?:file|code|module|class) (?:is|was|has been) (?:automatically |auto-?)?generated\b"
    r"|\bauto(?:matically |-| )?generated\b.{0,200}\b(?:do not|don't) (?:edit|modify|change)\b"
    r"|\b(?:do not|don't) (?:edit|modify|change)\b.{0,200}\bauto(?:matically |-| )?generated\b"
)
_COMMENT = r"\s*(?:#|//|/\*|\*|--|;|<!--|\"\"\"|'''|%|@generated|<auto)"
_BUILD_FOLDER = r"(?:^|/)(?:dist|build|out|target|_build|public|bundles?)/"
_VENDOR_FOLDER = r"(?:^|/)(?:vendors?|third[-_]?party|plugins?|static|assets|public)/"
_BUNDLE = (
    r"__webpack_require__|[#@] sourceMappingURL=|\(exports, [\"']__esModule[\"']"
    r"|typeof define ?=== ?[\"']function[\"'] ?&&|\bparcelRequire\b|\bSystem\.register\(|__commonJS\("
    r"|_interopRequireDefault\("
)
"""Text that bundlers and compilers to JavaScript write."""
_BANNER = r"(?i)\s*/\*[!*]?[^/]{0,200}?\bv?\d+\.\d+\.\d+"
"""Comment with a name and a version with which libraries begin."""
_SCRIPTS = frozenset({"javascript", "css"})
_MIN_MINIFIED = 2_000
_LONG_LINE = 500
_MAX_SPACE_SHARE = 0.12
_HASH = "--hash=sha"
_MIN_HASHES = 5


def path_only_role(name: str) -> str:
    """Return the role of a file of which only the path is indexed, or "" for any other file.

    >>> path_only_role("jquery.min.js"), path_only_role("yarn.lock"), path_only_role("lock.py")
    ('minified', 'lock file', '')
    """
    name = name.lower()
    if name.endswith(LOCK_SUFFIXES) or name in LOCK_NAMES:
        return LOCK
    return MINIFIED if name.endswith(MINIFIED_SUFFIXES) else ""


def find_role(path: str, kind: str, language: str, text: str = "") -> str:
    """Find the role of a file by its path, kind, language and text.

    Folders of build output and vendored packages are found by their files (`discover.derived_folders`).

    >>> find_role("src/app.py", "code", "python"), find_role("tests/test_app.py", "code", "python")
    ('source', 'test')
    >>> find_role("CHANGES.rst", "docs", "rst"), find_role("src/changes.py", "code", "python")
    ('changelog', 'source')
    >>> find_role("locales/de.json", "files", "json"), find_role("docs/de/start.md", "docs", "markdown")
    ('locale catalogue', 'documentation')
    """
    if kind == "folders":
        return ""
    lower = path.lower()
    name = lower.rpartition("/")[2]
    role = path_only_role(name) or _first_match(_BY_NAME, name)
    if role and (role != LICENCE or kind != "code"):
        return role
    if kind not in {"code", "files"} or (kind == "files" and re.fullmatch(_DOCS_WITHOUT_EXTENSION, name)):
        return _find_docs_role(lower, name, text)
    return (
        _first_match(_BY_FOLDER, lower)
        or _role_by_text(lower, language, text)
        or (SOURCE if _is_test_tool(lower, text) else _first_match(_CODE_BY_FOLDER, lower))
        or (TEST if re.fullmatch(_CAMEL_TEST, path) else "")
        or (SOURCE if _is_source(lower, kind, language) else DATA)
    )


def _find_docs_role(path: str, name: str, text: str) -> str:
    if _is_pinned(name, text):
        return LOCK
    role = _first_match(_DOCS_BY_NAME, name) or _first_match(_DOCS_BY_FOLDER, path)
    if role in {CHANGELOG, RELEASE_NOTES} and _is_other_page(path, text):
        return DOCUMENTATION
    if not role and re.fullmatch(_SETTINGS_FILE, path):
        return SOURCE
    return role or DOCUMENTATION


def _is_other_page(path: str, text: str) -> bool:
    """Check whether a page has the name of a list of changes, but neither versions nor dates."""
    is_weak = len(text) >= _MIN_PAGE_CHARS and re.fullmatch(_WEAK_NAMES, path)
    return bool(is_weak) and not re.search(_VERSION_OR_DATE, text)


def _is_test_tool(path: str, text: str) -> bool:
    """Check whether a module of a package called `test` has no test cases."""
    return bool(text) and re.fullmatch(_TEST_TOOLS, path) is not None and not re.search(_TEST_CASE, text)


def _is_source(path: str, kind: str, language: str) -> bool:
    return kind == "code" or language in {*_CONFIGURATION, "html"} or re.fullmatch(_SETTINGS_FILE, path) is not None


def _role_by_text(path: str, language: str, text: str) -> str:
    """Return the role that the text of code or data shows, or "" if it shows none."""
    head = text[:_HEAD_CHARS]
    if language in _SCRIPTS:
        if is_minified(text):
            return MINIFIED
        if re.search(_BUILD_FOLDER, path) and re.search(_BUNDLE, text):
            return BUILD_OUTPUT
        if re.search(_VENDOR_FOLDER, path) and re.match(_BANNER, head):
            return VENDORED
    if _is_pinned(path.rpartition("/")[2], text):
        return LOCK
    if "generated" not in head.lower():
        return ""
    comments = "\n".join(line for line in head.splitlines() if re.match(_COMMENT, line))
    return GENERATED if re.search(_GENERATED_TEXT, comments) else ""


def _is_pinned(name: str, text: str) -> bool:
    """Check whether a list of Python requirements was written by a resolver, like a lock file."""
    if not (name.endswith((".txt", ".in")) and ("requirements" in name or "constraints" in name)):
        return False
    return text[: 10 * _HEAD_CHARS].count(_HASH) >= _MIN_HASHES or "autogenerated by" in text[:_HEAD_CHARS]


def is_minified(text: str) -> bool:
    r"""Check whether a script or style sheet has been minified.

    >>> is_minified("function f(){return 1}" * 200), is_minified("function f() {\n  return 1;\n}\n" * 200)
    (True, False)
    """
    if len(text) < _MIN_MINIFIED:
        return False
    long_lines = [line for line in text.splitlines() if len(line) > _LONG_LINE]
    length = sum(map(len, long_lines))
    if length * 2 < len(text):
        return False
    return sum(line.count(" ") for line in long_lines) < _MAX_SPACE_SHARE * length


_MIN_RUN_CHARS = 60
_RUN = rf"[A-Za-z0-9+/_-]{{{_MIN_RUN_CHARS},}}={{0,2}}"
_MIN_RUN_DIGITS = 3
_MIN_DATA_CHARS = 200
_DATA_SHARE = 0.6
_NUMBER_SHARE = 0.8
_NUMBERS = str.maketrans("", "", "0123456789.,;:+-eE \t\r\n|()[]{}\"'")
_FREQUENT_LETTERS = "taoinsr"
"""Frequent letters that occur in no number."""
_PATH_DATA = r"(?:\bd|points|transform)=\"[^\"]{80,}\""


def remove_encoded_data(text: str) -> str:
    """Replace base64 and other long runs of encoded data in a text by an ellipsis.

    >>> import base64
    >>> remove_encoded_data("see " + base64.b64encode(bytes(range(256))).decode() + " here")
    'see … here'
    >>> remove_encoded_data("see src/components/shared/navigation/sidebar/items/entry/list/item")
    'see src/components/shared/navigation/sidebar/items/entry/list/item'
    """
    return re.sub(_RUN, lambda run: "…" if _is_encoded(run[0]) else run[0], text)


def _is_encoded(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    is_mixed = any(map(str.isupper, run)) and any(map(str.islower, run))
    return digits >= _MIN_RUN_DIGITS and (is_mixed or all(letter in "0123456789abcdefABCDEF" for letter in run))


def is_data_text(text: str) -> bool:
    """Check whether a text consists of encoded data, path data or numbers.

    Such a text has no meaning to embed.

    >>> is_data_text('<path d="' + "M12.5 3.1c-4.2 0-7.6 3.4-7.6 7.6 " * 20 + '"/>'), is_data_text("Plain text. " * 40)
    (True, False)
    """
    if len(text) < _MIN_DATA_CHARS:
        return False
    # Counting a few letters is much faster than removing all characters of numbers, and decides most texts.
    other_letters = sum(map(text.count, _FREQUENT_LETTERS))
    most_numbers = (1 - _NUMBER_SHARE) * len(text)
    if other_letters <= most_numbers and len(text.translate(_NUMBERS)) <= most_numbers:
        return True
    if '="' not in text and max(map(len, text.split())) < _MIN_RUN_CHARS:
        return False  # nothing to remove; this is much faster than searching for it
    rest = re.sub(_PATH_DATA, "", remove_encoded_data(text))
    return len(rest) <= (1 - _DATA_SHARE) * len(text)


def _first_match(table: tuple[tuple[str, str], ...], text: str) -> str:
    return next((role for role, pattern in table if re.fullmatch(pattern, text)), "")
