"""Which documents may have been left behind by what they describe."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis import normalise_text
from waymeet.formulas.staleness import WORST_FIRST, Cause, ChangeTime, ReferenceState, State, Verdict, judge_staleness
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.staleness.dates import ChangeDates, Reference, recalled, references
from waymeet.staleness.references import digest_of
from waymeet.staleness.scope import DESCRIBED, batches, is_below
from waymeet.types import Chunk, Document

_NOT_ASKED = Verdict("unknown", "only what describes something can be stale")
_NOTHING = Verdict("unknown", "it names no source and mentions no code")
_PAST = frozenset({"changelog", "changes", "history", "news", "releases", "release notes", "release_notes"})
"""Pages that tell what was: what they mention may be gone."""


class StaleDocument(Struct, frozen=True):
    """A document and how it stands to what it refers to."""

    document: str
    title: str
    state: State
    reason: str
    causes: tuple[Cause, ...] = ()


def judge_documents(
    store: Store, documents: Mapping[str, Document], settings: Settings, now: int, moments: ChangeDates | None = None
) -> dict[str, Verdict]:
    """Judge documents by what is remembered of the times at which they and what they refer to changed."""
    describing = [id_ for id_, each in documents.items() if each.kind not in DESCRIBED]
    found = references(store, describing)
    ends = {each.target for leading in found.values() for each in leading if each.target is not None}
    targets = {**documents, **store.documents(ends - documents.keys())}
    verdicts = {id_: _NOT_ASKED if each.kind in DESCRIBED else _NOTHING for id_, each in documents.items()}
    for id_, all_of_it in found.items():
        moments = moments or recalled(store)
        past = normalise_text(PurePosixPath(id_).stem) in _PAST
        relevant = [each for each in all_of_it if _relevant(each, targets, moments) and (each.source or not past)]
        if relevant:
            referred = _referred(store, relevant, targets, moments)
            own = moments.of(documents[id_])
            verdicts[id_] = judge_staleness(own, referred, now, settings.staleness.threshold_days)
    return verdicts


def list_stale(
    store: Store, settings: Settings, now: int, moments: ChangeDates, paths: Collection[str] = ()
) -> tuple[StaleDocument, ...]:
    """Judge every document that can be stale, the worst first; `paths` restricts them to some folders or files."""
    found = []
    with store.snapshot():
        for batch in batches([id_ for id_ in store.fingerprints() if is_below(id_, paths)]):
            documents = {id_: each for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED}
            for id_, verdict in judge_documents(store, documents, settings, now, moments).items():
                found.append(StaleDocument(id_, documents[id_].title, verdict.state, verdict.reason, verdict.causes))
    return tuple(sorted(found, key=lambda each: (WORST_FIRST.index(each.state), each.document)))


def _relevant(each: Reference, targets: Mapping[str, Document], moments: ChangeDates) -> bool:
    """Tell whether a document can be stale by something: a source, or mentioned code that is there or was there."""
    if each.source or each.target is None:
        return each.source or moments.knew(each.name)
    return targets[each.target].kind == "code"


def _referred(
    store: Store, leading: Sequence[Reference], targets: Mapping[str, Document], moments: ChangeDates
) -> list[ReferenceState]:
    """Say what a document refers to, each thing once; a source that is also mentioned is a source."""
    found: dict[tuple[str, str], ReferenceState] = {}
    parts = [(each.target, each.symbol) for each in leading if each.target and each.symbol]
    chunks = store.chunks_of({id_ for id_, symbol in parts if not moments.knows(targets[id_], symbol)})
    partly = {each.target for each in leading if each.source and each.symbol}
    for each in sorted(leading, key=lambda each: (not each.source, each.symbol)):
        target = targets[each.target] if each.target else None
        if not each.source and not each.symbol and each.target in partly:
            continue  # the document says what of the file it describes
        if each.name:
            whole = replace(_renamed(store, each.name, target, moments), is_mention=not each.source)
        elif target:
            moment = moments.beside.get(target.id) or moments.of(target)  # of a folder, that of the newest file in it
            whole = ReferenceState(target.id, moment, is_mention=not each.source)
        else:
            continue
        part = _part(whole, each.symbol, target, chunks, moments) if target and each.symbol else whole
        if part.changed is None or (each.target or each.name, "") not in found:
            found.setdefault((each.target or each.name, each.symbol), part)
    return list(found.values())


def _part(
    whole: ReferenceState, symbol: str, target: Document, chunks: Mapping[str, Sequence[Chunk]], moments: ChangeDates
) -> ReferenceState:
    """Say when only that part of a file changed which a document refers to, or that there is no such part."""
    digest = moments.knows(target, symbol) or digest_of(symbol, chunks.get(target.id, ()))
    moment = None if digest is None else moments.of_symbol(target, symbol, digest)
    return replace(whole, symbol=symbol, changed=moment)


def _renamed(store: Store, name: str, target: Document | None, moments: ChangeDates) -> ReferenceState:
    """Say what became of a source that has not the path it is called by: it moved, is not indexed, or is gone."""
    if target is None and name in moments.beside:
        return ReferenceState(name, moments.beside[name])
    at, home = moments.gone.get(name, (0, ""))
    gone = ChangeTime(at) if at else None
    document = target or (store.documents([home]).get(home) if home else None)
    if document is None:
        return ReferenceState(name, None, gone=gone)
    return ReferenceState(name, moments.of(document), moved_to=document.id, gone=gone)
