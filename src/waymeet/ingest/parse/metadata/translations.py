"""Which language a document is written in, and of which document it is a translation."""

import re
from collections.abc import Mapping
from typing import Any

from waymeet.analysis import path_key
from waymeet.analysis.languages import detect_cjk_language, normalise_language, parse_language_name
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.ingest.parse.metadata.relations import TRANSLATION
from waymeet.ingest.parse.parsed import RawLink

TOP = 30
"""Lines at the top of a page in which a link called by a language's name leads to a translation."""
_STATED = ("lang", "language", "locale")
_DOTTED = re.compile(r"(?P<stem>.+)\.(?P<code>[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|[Hh]an[st]))?)")
_JOINED = re.compile(r"(?P<stem>.+?)[-_](?P<code>[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|[Hh]an[st]))?)")
_NO_WORDS = frozenset("ja jp zh cn tw ko kr ru ua uk vi th ar fa fr es pt de pl tr en".split())
"""Codes that are no English word: `how-to-do-it.md` is not Italian."""
_DOCUSAURUS = "docusaurus-plugin-content-"
"""How the folders begin in which that tool keeps translations, far from the originals."""
_FOLDERS = _NO_WORDS | frozenset("it nl sv da fi cs el hu ro bg sk".split())
"""Codes of two letters that folders have for languages more often than for anything else."""


def spoken(path: str, values: Mapping[str, Any], text: str) -> str:
    """Say in which language a document is written, if its front matter, its path or its script tells.

    >>> spoken("docs/a.ja.md", {}, ""), spoken("docs/fr/a.md", {}, ""), spoken("a.md", {"lang": "zh_CN"}, "")
    ('ja', 'fr', 'zh-cn')
    >>> spoken("a.md", {}, "検索の設定"), spoken("a.md", {}, "text")
    ('ja', '')
    """
    stated = next(
        (code for key in _STATED for each in iterate_texts(values.get(key)) if (code := parse_language_name(each))), ""
    )
    return stated or _of_name(path)[0] or _of_folder(path)[0] or detect_cjk_language(text)


def counterparts(path: str) -> tuple[RawLink, ...]:
    """Link a document to what it may be a translation of, judged by its path.

    Translations point at the original; which translations there are is known from the other end of the links.

    >>> counterparts("docs/a.ja.md")[0].refs
    ('p:docs/a.md', 'p:docs/a.en.md')
    >>> counterparts("docs/ja/a.md")[0].refs
    ('p:docs/en/a.md', 'p:docs/a.md')
    >>> counterparts("docs/a.md")
    ()
    """
    refs = tuple(dict.fromkeys(path_key(each) for each in (*_of_name(path)[1], *_of_folder(path)[1]) if each != path))
    return (RawLink("", "", TRANSLATION, "", "", 1, "", refs),) if refs else ()


def is_language_link(text: str, line: int) -> bool:
    """Tell whether a link is called by the name of a language, as those at the top of translated pages are.

    >>> [is_language_link(*each) for each in (("日本語", 3), ("EN", 1), ("it", 1), ("日本語", 99))]
    [True, True, False, False]
    """
    if line > TOP or not parse_language_name(text):
        return False
    return not normalise_language(text) or text.isupper() or len(text) > 2


def _of_name(path: str) -> tuple[str, list[str]]:
    """Read the language from a file's name, with the names that the original may have."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    for pattern, joint in ((_DOTTED, "."), (_JOINED, "")):
        found = pattern.fullmatch(stem)
        code = normalise_language(found["code"]) if found else ""
        if not found or not code or (not joint and len(found["code"]) == 2 and found["code"].lower() not in _NO_WORDS):
            continue
        between = joint or stem[len(found["stem"])]
        others = (found["stem"], f"{found['stem']}{between}en")
        return code, [f"{folder}{slash}{other}{dot}{ending}" for other in others]
    return "", []


def _of_folder(path: str) -> tuple[str, list[str]]:
    """Read the language from the folders, with the places where the original may lie."""
    *folders, name = path.split("/")
    for at, folder in enumerate(folders):
        code = normalise_language(folder)
        if code and (len(folder) > 2 or folder.lower() in _FOLDERS):
            before, behind = folders[:at], folders[at + 1 :]
            if before[-1:] == ["i18n"] and behind and behind[0].startswith(_DOCUSAURUS):
                what, rest = (
                    behind[0].removeprefix(_DOCUSAURUS),
                    behind[2:] if behind[1:2] == ["current"] else behind[1:],
                )
                return code, ["/".join((*before[:-1], what, *rest, name))]
            return code, ["/".join((*before, *middle, *behind, name)) for middle in (("en",), ())]
    return "", []
