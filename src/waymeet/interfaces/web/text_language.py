"""Choose the `lang` attribute of a text.

Browsers select fonts for Chinese, Japanese and Korean by it.
"""

import re

_KANA = re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")
_HANGUL = re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_MAX_CHARS = 2000


def find_text_language(text: str, declared: str = "") -> str:
    """Find the language of a text by its script, or return an empty text for other scripts.

    Characters alone do not tell Chinese from a Japanese title without kana, so a declared language has priority.

    >>> find_text_language("検索する"), find_text_language("全文检索"), find_text_language("検索", "ja")
    ('ja', 'zh', 'ja')
    >>> find_text_language("검색"), find_text_language("search")
    ('ko', '')
    """
    sample = text[:_MAX_CHARS]
    if _KANA.search(sample):
        return "ja"
    if _HANGUL.search(sample):
        return "ko"
    if not _HAN.search(sample):
        return ""
    return declared if declared.partition("-")[0] in {"ja", "zh", "ko"} else "zh"
