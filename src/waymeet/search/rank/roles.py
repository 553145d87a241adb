"""Stage that weighs candidates by the roles of their files."""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from waymeet.analysis import detect_language
from waymeet.analysis.file_roles import (
    BENCHMARK,
    DATA,
    DOCUMENTATION,
    EXAMPLE,
    IMAGE,
    LOCALE,
    LOCK,
    SOURCE,
    TEST,
    find_role,
)
from waymeet.analysis.role_words import named_roles
from waymeet.formulas.explanation import product, value
from waymeet.search.fuse.fusion import sort_candidates
from waymeet.search.state import Search, Tools
from waymeet.search.understand.question_form import QuestionForm, find_question_form
from waymeet.settings import RoleFactors, Settings
from waymeet.types import Candidate, Filters

_OTHER_FILES = frozenset({DATA, IMAGE, LOCALE, LOCK})
"""Roles of files that are neither code nor documents, which `kind:files` selects."""
_CODE_ROLES = frozenset({SOURCE, TEST, BENCHMARK})
_DOCUMENT_ROLES = frozenset({DOCUMENTATION, EXAMPLE})
_FILE_NAME = re.compile(r"[\w@.+-]*[/\\][\w@.+/\\-]*\w|[\w@+-][\w@.+-]*\.[a-z]\w*", re.IGNORECASE)
"""A path, or a file name with its extension."""


def weigh_roles(search: Search, tools: Tools, settings: Settings) -> Search:
    """Multiply scores by the factors of the roles of files, such as tests and release notes.

    A factor is 1 if the query refers to the role or names the file, or if nearly all files of the index have the role.
    Code has a further factor if the query is a question that documentation answers, and documentation has one if the
    query asks where in the code something is done.
    """
    roles = tools.store.roles({candidate.document for candidate in search.candidates})
    factors = _role_factors(search, tools, settings.auto.roles, roles.values())
    if not factors:
        return search.skip("all roles have the factor 1")
    names = [match[0].lower().replace("\\", "/").removeprefix("./") for match in _FILE_NAME.finditer(search.query.text)]
    weighed = [
        _weigh(candidate, factors[role], role)
        if (role := roles.get(candidate.document, "")) in factors and not _is_named(candidate.document, names)
        else candidate
        for candidate in search.candidates
    ]
    return replace(search, candidates=sort_candidates(weighed))


def _role_factors(search: Search, tools: Tools, settings: RoleFactors, roles: Iterable[str]) -> Mapping[str, float]:
    """Return the factors other than 1 of the roles that the query does not refer to."""
    present = set(roles)
    form_factors = _form_factors(search, settings, present)
    factors = {role: factor for role in present if (factor := settings.of(role)) != 1.0}
    if not factors and not form_factors:
        return {}
    named = named_roles(search.query.text) | _filter_roles(search.filters)
    if LOCALE in factors and detect_language(search.text) not in {"", "en"}:
        named |= {LOCALE}  # the messages of a catalogue are in the language of the query
    profile = tools.store.corpus_profile()
    exempt = named | {role for role in present if profile.role_share(role) >= settings.dominant_share}
    factors = {role: factor for role, factor in factors.items() if role not in exempt}
    form_factors = {role: factor for role, factor in form_factors.items() if role not in exempt or role in _CODE_ROLES}
    if TEST in form_factors and TEST not in exempt:
        form_factors[TEST] *= settings.test_for_question
    factors |= {role: factors.get(role, 1.0) * factor for role, factor in form_factors.items()}
    return {role: factor for role, factor in factors.items() if factor != 1.0}


def _form_factors(search: Search, settings: RoleFactors, present: set[str]) -> dict[str, float]:
    """Return the factors of code or documentation by the form of the query, if there are both."""
    if DOCUMENTATION not in present or present.isdisjoint(_CODE_ROLES):
        return {}
    by_form = {
        QuestionForm.TASK: (_CODE_ROLES, settings.code_for_task),
        QuestionForm.PROSE: (_CODE_ROLES, settings.code_for_prose),
        QuestionForm.CODE: (_DOCUMENT_ROLES, settings.documentation_for_code if SOURCE in present else 1.0),
    }
    roles, factor = by_form.get(find_question_form(search.query.text), (frozenset[str](), 1.0))
    return dict.fromkeys(present & roles, factor)


def _filter_roles(filters: Filters) -> frozenset[str]:
    """List the roles of the files that filters by path or kind select."""
    roles = {find_role(f"{path}/a.py", "code", "python") for path in filters.paths}
    roles |= {find_role(f"{path}/a.md", "docs", "markdown") for path in filters.paths}
    return frozenset(roles | _OTHER_FILES) if "files" in filters.kinds else frozenset(roles)


def _is_named(document: str, names: Iterable[str]) -> bool:
    """Check whether one of the names is the path of a document, its end, or a folder in it."""
    path = f"/{document.lower()}/"
    return any(f"/{name.strip('/')}/" in path for name in names)


def _weigh(candidate: Candidate, factor: float, role: str) -> Candidate:
    """Multiply a score by the factor of a role, as one more factor if it is a product already."""
    score, node = candidate.score, value(factor, f"role factor ({role})")
    if score.operation == "product":
        return replace(candidate, score=product(f"{score.description} × role factor", *score.parts, node))
    return replace(candidate, score=product("score × role factor", score, node))
