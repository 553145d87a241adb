"""Normalisation of document types, so that filters match synonyms."""

import re

SYNONYMS = {
    "adr": "decision_record",
    "adrs": "decision_record",
    "decision": "decision_record",
    "decisions": "decision_record",
    "decision-record": "decision_record",
    "db_schema": "db-schema",
    "implementation-summary": "implementation_summary",
    "task": "tasks",
    "constitution": "constitutional",
}
"""Types by their other names, in lower case with hyphens."""
_SEPARATORS = re.compile(r"[\W_]+")


def normalise_doc_type(value: str) -> str:
    """Normalise a document type to the form that filters use.

    >>> normalise_doc_type("ADR"), normalise_doc_type("Implementation Summary"), normalise_doc_type("recipe")
    ('decision_record', 'implementation_summary', 'recipe')
    """
    written = value.strip().lower()
    return SYNONYMS.get(_SEPARATORS.sub("-", written), written)
