"""Detection of renamed files: same content, removed at one path and added at another.

Links to the old path or file name still find a renamed document, because it has the old keys as former names. The store
keeps the renames as metadata, old path → new path, until a file appears at the old path or the new one is gone. A new
index of the same files does not have them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from waymeet.ingest.build.entry import path_keys
from waymeet.ingest.discover.run_state import RENAMES_KEY
from waymeet.ingest.discover.walk import FoundFile, is_unread_digest, unread_digest
from waymeet.ports import Store
from waymeet.types import Fingerprint

_PATH_KEY = "p:"


def save_renames(store: Store, renamed: Mapping[str, str]) -> None:
    """Save the renames, old path → new path, in the store's metadata."""
    text = msgspec.json.encode(dict(sorted(renamed.items()))).decode() if renamed else ""
    if store.metadata(RENAMES_KEY) != text:
        store.set_metadata(RENAMES_KEY, text)


def pair_files(
    removed: Mapping[str, Fingerprint], added: Iterable[FoundFile], digest_of: Callable[[FoundFile], str]
) -> dict[str, str]:
    """Pair removed with added files of the same content, old path → new path.

    Files of the same content are paired by name; ambiguous ones are not paired. Only added files with the size of a
    removed file are opened.
    """
    sizes = {fingerprint.size for fingerprint in removed.values() if fingerprint.size}
    new_paths: defaultdict[str, list[str]] = defaultdict(list)
    for file in added:
        if file.size in sizes:
            is_unread = bool(file.path_only_reason)
            content = _unread_content(file.size, file.modified_ns) if is_unread else digest_of(file)
            new_paths[content].append(file.path)
    old_paths: defaultdict[str, list[str]] = defaultdict(list)
    for path, known in removed.items():
        if known.size:
            is_unread = is_unread_digest(known.digest)
            content = _unread_content(known.size, known.modified_ns) if is_unread else known.digest
            old_paths[content].append(path)
    pairs: dict[str, str] = {}
    for content, paths in old_paths.items():
        pairs |= _pair_paths(paths, new_paths.get(content, []))
    return pairs


def _unread_content(size: int, modified_ns: int) -> str:
    """Identify a file that is never opened by size and time, which a rename does not change."""
    return f"{unread_digest(size)} {modified_ns}"


def _pair_paths(old: Collection[str], new: Collection[str]) -> dict[str, str]:
    """Pair paths of one content by unique file name, then the last two if one of each is left.

    >>> _pair_paths(["a/x.md", "a/y.md"], ["b/y.md", "b/x.md"])
    {'a/x.md': 'b/x.md', 'a/y.md': 'b/y.md'}
    >>> _pair_paths(["a.md"], ["b.md"]), _pair_paths(["a.md"], ["b.md", "c.md"])
    ({'a.md': 'b.md'}, {})
    """
    pairs: dict[str, str] = {}
    by_name: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, paths in enumerate((old, new)):
        for path in paths:
            by_name[path.rpartition("/")[2]][side].append(path)
    for old_paths, new_paths in by_name.values():
        if len(old_paths) == len(new_paths) == 1:
            pairs[old_paths[0]] = new_paths[0]
    unpaired_old = [path for path in old if path not in pairs]
    unpaired_new = set(new).difference(pairs.values())
    if len(unpaired_old) == len(unpaired_new) == 1:
        pairs[unpaired_old[0]] = unpaired_new.pop()
    return pairs


def update_renames(renamed: Mapping[str, str], pairs: Mapping[str, str], present: Collection[str]) -> dict[str, str]:
    """Add new pairs to the known renames.

    A document that is renamed again keeps all its former paths.

    >>> update_renames({"a.md": "b.md"}, {"b.md": "c.md"}, {"c.md"})
    {'a.md': 'c.md', 'b.md': 'c.md'}
    >>> update_renames({"a.md": "b.md"}, {"b.md": "a.md"}, {"a.md"})
    {'b.md': 'a.md'}
    """
    updated = {old: pairs.get(new, new) for old, new in renamed.items()} | dict(pairs)
    return {old: new for old, new in updated.items() if old not in present and new in present}


def former_keys(renamed: Mapping[str, str], store: Store) -> dict[str, tuple[str, ...]]:
    """List the former keys of renamed documents, by document.

    The former path always; the former file name only if no other document has that name.
    """
    keys = {old: path_keys(old) for old in renamed}
    name_keys = {key for old_keys in keys.values() for key in old_keys if not key.startswith(_PATH_KEY)}
    holders = store.documents_by_key(name_keys)
    in_use = {key for key, documents in holders.items() if any(key in path_keys(document) for document in documents)}
    former: defaultdict[str, dict[str, None]] = defaultdict(dict)  # a dict as an ordered set
    for old, new in sorted(renamed.items()):
        former[new].update(dict.fromkeys(key for key in keys[old] if key not in in_use))
    return {
        document: tuple(key for key in old_keys if key not in path_keys(document))
        for document, old_keys in former.items()
    }


def find_outdated(before: Mapping[str, str], renamed: Mapping[str, str], store: Store) -> dict[str, tuple[str, ...]]:
    """List documents whose stored former keys are outdated, with the right ones."""
    expected = former_keys(renamed, store)
    ever_former: defaultdict[str, set[str]] = defaultdict(set)
    for old, new in (*before.items(), *renamed.items()):
        ever_former[new].update(path_keys(old))
    outdated = {}
    for id_, document in store.documents(ever_former.keys()).items():
        stored = (set(document.names) & ever_former[id_]).difference(path_keys(id_))
        if stored != set(expected.get(id_, ())):
            outdated[id_] = expected.get(id_, ())
    return outdated
