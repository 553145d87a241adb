"""Update of the change dates in a store, from git and file times, after indexing."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from waymeet.errors import ReadOnlyIndexError
from waymeet.formulas.staleness import ChangeTime, is_after
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.staleness.dates import (
    METADATA_KEY,
    ChangeDates,
    DatedDigest,
    Reference,
    Removal,
    list_references,
    load_change_dates,
)
from waymeet.staleness.git_history import History, Reader, read_former_texts, read_head, read_history
from waymeet.staleness.gone_names import find_gone_names
from waymeet.staleness.references import digest_symbol, find_unindexed, has_same_symbol
from waymeet.staleness.removed_names import read_uncommitted_removals, update_removed_names
from waymeet.staleness.scope import DESCRIBED, batches
from waymeet.types import Document

_MAX_FOLDER_FILES = 2000
"""Number of files of one folder that are looked at."""
_MAX_FORMER = 100
"""Number of former versions of files that are read from git."""

SymbolKey = tuple[str, str]
"""Document id and name of a symbol."""


class _References(NamedTuple):
    """Documents that refer to something, and the targets of their references."""

    documents: dict[str, Document]
    """Both the documents with references and their targets."""
    missing: dict[str, str | None]
    """Names that are no paths of documents, each with the document that the store resolves it to, if any.

    The store resolves the name of a renamed source, for example.
    """
    symbols: dict[SymbolKey, set[str]]
    """Ids of the documents that refer to each symbol."""
    unresolved: dict[str, set[str]]
    """Names that no single file defines, with the texts in which documents mention them."""


class _Targets(NamedTuple):
    """Everything that needs a date."""

    generation: int
    references: _References
    new_paths: Mapping[str, str]
    """Present paths of missing names, as far as the store knows them."""
    unindexed: Mapping[str, tuple[str, int]]
    """Path and file time of names that exist but are not indexed."""
    folders: Mapping[str, Mapping[str, Document]]
    """Files of the folders that are referred to, by the name of the folder."""


class _Git(NamedTuple):
    """Access to the git history of a project."""

    root: Path
    read: Reader
    seconds: float
    commit: str

    def read_history(self, paths: Collection[str], gone: Collection[str]) -> History:
        return read_history(self.root, paths, gone, self.read, self.seconds)


def update_change_dates(
    store: Store, root: Path, read: Reader, settings: Settings, now: int, *, search_history: bool = False
) -> ChangeDates:
    """Update and store the change dates, if the store or the commit changed since.

    With `search_history`, names that documents mention are looked for in the whole history, which may take seconds.
    """
    seconds = settings.staleness.git_seconds
    previous, history = load_change_dates(store), read_head(root, seconds)
    git = _Git(root, read, seconds, history.head)
    has_names = not search_history or (previous.names_head == git.commit and not previous.names_since)
    is_current = has_names and (previous.generation, previous.head) == (store.generation, git.commit)
    if is_current and history.problem in {"", previous.problem}:
        return previous
    targets = _collect_targets(store, root, previous)
    documents, missing, symbols, unresolved = targets.references
    kept_dates = _keep_dates(previous, git.commit, documents)
    if git.commit:
        history, moved = _query_git(store, git, previous, targets, kept_dates)
        documents.update(moved)
    times = _date_documents(documents, kept_dates, previous, history, now)
    dated_symbols = _date_symbols(store, previous, documents, times, symbols)
    uncertain = _find_uncertain_symbols(previous, dated_symbols, times, symbols)
    removed = update_removed_names(store, root, git.commit, seconds, search_history=search_history)
    former = _list_former_names(store, git, previous, unresolved, now)
    change_dates = ChangeDates(
        generation=targets.generation,
        head=git.commit,
        problem=history.problem,
        times=times,
        gone=_date_missing(previous, history, missing, targets.new_paths, now),
        unindexed=_date_unindexed(targets, history, times),
        symbols=dated_symbols | _date_by_former_texts(store, git, uncertain),
        gone_names=find_gone_names(store, unresolved, removed, former),
        names_head=removed.head,
        names_since=removed.since_ns,
    )
    with suppress(ReadOnlyIndexError):  # then they are computed again the next time
        store.set_metadata(METADATA_KEY, msgspec.json.encode(change_dates).decode())
    return change_dates


def _collect_targets(store: Store, root: Path, previous: ChangeDates) -> _Targets:
    """Collect the documents, missing names, symbols and folders that need a date."""
    with store.snapshot() as generation:
        references = _collect_references(store, previous)
        documents, missing, *_ = references
        new_paths = _find_new_paths(store, previous, missing)
        documents.update(store.documents(set(new_paths.values()) - documents.keys()))
    unindexed = find_unindexed(root, [name for name in missing if name not in new_paths])
    folders = _list_folder_files(store, documents, unindexed)
    documents.update({id_: each for files in folders.values() for id_, each in files.items()})
    return _Targets(generation, references, new_paths, unindexed, folders)


def _collect_references(store: Store, previous: ChangeDates) -> _References:
    """Collect the references of all documents in a store."""
    collected = _References({}, {}, {}, {})
    for batch in batches(store.fingerprints()):
        documents = {id_: each for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED}
        references = list_references(store, documents)
        targets = store.documents({each.target for listed in references.values() for each in listed if each.target})
        for id_, listed in references.items():
            _add_references(collected, documents[id_], listed, targets, previous)
    return collected


def _add_references(
    collected: _References,
    document: Document,
    references: Collection[Reference],
    targets: Mapping[str, Document],
    previous: ChangeDates,
) -> None:
    """Add the references that can make a document stale: sources, and mentioned or removed code."""
    sources = {each for each in references if each.is_source or (each.name and previous.has_existed(each.name))}
    dated = {
        each.target for each in references if each.target and (each in sources or targets[each.target].kind == "code")
    }
    for reference in references:
        if reference.symbol and reference.target is None:
            collected.unresolved.setdefault(reference.symbol, set()).add(reference.text)
        if reference.symbol and reference.target and reference.target in dated:
            collected.symbols.setdefault((reference.target, reference.symbol), set()).add(document.id)
    missing = collected.missing
    missing.update({each.name: each.target or missing.get(each.name) for each in sources if each.name})
    if sources or dated:
        collected.documents[document.id] = document
        collected.documents.update({target: targets[target] for target in dated})


def _find_new_paths(store: Store, previous: ChangeDates, missing: Mapping[str, str | None]) -> dict[str, str]:
    """Find the present paths of missing files, by their links or by their content."""
    new_paths = {name: target for name, target in missing.items() if target}
    digests = {
        previous.times[name].digest: name for name in missing if name in previous.times and name not in new_paths
    }
    if digests:
        fingerprints = store.fingerprints()
        new_paths |= {digests[each.digest]: id_ for id_, each in fingerprints.items() if each.digest in digests}
    return new_paths


def _list_folder_files(
    store: Store, documents: Mapping[str, Document], unindexed: Mapping[str, tuple[str, int]]
) -> dict[str, Mapping[str, Document]]:
    """List the files in folders that documents refer to."""
    folders = {id_: id_ for id_, each in documents.items() if each.kind == "folders"}
    folders |= {name: path for name, (path, _) in unindexed.items() if path.endswith("/")}
    ids = sorted(store.fingerprints()) if folders else []
    files = {}
    for name, folder in folders.items():
        below = [id_ for id_ in ids if id_.startswith(folder) and not id_.endswith("/")]
        if below:
            files[name] = store.documents(below[:_MAX_FOLDER_FILES])
    return files


def _keep_dates(previous: ChangeDates, commit: str, documents: Mapping[str, Document]) -> dict[str, DatedDigest]:
    """Return the dates that need no query to git: those of `recency` and of the same commit."""
    kept = {
        path: previous.times[path]
        for path, document in documents.items()
        if previous.head == commit and path in previous.times and previous.times[path].digest == document.digest
    }
    return kept | {
        path: DatedDigest(document.digest, ChangeTime(document.changed_ns, "commit"))
        for path, document in documents.items()
        if document.changed_by == "commit"
    }


def _query_git(
    store: Store, git: _Git, previous: ChangeDates, targets: _Targets, dated: Collection[str]
) -> tuple[History, Mapping[str, Document]]:
    """Read the history of everything without a kept date.

    The second result holds the documents that renamed files have become, as far as they were not targets before.
    """
    documents, missing, *_ = targets.references
    paths = [*(path for path in documents if path not in dated), *(path for path, _ in targets.unindexed.values())]
    known_gone = previous.gone.keys() if previous.head == git.commit else set()
    history = git.read_history(paths, missing.keys() - targets.unindexed.keys() - known_gone)
    moved = store.documents({path for _, path in history.gone.values()} - documents.keys())
    if moved:
        later = git.read_history(moved, ())
        history = replace(history, changed={**history.changed, **later.changed}, edited=history.edited | later.edited)
    return history, moved


def _date_documents(
    documents: Mapping[str, Document],
    kept: Mapping[str, DatedDigest],
    previous: ChangeDates,
    history: History,
    now: int,
) -> dict[str, DatedDigest]:
    """Date documents by their kept dates, otherwise by git or their files."""
    return {
        path: kept.get(path) or DatedDigest(document.digest, _date_document(document, previous, history, now))
        for path, document in documents.items()
    }


def _date_document(document: Document, previous: ChangeDates, history: History, now: int) -> ChangeTime:
    """Date a document by its commit or, if it differs from that, by its file."""
    if document.id in history.changed:
        return ChangeTime(history.changed[document.id], "commit")
    last = previous.times.get(document.id)
    if last is not None and last.digest == document.digest and last.changed_at.source != "commit":
        return last.changed_at
    if last is not None and last.digest != document.digest:
        # A file put back from a copy has an old time, but its content is new here.
        return ChangeTime(document.modified_ns if document.modified_ns > last.changed_at.time_ns else now, "edit")
    return ChangeTime(document.modified_ns, "edit" if document.id in history.edited else "file")


def _date_missing(
    previous: ChangeDates, history: History, missing: Collection[str], new_paths: Mapping[str, str], now: int
) -> dict[str, tuple[int, str]]:
    """Date the removal of each missing file (0 if unknown), with its present path, if any."""
    gone = {}
    for name in missing:
        gone_ns, new_path = history.gone.get(name) or previous.gone.get(name) or (0, "")
        was_indexed = name in new_paths or name in previous.times
        gone[name] = gone_ns or (now if was_indexed else 0), new_paths.get(name, new_path)
    return gone


def _date_unindexed(targets: _Targets, history: History, times: Mapping[str, DatedDigest]) -> dict[str, ChangeTime]:
    """Date files that are not indexed, and folders by their newest file."""
    dates = {name: _date_file(path, time_ns, history) for name, (path, time_ns) in targets.unindexed.items()}
    for name, files in targets.folders.items():
        dates[name] = max((times[id_].changed_at for id_ in files), key=lambda each: each.time_ns)
    return dates


def _date_file(path: str, time_ns: int, history: History) -> ChangeTime:
    if path in history.changed:
        return ChangeTime(history.changed[path], "commit")
    return ChangeTime(time_ns, "edit" if path in history.edited else "file")


def _date_symbols(
    store: Store,
    previous: ChangeDates,
    documents: Mapping[str, Document],
    times: Mapping[str, DatedDigest],
    symbols: Collection[SymbolKey],
) -> dict[str, DatedDigest]:
    """Date symbols by the previous update if their text is the same, otherwise by their file."""
    dated = {}
    for batch in batches({document for document, _ in symbols}):
        in_batch = {key for key in symbols if key[0] in set(batch)}
        unchanged = {
            id_ for id_ in batch if id_ in previous.times and previous.times[id_].digest == documents[id_].digest
        }
        digested = {key for key in in_batch if key[0] in unchanged and "#".join(key) in previous.symbols}
        chunks = store.chunks_of({document for document, _ in in_batch - digested})
        for document, symbol in in_batch:
            name, change_times = f"{document}#{symbol}", [times[document].changed_at]
            last = previous.symbols.get(name)
            known_digest = last.digest if last and (document, symbol) in digested else None
            digest = known_digest or digest_symbol(symbol, chunks.get(document, ()))
            if last is not None and last.digest == digest:
                change_times.append(last.changed_at)
            if digest:
                dated[name] = DatedDigest(digest, min(change_times, key=lambda each: each.time_ns))
    return dated


def _find_uncertain_symbols(
    previous: ChangeDates,
    dated_symbols: Mapping[str, DatedDigest],
    times: Mapping[str, DatedDigest],
    symbols: Mapping[SymbolKey, Collection[str]],
) -> dict[SymbolKey, set[int]]:
    """Find symbols that may be older than their files.

    With each come the commit times of the documents that refer to it and are older than the file.
    """
    uncertain = {}
    for (document, symbol), referring in symbols.items():
        now, last = dated_symbols.get(f"{document}#{symbol}"), previous.symbols.get(f"{document}#{symbol}")
        if now is not None and (last is None or last.digest != now.digest):
            changed_at = times[document].changed_at
            older = [times[id_].changed_at for id_ in referring]
            uncertain[document, symbol] = {
                each.time_ns for each in older if each.source == "commit" and is_after(changed_at, each)
            }
    return {key: commit_times for key, commit_times in uncertain.items() if commit_times}


def _date_by_former_texts(
    store: Store, git: _Git, uncertain: Mapping[SymbolKey, Collection[int]]
) -> dict[str, DatedDigest]:
    """Date symbols that had their present text already when a document about them was committed."""
    versions = sorted({(document, time_ns) for (document, _), times in uncertain.items() for time_ns in times})
    texts = read_former_texts(git.root, git.commit, versions[:_MAX_FORMER], git.seconds) if git.commit else {}
    chunks = store.chunks_of({document for document, _ in texts})
    dated = {}
    for (document, symbol), times in uncertain.items():
        present = chunks.get(document, ())
        same = [
            time_ns
            for time_ns in times
            if (document, time_ns) in texts and has_same_symbol(symbol, present, texts[document, time_ns])
        ]
        if same and (digest := digest_symbol(symbol, present)):
            dated[f"{document}#{symbol}"] = DatedDigest(digest, ChangeTime(min(same), "commit"))
    return dated


def _list_former_names(
    store: Store, git: _Git, previous: ChangeDates, unresolved: Collection[str], now: int
) -> dict[str, Removal]:
    """List names that the code defined at the last update or in the last commit.

    What the previous update found stays found, even where neither git nor the index have it any more.
    """
    former = {name.rpartition("#")[2].rpartition(".")[2]: name.partition("#")[0] for name in previous.symbols}
    removals = {name: Removal(path, now) for name, path in former.items()}
    if git.commit and any(name.rpartition(".")[2] not in removals for name in unresolved):
        removals = read_uncommitted_removals(store, git.root, git.commit, git.seconds, now) | removals
    return removals | {name.rpartition(".")[2]: gone.removal for name, gone in previous.gone_names.items()}
