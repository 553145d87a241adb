"""Language of a document, and the document of which it is a translation."""

import re
from collections.abc import Mapping
from typing import Any

from waymeet.analysis import path_key
from waymeet.analysis.languages import detect_cjk_language, normalise_language, parse_language_name
from waymeet.ingest.parse.metadata.frontmatter import iterate_texts
from waymeet.ingest.parse.metadata.relations import TRANSLATION
from waymeet.ingest.parse.parsed import RawLink

_TOP_LINES = 30
"""Lines at the top of a page in which a link named after a language leads to a translation."""
_LANGUAGE_KEYS = ("lang", "language", "locale")
_DOTTED = re.compile(r"(?P<stem>.+)\.(?P<code>[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|[Hh]an[st]))?)")
_JOINED = re.compile(r"(?P<stem>.+?)[-_](?P<code>[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|[Hh]an[st]))?)")
_UNAMBIGUOUS = frozenset("ja jp zh cn tw ko kr ru ua uk vi th ar fa fr es pt de pl tr en".split())
"""Codes that are no English word: `how-to-do-it.md` is not Italian."""
_DOCUSAURUS = "docusaurus-plugin-content-"
"""Prefix of the folders in which Docusaurus keeps translations, apart from the originals."""
_FOLDERS = _UNAMBIGUOUS | frozenset("it nl sv da fi cs el hu ro bg sk".split())
"""Codes of two letters that usually mean a language as the name of a folder."""


def find_language(path: str, values: Mapping[str, Any], text: str) -> str:
    """Find the language of a document from its front matter, its path or its script.

    >>> (find_language("docs/a.ja.md", {}, ""), find_language("docs/fr/a.md", {}, ""),
    ...  find_language("a.md", {"lang": "zh_CN"}, ""))
    ('ja', 'fr', 'zh-cn')
    >>> find_language("a.md", {}, "検索の設定"), find_language("a.md", {}, "text")
    ('ja', '')
    """
    stated = next(
        (
            code
            for key in _LANGUAGE_KEYS
            for each in iterate_texts(values.get(key))
            if (code := parse_language_name(each))
        ),
        "",
    )
    return stated or _parse_file_name(path)[0] or _parse_folders(path)[0] or detect_cjk_language(text)


def link_original(path: str) -> tuple[RawLink, ...]:
    """Link a translation to its original, by the language code in its path.

    Only translations have such a link; the original is reached by the reverse direction.

    >>> link_original("docs/a.ja.md")[0].refs
    ('p:docs/a.md', 'p:docs/a.en.md')
    >>> link_original("docs/ja/a.md")[0].refs
    ('p:docs/en/a.md', 'p:docs/a.md')
    >>> link_original("docs/a.md")
    ()
    """
    refs = tuple(
        dict.fromkeys(path_key(each) for each in (*_parse_file_name(path)[1], *_parse_folders(path)[1]) if each != path)
    )
    return (RawLink("", "", TRANSLATION, "", "", 1, "", refs),) if refs else ()


def is_language_link(text: str, line: int) -> bool:
    """Check whether a link at the top of a page is named after a language.

    >>> [is_language_link(*each) for each in (("日本語", 3), ("EN", 1), ("it", 1), ("日本語", 99))]
    [True, True, False, False]
    """
    if line > _TOP_LINES or not parse_language_name(text):
        return False
    return not normalise_language(text) or text.isupper() or len(text) > 2


def _parse_file_name(path: str) -> tuple[str, list[str]]:
    """Parse the language code in a file name, with the paths that the original may have."""
    folder, slash, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    for pattern, separator in ((_DOTTED, "."), (_JOINED, "")):
        match = pattern.fullmatch(stem)
        code = normalise_language(match["code"]) if match else ""
        if (
            not match
            or not code
            or (not separator and len(match["code"]) == 2 and match["code"].lower() not in _UNAMBIGUOUS)
        ):
            continue
        between = separator or stem[len(match["stem"])]
        others = (match["stem"], f"{match['stem']}{between}en")
        return code, [f"{folder}{slash}{other}{dot}{ending}" for other in others]
    return "", []


def _parse_folders(path: str) -> tuple[str, list[str]]:
    """Parse the language code in the folders, with the paths that the original may have."""
    *folders, name = path.split("/")
    for index, folder in enumerate(folders):
        code = normalise_language(folder)
        if code and (len(folder) > 2 or folder.lower() in _FOLDERS):
            before, after = folders[:index], folders[index + 1 :]
            if before[-1:] == ["i18n"] and after and after[0].startswith(_DOCUSAURUS):
                plugin = after[0].removeprefix(_DOCUSAURUS)
                below = after[2:] if after[1:2] == ["current"] else after[1:]
                return code, ["/".join((*before[:-1], plugin, *below, name))]
            return code, ["/".join((*before, *middle, *after, name)) for middle in (("en",), ())]
    return "", []
