"""Staleness verdicts for the documents of a store."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waymeet.analysis.file_roles import CHANGELOG, RELEASE_NOTES, find_role
from waymeet.formulas.staleness import (
    NO_REFERENCES,
    WORST_FIRST,
    Cause,
    ChangeTime,
    ReferenceState,
    State,
    Verdict,
    judge_staleness,
)
from waymeet.ports import Store
from waymeet.settings import Settings
from waymeet.staleness.dates import ChangeDates, Reference, list_references, load_change_dates
from waymeet.staleness.references import contains_symbol, digest_symbol
from waymeet.staleness.scope import DESCRIBED, batches, is_below
from waymeet.types import Chunk, Document

_NOT_CHECKED = Verdict("unknown", "code, other files and folders are not checked for staleness")
_UNKNOWN = Verdict("unknown", NO_REFERENCES)
_HISTORICAL = frozenset({CHANGELOG, RELEASE_NOTES})
"""Roles of pages about the past; code that they mention may have changed or be gone."""


class StaleDocument(Struct, frozen=True):
    """A document with its staleness."""

    document: str
    title: str
    state: State
    reason: str
    causes: tuple[Cause, ...] = ()


def judge_documents(
    store: Store,
    documents: Mapping[str, Document],
    settings: Settings,
    now: int,
    change_dates: ChangeDates | None = None,
) -> dict[str, Verdict]:
    """Judge documents by the change dates kept in the store."""
    judged = [id_ for id_, each in documents.items() if each.kind not in DESCRIBED]
    change_dates = change_dates or (load_change_dates(store) if judged else ChangeDates())
    references = list_references(store, judged, change_dates.gone_names)
    ids = {each.target for listed in references.values() for each in listed if each.target is not None}
    targets = {**documents, **store.documents(ids - documents.keys())}
    verdicts = {id_: _NOT_CHECKED if each.kind in DESCRIBED else _UNKNOWN for id_, each in documents.items()}
    for id_, listed in references.items():
        is_historical = find_role(id_, documents[id_].kind, documents[id_].language) in _HISTORICAL
        relevant = [
            reference
            for reference in listed
            if _is_relevant(reference, targets, change_dates) and (reference.is_source or not is_historical)
        ]
        if relevant:
            states = _find_reference_states(store, relevant, targets, change_dates)
            changed_at = change_dates.of_document(documents[id_])
            verdicts[id_] = judge_staleness(changed_at, states, now, settings.staleness.threshold_days)
    return verdicts


def list_stale(
    store: Store, settings: Settings, now: int, change_dates: ChangeDates, paths: Collection[str] = ()
) -> tuple[StaleDocument, ...]:
    """Judge every document that describes something, in all paths or in some, the worst first."""
    judged = []
    with store.snapshot():
        for batch in batches([id_ for id_ in store.fingerprints() if is_below(id_, paths)]):
            documents = {id_: each for id_, each in store.documents(batch).items() if each.kind not in DESCRIBED}
            for id_, verdict in judge_documents(store, documents, settings, now, change_dates).items():
                judged.append(StaleDocument(id_, documents[id_].title, verdict.state, verdict.reason, verdict.causes))
    return tuple(sorted(judged, key=lambda each: (WORST_FIRST.index(each.state), each.document)))


def _is_relevant(reference: Reference, targets: Mapping[str, Document], change_dates: ChangeDates) -> bool:
    """Check whether a reference counts: a source, or mentioned code that exists or has existed."""
    if reference.target is None and reference.symbol:
        return reference.symbol in change_dates.gone_names
    if reference.is_source or reference.target is None:
        return reference.is_source or change_dates.has_existed(reference.name)
    return targets[reference.target].kind == "code"


def _find_reference_states(
    store: Store, references: Sequence[Reference], targets: Mapping[str, Document], change_dates: ChangeDates
) -> list[ReferenceState]:
    """Find the state of each file and symbol referred to, once each.

    Sources come first, so that a source that is also mentioned counts as a source.
    """
    states: dict[tuple[str, str], ReferenceState] = {}
    chunks = _read_undated_symbols(store, references, targets, change_dates)
    described_in_part = {each.target for each in references if each.is_source and each.symbol}
    for reference in sorted(references, key=lambda each: (not each.is_source, each.symbol)):
        if not reference.is_source and not reference.symbol and reference.target in described_in_part:
            continue  # the document names the part of the file that it describes
        if reference.target is None and reference.symbol:
            states.setdefault(("", reference.symbol), _find_name_state(reference, change_dates))
            continue
        if not reference.is_source and reference.symbol in change_dates.gone_names:
            continue  # its name explains more
        target = targets[reference.target] if reference.target else None
        state = _find_file_state(store, reference, target, change_dates)
        if state is None:
            continue
        if target and reference.symbol:
            state = _narrow_to_symbol(state, reference.symbol, target, chunks, change_dates)
        file = reference.target or reference.name
        if state.changed is None or (file, "") not in states:
            states.setdefault((file, reference.symbol), state)
    return list(states.values())


def _read_undated_symbols(
    store: Store, references: Sequence[Reference], targets: Mapping[str, Document], change_dates: ChangeDates
) -> Mapping[str, Sequence[Chunk]]:
    """Read the chunks of files with symbols whose digests are not kept."""
    symbols = [(each.target, each.symbol) for each in references if each.target and each.symbol]
    return store.chunks_of({id_ for id_, symbol in symbols if not change_dates.symbol_digest(targets[id_], symbol)})


def _find_name_state(reference: Reference, change_dates: ChangeDates) -> ReferenceState:
    """Return the state of a name that the code no longer defines."""
    removal, similar = (gone := change_dates.gone_names[reference.symbol]).removal, gone.similar
    removed_at = ChangeTime(removal.time_ns, "commit" if removal.commit else "edit") if removal.time_ns else None
    return ReferenceState(
        removal.path,
        None,
        is_mention=True,
        gone=removed_at,
        symbol=reference.symbol,
        removed_by=removal.commit,
        similar=similar,
        is_name=True,
    )


def _find_file_state(
    store: Store, reference: Reference, target: Document | None, change_dates: ChangeDates
) -> ReferenceState | None:
    """Find the state of the file that is referred to, or None without a name and a target."""
    is_mention = not reference.is_source
    if reference.name:
        return replace(_find_renamed_state(store, reference.name, target, change_dates), is_mention=is_mention)
    if target is None:
        return None
    # A folder has the date of its newest file, kept among the unindexed ones.
    changed_at = change_dates.unindexed.get(target.id) or change_dates.of_document(target)
    return ReferenceState(target.id, changed_at, is_mention=is_mention)


def _narrow_to_symbol(
    state: ReferenceState,
    symbol: str,
    target: Document,
    chunks: Mapping[str, Sequence[Chunk]],
    change_dates: ChangeDates,
) -> ReferenceState:
    """Replace the date of a file by that of one symbol (None if the file lacks it)."""
    digest: str | None = change_dates.symbol_digest(target, symbol)
    text = chunks.get(target.id, ())
    if not digest and change_dates.has_date(target, symbol):
        digest = digest_symbol(symbol, text)
    elif not digest:  # a digest takes longer than a look at the names, and would not be compared
        digest = "" if contains_symbol(symbol, text) else None
    changed_at = None if digest is None else change_dates.of_symbol(target, symbol, digest)
    return replace(state, symbol=symbol, changed=changed_at)


def _find_renamed_state(store: Store, name: str, target: Document | None, change_dates: ChangeDates) -> ReferenceState:
    """Find the state of a file under another name than its path: renamed, unindexed or removed."""
    if target is None and name in change_dates.unindexed:
        return ReferenceState(name, change_dates.unindexed[name])
    gone_ns, new_path = change_dates.gone.get(name, (0, ""))
    gone = ChangeTime(gone_ns) if gone_ns else None
    document = target or (store.documents([new_path]).get(new_path) if new_path else None)
    if document is None:
        return ReferenceState(name, None, gone=gone)
    return ReferenceState(name, change_dates.of_document(document), moved_to=document.id, gone=gone)
