"""Folders of build output and vendored packages, found by the files in them and beside them.

The name alone decides little: `build/` may hold scripts or be a package of sources. No file is opened here.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from waymeet.analysis.file_roles import BUILD_OUTPUT, VENDORED

# Patterns are compiled at their first use, because every search imports this module.
_CANDIDATE = (
    r"(?:(?<=/)|^)(dist|build|target|out|_build|\.next|\.nuxt|\.output|\.svelte-kit|storybook-static|htmlcov|bin|obj"
    r"|vendors?|_vendor|vendored|third[-_]?party|3rdparty|bower_components|jspm_packages|Pods|Carthage)/"
)
_VENDOR_NAMES = frozenset({"vendor", "vendors"})
"""Names of folders that may also be part of a program, such as one that manages vendors."""
_CERTAIN_VENDOR_NAMES = r"_vendor|vendored|third[-_]?party|3rdparty|bower_components|jspm_packages|Pods|Carthage"
_CERTAIN_OUTPUT_NAMES = frozenset({"dist", ".next", ".nuxt", ".output", ".svelte-kit", "storybook-static", "htmlcov"})
"""Names of folders that hold no files written by hand, except sources of a compiled language."""
_CERTAIN_MARKERS = ("CACHEDIR.TAG", "CMakeCache.txt", ".rustc_info.json", "build.ninja", "maven-status/", "classes/")
"""Files and folders with which build tools mark their output, even if it has sources that they generate."""
_OUTPUT_BESIDE = {
    "target": ("Cargo.toml", "pom.xml", "build.sbt"),
    "build": ("build.gradle", "build.gradle.kts"),
}
"""Folders that Cargo, Maven, sbt and Gradle write beside their manifests, generated sources among the files."""
_MARKER = (
    r"(?:.*/)?(?:CACHEDIR\.TAG|CMakeCache\.txt|\.rustc_info\.json|build\.ninja|\.buildinfo|objects\.inv|maven-status"
    r"|asset-manifest\.json|searchindex\.js|PKG-INFO|.*\.(?:tsbuildinfo|whl|class|o|obj|pyc|jar|war|dll|exe|so|a|lib"
    r"|js\.map|css\.map|d\.ts\.map)|[^/]+[.-][0-9a-f]{8,20}\.(?:js|css|mjs))(?:/.*)?|bdist\..*"
)
"""Files that only compilers and build tools write."""
_PACKAGE_MARKER = (
    r"(?:.*/)?(?:licen[cs]e|copying|package\.json|composer\.json|go\.mod|cargo\.toml|modules\.txt|autoload\.php"
    r"|[^/]*\.gemspec|[^/]*\.podspec|pyproject\.toml|vendor\.txt|[^/]*\.min\.(?:js|css))(?:\.\w+)?"
)
_WRITTEN_BY_HAND = (
    r".*\.(?:py|pyx|go|rs|java|kt|kts|scala|c|cc|cpp|cxx|h|hpp|cs|swift|rb|php|sh|ps1|(?<!\.d\.)ts|tsx|jsx|vue|svelte"
    r"|scss|sass|less|ex|exs|hs|lua|pl|r|jl|dart|zig|cmake|mk|gradle|tf|sql)"
)
"""Sources that build tools do not write, except as copies."""
_SCRIPT = r".*\.(?:js|mjs|cjs|css|html?)"
_TOOL_SCRIPT = (
    r"(?:.*/)?[^/]*(?:conf|webpack|rollup|gulp|grunt|vite|babel|build|script|release|version|task|util|check|dev|prod|sync)"
    r"[^/]*\.(?:js|mjs|cjs)"
)
"""Scripts that build a project, kept in a folder called `build`."""
_MANIFESTS = frozenset(
    "package.json pyproject.toml setup.py setup.cfg Cargo.toml pom.xml build.sbt build.gradle build.gradle.kts go.mod "
    "composer.json Gemfile CMakeLists.txt Makefile mix.exs pubspec.yaml Podfile deno.json".split()
)
_WEB_FOLDERS = frozenset({"static", "assets", "public", "js", "css", "web", "www", "javascripts", "stylesheets"})
_PROJECT_FILE = r".*\.(?:cs|fs|vb)proj"
_MIN_COPIES_SHARE = 0.5
_MAX_FILES = 5_000
"""Files of one folder that are looked at."""


class DerivedFolders:
    """Roles of files by the folders that they lie in."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = folders
        """Roles by folder, each folder with its slash."""

    def of(self, path: str) -> str:
        """Return the role that a file has by its folder, or "" if it has none.

        >>> DerivedFolders({"web/dist/": "build output"}).of("web/dist/a.js"), DerivedFolders({}).of("a.js")
        ('build output', '')
        """
        if not self.folders:
            return ""
        end = path.find("/")
        while end >= 0:
            role = self.folders.get(path[: end + 1])
            if role:
                return role
            end = path.find("/", end + 1)
        return ""


