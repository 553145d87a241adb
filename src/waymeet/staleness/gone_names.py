"""Names that documents mention and the project's code no longer defines.

A name counts only if the code is known to have defined it: names of other libraries, placeholders and settings never
were definitions here. The evidence is a commit that removed the definition, the last commit if the file was changed
since, or an earlier state of the index.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from waymeet.analysis import file_name_key, query_words, symbol_key
from waymeet.analysis.file_roles import EXAMPLE, TEST
from waymeet.analysis.keys import SYMBOL_PREFIX
from waymeet.ports import Store
from waymeet.settings import Bm25
from waymeet.staleness.dates import GoneName, Removal
from waymeet.staleness.references import inherits
from waymeet.staleness.removed_names import RemovedNames, find_similar
from waymeet.staleness.scope import batches
from waymeet.types import Filters, Word

_MIN_LENGTH = 5
_COINED = re.compile(r"[^\W_]_[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
"""Names of two words or more, which are hardly ordinary words."""
_MAX_OCCURRENCES = 60
"""Sections with the name that are searched for a definition."""
_PRESENT = (
    r"[.\[]['\"]?{name}\b|\b{name}[ \t]*(?:[:=,)}}\]]|$)|['\"]{name}['\"]|\b(?:{definers})[ \t]+\*?{name}\b"
    r"|\b(?:from|import|use|using|require)\b[ \t(]+['\"]?(?![.'\"])[^\n]{{0,200}}\b{name}\b"
)
"""Uses of a name as attribute, parameter, variable or key, its definition, or its import from elsewhere."""
_DEFINERS = "def|class|function|func|fn|fun|sub|interface|struct|enum|trait|type|const|let|var|define|macro_rules!"
_COMMENT = re.compile(r"^[ \t]*(?:#(?![ \t]*define)|//|\*|--|;).*$", re.MULTILINE)
_QUOTED = re.compile(r"`[^`\n]+`")
_OWN_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+\.|(?:import|export)[^'\"\n]*['\"]\.|(?:const|var|let)[^=\n]*=[ \t]*require\(['\"]\.).*$",
    re.MULTILINE,
)
"""Imports from other files of the project, which do not define a name."""
_MIN_SIMILAR_RATIO = 0.8


def find_gone_names(
    store: Store, unresolved: Mapping[str, Collection[str]], removed: RemovedNames, former: Mapping[str, Removal]
) -> dict[str, GoneName]:
    """Find the unresolved names that the project's code defined before.

    `unresolved` has the full texts of the mentions of each name, `former` the symbols that an earlier state of the
    index or the last commit has.
    """
    evidence = {
        name: removal
        for name in unresolved
        if (removal := former.get(_last_part(name)) or removed.names.get(_last_part(name))) and _is_specific(name)
    }
    if not evidence:
        return {}
    lasts = {_last_part(name) for name in evidence}
    defined = store.documents_by_key(list(map(symbol_key, lasts))).keys()
    gone: dict[str, GoneName] = {}
    symbols: list[str] = []
    for name, removal in sorted(evidence.items()):
        last = _last_part(name)
        if (
            symbol_key(last) in defined
            or _is_external(name, unresolved[name], store)
            or _may_be_inherited(name, store)
            or _is_present(last, store)
        ):
            continue
        symbols = symbols or list(_list_symbols(store))
        renamed_to = removal.renamed_to if removal.renamed_to in set(symbols) else ""
        gone[name] = GoneName(removal, renamed_to or find_similar(last, symbols, _MIN_SIMILAR_RATIO))
    return gone


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]


def _is_specific(name: str) -> bool:
    """Check whether a name is hardly an ordinary word, a setting or a variable of the system."""
    last = _last_part(name)
    return len(last) >= _MIN_LENGTH and not last.isupper() and _COINED.search(last) is not None


def _is_external(name: str, texts: Collection[str], store: Store) -> bool:
    """Check whether a name belongs to something that is not part of the project.

    `werkzeug.utils.safe_join` is another library's, although the project had a `safe_join`.
    """
    owners = {each.partition(".")[0] for each in (name, *texts) if "." in each}
    if not owners:
        return False
    unknown = owners.difference(part for id_ in store.fingerprints() for part in id_.split("/")[:-1])
    return any(not store.documents_by_key(_owner_keys(owner)) for owner in unknown)


def _owner_keys(owner: str) -> list[str]:
    """List the keys of a symbol, a class with a variable of its name, or a file."""
    return [symbol_key(owner), symbol_key(owner[:1].upper() + owner[1:]), file_name_key(owner)]


def _may_be_inherited(name: str, store: Store) -> bool:
    """Check whether a name may be that of a member which its class has from a base class."""
    owner = name.rpartition(".")[0].rpartition(".")[2]
    if not owner:
        return False
    defining = {id_ for ids in store.documents_by_key([symbol_key(owner)]).values() for id_ in ids}
    return any(inherits(owner, chunks) for chunks in store.chunks_of(defining).values())


def _is_present(name: str, store: Store) -> bool:
    """Check whether the code, without tests and examples, still has a name in another form."""
    # The name as a whole is one of its terms, and the others are too common.
    words = [Word((name.casefold(),) if name.casefold() in terms else terms) for _, terms in query_words(name)]
    ranking = store.rank_lexical(words, _MAX_OCCURRENCES, Filters(kinds=("code",)), Bm25())
    documents = store.documents({row.document for row in ranking})
    code = {id_ for id_, document in documents.items() if document.role not in {TEST, EXAMPLE}}
    # A term such as `SerializerCompiler` may stand for what is called `serializerCompiler` in the code.
    either_case = f"[{name[0].upper()}{name[0].lower()}]" if name[0].isalpha() else re.escape(name[0])
    written = either_case + re.escape(name[1:])
    pattern = re.compile(_PRESENT.format(name=written, definers=_DEFINERS), re.MULTILINE)
    chunks = store.chunks([row.chunk for row in ranking if row.document in code])
    return any(pattern.search(_strip(chunk.text)) for chunk in chunks.values())


def _strip(text: str) -> str:
    """Remove comments, names in backticks and imports from other files of the project."""
    return _OWN_IMPORT.sub("", _QUOTED.sub("", _COMMENT.sub("", text)))


def _list_symbols(store: Store) -> Iterator[str]:
    """Yield the simple names of all symbols that the code defines, each once."""
    known: set[str] = set()
    for batch in batches([id_ for id_ in store.fingerprints() if not id_.endswith("/")]):
        for document in store.documents(batch).values():
            if document.kind == "code" and document.role not in {TEST, EXAMPLE}:
                yield from _new_symbols(document.names, known)


def _new_symbols(keys: Iterable[str], known: set[str]) -> Iterator[str]:
    for key in keys:
        name = key.removeprefix(SYMBOL_PREFIX)
        if name != key and "." not in name and name not in known:
            known.add(name)
            yield name
