"""Finding out when documents and what they refer to last changed: work for indexing, not for a search."""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from waymeet.formulas.staleness import ChangeTime, is_after
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.staleness.dates import NOTE, ChangeDates, Remembered, recalled, references
from waymeet.staleness.git_history import History, Reader, former, head, history
from waymeet.staleness.references import digest_of, find_unindexed, held
from waymeet.staleness.scope import DESCRIBED, batches
from waymeet.types import Document

_MOST_INSIDE = 2000
"""Files of one folder that are looked at."""
_MOST_FORMER = 100
"""Former versions of files that git is asked for."""

Named = Mapping[tuple[str, str], Collection[str]]
"""Symbols, each with its file, and the documents that refer to them."""


def update_change_dates(store: Store, root: Path, read: Reader, settings: Settings, now: int) -> ChangeDates:
    """Find out when everything last changed, if anything happened since that was done, and remember it."""
    seconds = settings.staleness.git_seconds
    before, commit = recalled(store), head(root, seconds)
    if (before.generation, before.head) == (store.generation, commit.head) and commit.problem in {"", before.problem}:
        return before
    with store.snapshot() as generation:
        documents, missing, named = _involved(store, before)
        homes = _homes(store, before, missing)
        documents.update(store.documents(set(homes.values()) - documents.keys()))
    beside = find_unindexed(root, [name for name in missing if name not in homes])
    inside = _inside(store, documents, beside)
    documents.update({id_: each for found in inside.values() for id_, each in found.items()})
    kept = _kept(before, commit.head, documents)
    told = commit
    if commit.head:
        wanted = [*(path for path in documents if path not in kept), *(path for path, _ in beside.values())]
        sought = {
            name for name in missing if name not in beside and (name not in before.gone or before.head != commit.head)
        }
        told = history(root, wanted, sought, read, seconds)
        moved = store.documents({path for _, path in told.gone.values()} - documents.keys())
        if moved:
            documents.update(moved)
            later = history(root, moved, (), read, seconds)
            told = replace(told, changed={**told.changed, **later.changed}, edited=told.edited | later.edited)
    times = {
        path: kept.get(path) or Remembered(document.digest, _moment(document, before, told, now))
        for path, document in documents.items()
    }
    symbols = _symbols(store, before, documents, times, named)
    symbols |= _earlier(store, root, commit.head, seconds, _doubted(before, symbols, times, named))
    moments = ChangeDates(
        generation=generation,
        head=commit.head,
        problem=told.problem,
        times=times,
        gone=_gone(before, told, missing, homes, now),
        beside={name: _file_moment(path, at, told) for name, (path, at) in beside.items()}
        | {
            name: max((times[id_].moment for id_ in found), key=lambda each: each.time_ns)
            for name, found in inside.items()
        },
        symbols=symbols,
    )
    store.set_metadata(NOTE, msgspec.json.encode(moments).decode())
    return moments


def _symbols(
    store: Store, before: ChangeDates, documents: Mapping[str, Document], times: Mapping[str, Remembered], named: Named
) -> dict[str, Remembered]:
    """Say since when symbols have had their texts: as long as is remembered, else since their file changed."""
    found = {}
    for batch in batches({document for document, _ in named}):
        same = {id_ for id_ in batch if id_ in before.times and before.times[id_].digest == documents[id_].digest}
        inside = {each for each in named if each[0] in set(batch)}
        known = {each for each in inside if each[0] in same and "#".join(each) in before.symbols}
        chunks = store.chunks_of({document for document, _ in inside - known})
        for document, symbol in inside:
            name, moments = f"{document}#{symbol}", [times[document].moment]
            last = before.symbols.get(name)
            at_hand = last.digest if last and (document, symbol) in known else None
            digest = at_hand or digest_of(symbol, chunks.get(document, ()))
            if last is not None and last.digest == digest:
                moments.append(last.moment)
            if digest:
                found[name] = Remembered(digest, min(moments, key=lambda each: each.time_ns))
    return found


def _doubted(
    before: ChangeDates, symbols: Mapping[str, Remembered], times: Mapping[str, Remembered], named: Named
) -> dict[tuple[str, str], set[int]]:
    """List symbols that may be older than their files, with when older documents that name them were committed."""
    found = {}
    for (document, symbol), pages in named.items():
        now, last = symbols.get(f"{document}#{symbol}"), before.symbols.get(f"{document}#{symbol}")
        if now is not None and (last is None or last.digest != now.digest):
            found[document, symbol] = _ages([times[page].moment for page in pages], times[document].moment)
    return {each: ages for each, ages in found.items() if ages}