def find_derived_folders(paths: Collection[str]) -> DerivedFolders:
    """Find the folders of build output and vendored packages among the paths of all files.

    >>> find_derived_folders(["Cargo.toml", "target/CACHEDIR.TAG", "target/debug/x.d", "src/build/main.rs"]).folders
    {'target/': 'build output'}
    """
    inside: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        for match in re.finditer(_CANDIDATE, path):
            files = inside[path[: match.end()]]
            if len(files) < _MAX_FILES:
                files.append(path[match.end() :])
    if not inside:
        return DerivedFolders({})
    tails = _collect_tails(paths, inside)
    present = set(paths)
    roles: dict[str, str] = {}
    for folder in sorted(inside):
        if not DerivedFolders(roles).of(folder) and (role := _judge_folder(folder, inside[folder], present, tails)):
            roles[folder] = role
    return DerivedFolders(roles)


def _judge_folder(folder: str, files: Sequence[str], present: Collection[str], tails: Mapping[str, int]) -> str:
    parent, _, name = folder.rstrip("/").rpartition("/")
    if re.fullmatch(_CERTAIN_VENDOR_NAMES, name):
        return VENDORED
    beside = f"{parent}/" if parent else ""
    is_package_root = not parent or any(f"{beside}{manifest}" in present for manifest in _MANIFESTS)
    if name in _VENDOR_NAMES:
        is_web = parent.rpartition("/")[2] in _WEB_FOLDERS
        is_vendored = is_package_root or is_web or any(re.fullmatch(_PACKAGE_MARKER, file.lower()) for file in files)
        return VENDORED if is_vendored else ""
    if name in {"bin", "obj"}:
        is_dotnet = any(path.startswith(beside) and re.fullmatch(_PROJECT_FILE, path) for path in present)
        return BUILD_OUTPUT if is_dotnet and any(re.fullmatch(_MARKER, file) for file in files) else ""
    if any(f"{beside}{manifest}" in present for manifest in _OUTPUT_BESIDE.get(name, ())):
        return BUILD_OUTPUT
    return BUILD_OUTPUT if _is_output(name, folder, files, tails, is_package_root=is_package_root) else ""


def _is_output(
    name: str, folder: str, files: Sequence[str], tails: Mapping[str, int], *, is_package_root: bool
) -> bool:
    """Check whether a folder holds what a build tool wrote."""
    if any(file.startswith(_CERTAIN_MARKERS) for file in files):
        return True
    sources = [file for file in files if re.fullmatch(_WRITTEN_BY_HAND, file.lower())]
    scripts = [file for file in files if re.fullmatch(_SCRIPT, file.lower())]
    code = [*sources, *scripts]
    copies = [file for file in code if tails.get(_tail(folder + file), 0) > 1]
    own = [file for file in sources if file not in set(copies)]
    if own and len(own) * 2 > len(code):
        return False
    if any(re.fullmatch(_MARKER, file) for file in files) or (copies and len(copies) >= _MIN_COPIES_SHARE * len(code)):
        return True
    if own:
        return False
    if name in _CERTAIN_OUTPUT_NAMES:
        return any(not file.lower().endswith((".md", ".rst")) for file in files)
    return is_package_root and bool(scripts) and not any(re.fullmatch(_TOOL_SCRIPT, file) for file in scripts)


def _collect_tails(paths: Collection[str], inside: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Count the folders in which a file of each tail lies.

    Build output repeats the tree of the sources.
    """
    wanted = {_tail(folder + file) for folder, files in inside.items() for file in files}
    places: defaultdict[str, set[str]] = defaultdict(set)
    for path in paths:
        tail = _tail(path)
        if tail in wanted:
            places[tail].add(path[: -len(path.rpartition("/")[2])])
    return {tail: len(folders) for tail, folders in places.items()}


def _tail(path: str) -> str:
    """Return the last folder and the name of a file without its extensions.

    It is the same for `a/b.ts` and `a/b.js`.

    >>> _tail("build/lib/shop/cart.py"), _tail("src/shop/cart.d.ts"), _tail("cart.py")
    ('shop/cart', 'shop/cart', '')
    """
    *folders, name = path.split("/")
    return f"{folders[-1]}/{name.partition('.')[0]}" if folders else ""
