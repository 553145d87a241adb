"""Renames: a file that vanished in one place and appeared in another with the same content is the same document.

Links that named it by its old path or file name go on leading to it: it carries the old keys as former names. What
moved is kept as a remark of the store, old path → new path, until a file appears at the old path or the new one is
gone. A fresh index of the same files knows nothing of that, unless it is given the remark.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from waymeet.ingest.build.entry import path_keys
from waymeet.ingest.discover.run_state import MOVED
from waymeet.ingest.discover.walk import FoundFile, is_unread, unread
from waymeet.ports import Store
from waymeet.types import Fingerprint

_BY_PATH = "p:"


def keep_former(store: Store, moved: Mapping[str, str]) -> None:
    """Remember what moved."""
    text = msgspec.json.encode(dict(sorted(moved.items()))).decode() if moved else ""
    if store.metadata(MOVED) != text:
        store.set_metadata(MOVED, text)


def paired(
    removed: Mapping[str, Fingerprint], added: Iterable[FoundFile], digest_of: Callable[[FoundFile], str]
) -> dict[str, str]:
    """Find out which of the files that vanished appeared elsewhere; gives old paths with the new ones.

    Files of the same content are told apart by their names; those that cannot be are no renames. Only files of a size
    that vanished are opened.
    """
    sizes = {each.size for each in removed.values() if each.size}
    there: defaultdict[str, list[str]] = defaultdict(list)
    for item in added:
        if item.size in sizes:
            there[_unread(item.size, item.modified_ns) if item.path_only_reason else digest_of(item)].append(item.path)
    here: defaultdict[str, list[str]] = defaultdict(list)
    for path, known in removed.items():
        if known.size:
            key = _unread(known.size, known.modified_ns) if is_unread(known.digest) else known.digest
            here[key].append(path)
    pairs: dict[str, str] = {}
    for content, old in here.items():
        pairs |= _matched(old, there.get(content, []))
    return pairs


def _unread(size: int, modified_ns: int) -> str:
    """Tell files that are never opened apart by size and time, which a rename does not change."""
    return f"{unread(size)} {modified_ns}"


def _matched(old: Collection[str], new: Collection[str]) -> dict[str, str]:
    """Pair paths of one content: those that alone have a file name, and what is left if that is one of each.

    >>> _matched(["a/x.md", "a/y.md"], ["b/y.md", "b/x.md"])
    {'a/x.md': 'b/x.md', 'a/y.md': 'b/y.md'}
    >>> _matched(["a.md"], ["b.md"]), _matched(["a.md"], ["b.md", "c.md"])
    ({'a.md': 'b.md'}, {})
    """
    pairs: dict[str, str] = {}
    by_name: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, paths in enumerate((old, new)):
        for path in paths:
            by_name[path.rpartition("/")[2]][side].append(path)
    for mine, others in by_name.values():
        if len(mine) == len(others) == 1:
            pairs[mine[0]] = others[0]
    left = [path for path in old if path not in pairs]
    free = set(new).difference(pairs.values())
    if len(left) == len(free) == 1:
        pairs[left[0]] = free.pop()
    return pairs


def continued(moved: Mapping[str, str], pairs: Mapping[str, str], present: Collection[str]) -> dict[str, str]:
    """Bring former paths up to date: a document that moves again keeps all its former paths.

    >>> continued({"a.md": "b.md"}, {"b.md": "c.md"}, {"c.md"})
    {'a.md': 'c.md', 'b.md': 'c.md'}
    >>> continued({"a.md": "b.md"}, {"b.md": "a.md"}, {"a.md"})
    {'b.md': 'a.md'}
    """
    now = {old: pairs.get(new, new) for old, new in moved.items()} | dict(pairs)
    return {old: new for old, new in now.items() if old not in present and new in present}


def former_names(moved: Mapping[str, str], store: Store) -> dict[str, tuple[str, ...]]:
    """List the keys that moved documents should carry beside their own.

    The former path always; the former file name as long as no document is really called so.
    """
    keys = {old: path_keys(old) for old in moved}
    taken = store.documents_by_key({key for each in keys.values() for key in each if not key.startswith(_BY_PATH)})
    real = {key for key, documents in taken.items() if any(key in path_keys(document) for document in documents)}
    wanted: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for old, new in sorted(moved.items()):
        wanted[new].update(dict.fromkeys(key for key in keys[old] if key not in real))
    return {document: tuple(key for key in each if key not in path_keys(document)) for document, each in wanted.items()}


def misnamed(was: Mapping[str, str], moved: Mapping[str, str], store: Store) -> dict[str, tuple[str, ...]]:
    """List the documents that do not carry the former names they should, with those."""
    wanted = former_names(moved, store)
    ever: defaultdict[str, set[str]] = defaultdict(set)
    for old, new in (*was.items(), *moved.items()):
        ever[new].update(path_keys(old))
    found = {}
    for id_, document in store.documents(ever.keys()).items():
        carried = (set(document.names) & ever[id_]).difference(path_keys(id_))
        if carried != set(wanted.get(id_, ())):
            found[id_] = wanted.get(id_, ())
    return found