def _earlier(
    store: Store, root: Path, commit: str, seconds: float, doubted: Mapping[tuple[str, str], Collection[int]]
) -> dict[str, Remembered]:
    """Ask git whether symbols had their texts already when documents that refer to them were committed."""
    pairs = sorted({(document, at) for (document, _), ages in doubted.items() for at in ages})
    texts = former(root, commit, pairs[:_MOST_FORMER], seconds) if commit else {}
    chunks = store.chunks_of({document for document, _ in texts})
    found = {}
    for (document, symbol), ages in doubted.items():
        pieces = chunks.get(document, ())
        so = [at for at in ages if (document, at) in texts and held(symbol, pieces, texts[document, at])]
        if so and (digest := digest_of(symbol, pieces)):
            found[f"{document}#{symbol}"] = Remembered(digest, ChangeTime(min(so), "commit"))
    return found


def _ages(pages: Collection[ChangeTime], whole: ChangeTime) -> set[int]:
    """List when documents were committed that are older than a file they refer to."""
    return {each.time_ns for each in pages if each.source == "commit" and is_after(whole, each)}


def _gone(
    before: ChangeDates, told: History, missing: Collection[str], homes: Mapping[str, str], now: int
) -> dict[str, tuple[int, str]]:
    """Say of each missing source when it vanished (0 if nobody knows) and what it has become."""
    found = {}
    for name in missing:
        at, home = told.gone.get(name) or before.gone.get(name) or (0, "")
        seen = name in homes or name in before.times
        found[name] = at or (now if seen else 0), homes.get(name, home)
    return found


def _inside(
    store: Store, documents: Mapping[str, Document], beside: Mapping[str, tuple[str, int]]
) -> dict[str, Mapping[str, Document]]:
    """Find the files in folders that documents name as sources: a folder is as new as the newest of them."""
    folders = {id_: id_ for id_, each in documents.items() if each.kind == "folders"}
    folders |= {name: path for name, (path, _) in beside.items() if path.endswith("/")}
    ids = sorted(store.fingerprints()) if folders else []
    found = {}
    for name, folder in folders.items():
        below = [id_ for id_ in ids if id_.startswith(folder) and not id_.endswith("/")]
        if below:
            found[name] = store.documents(below[:_MOST_INSIDE])
    return found


def _kept(before: ChangeDates, commit: str, documents: Mapping[str, Document]) -> dict[str, Remembered]:
    """Keep what was found out about the same content at the same commit."""
    return {
        path: before.times[path]
        for path, document in documents.items()
        if before.head == commit and path in before.times and before.times[path].digest == document.digest
    }


def _file_moment(path: str, at: int, told: History) -> ChangeTime:
    if path in told.changed:
        return ChangeTime(told.changed[path], "commit")
    return ChangeTime(at, "edit" if path in told.edited else "file")


def _involved(store: Store, before: ChangeDates) -> tuple[dict[str, Document], dict[str, str | None], Named]:
    """Collect the documents that refer to something with what they refer to, names of missing sources and symbols.

    With each name comes the document that the store leads it to all the same, for example because it was renamed.
    """
    involved: dict[str, Document] = {}
    missing: dict[str, str | None] = {}
    named: dict[tuple[str, str], set[str]] = {}
    for batch in batches(store.fingerprints()):
        documents = {id_: each for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED}
        referred = references(store, documents)
        ends = store.documents({each.target for found in referred.values() for each in found if each.target})
        for id_, found in referred.items():
            sources = {each for each in found if each.source or (each.name and before.knew(each.name))}
            met = {
                each.target for each in found if each.target and (each in sources or ends[each.target].kind == "code")
            }
            for each in found:
                if each.symbol and each.target and each.target in met:
                    named.setdefault((each.target, each.symbol), set()).add(id_)
            missing.update({each.name: each.target or missing.get(each.name) for each in sources if each.name})
            if sources or met:
                involved[id_] = documents[id_]
                involved.update({end: ends[end] for end in met})
    return involved, missing, named


def _homes(store: Store, before: ChangeDates, missing: Mapping[str, str | None]) -> dict[str, str]:
    """Find the files that sources which are missing have become: that a link leads to, or of the same content."""
    homes = {name: target for name, target in missing.items() if target}
    digests = {before.times[name].digest: name for name in missing if name in before.times and name not in homes}
    if digests:
        same = {digests[each.digest]: id_ for id_, each in store.fingerprints().items() if each.digest in digests}
        homes |= same
    return homes


def _moment(document: Document, before: ChangeDates, told: History, now: int) -> ChangeTime:
    """Say when a document last changed: by its commit, unless the file is another by now; else by its file's time."""
    if document.id in told.changed:
        return ChangeTime(told.changed[document.id], "commit")
    last = before.times.get(document.id)
    if last is not None and last.digest == document.digest and last.moment.source != "commit":
        return last.moment
    if last is not None and last.digest != document.digest:
        # A file put back from a copy has an old time, but its content is new here.
        return ChangeTime(document.modified_ns if document.modified_ns > last.moment.time_ns else now, "edit")
    return ChangeTime(document.modified_ns, "edit" if document.id in told.edited else "file")
