"""Detection of a text's language by its script."""

import re
import unicodedata
from collections import Counter

SAMPLE_CHARS = 4000
"""Characters of a text that are looked at."""
MIN_SHARE = 0.15
"""Share of a text's letters from which a script is that of the text, not of a quotation."""
# Patterns are compiled at first use: large ranges take milliseconds, and most texts are ASCII.
_KANA = r"[\u3041-\u30fa\u30fc]"
_HANGUL = r"[\uac00-\ud7a3]"
_HAN = r"[\u4e00-\u9fff]"
_LETTER = r"[^\W\d_]"
_OTHER_SCRIPTS = r"[\u0370-\u1cff\u1f00-\u1fff]"
"""Code points of Greek, Cyrillic, Hebrew, Arabic, the scripts of India and South-East Asia, and others."""
_NOT_LATIN = r"[\u0370-\u1cff\u1f00-\u1fff\u3041-\ud7a3]"
_GREEK_WORD = r"[\u0370-\u03ff\u1f00-\u1fff]{2}"
_LANGUAGES = {
    "GREEK": "el",
    "HEBREW": "he",
    "DEVANAGARI": "hi",
    "BENGALI": "bn",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
    "GEORGIAN": "ka",
    "HANGUL": "ko",
}
"""Language of a script, which is the first word of its letters' Unicode names."""
_BY_LETTERS = {
    "CYRILLIC": (
        ("kk", r"[әғқңұһ]"),
        ("uk", r"[іїєґ]|\b(?:як|що|або)\b|(?:ити|увати|ення)\b"),
        ("sr", r"[ђјљњћџ]"),
        ("bg", r"ъ(?![еёюя])"),  # in Russian it stands before these vowels only
        ("ru", "."),
    ),
    "ARABIC": (
        ("ur", r"[ٹڈڑںےہھ]"),
        ("fa", r"[پچژگکی]"),
        ("ar", "."),
    ),
}
"""Languages of one script by patterns that only they have; the last is the most frequent one."""
_MIN_LETTER_SHARE = 0.005
"""Share of such letters, below which they are a quotation or a name."""


def detect_cjk_language(text: str, min_share: float = MIN_SHARE) -> str:
    """Detect Japanese, Korean and Chinese by the share of their scripts, else return "".

    >>> (detect_cjk_language("検索の設定"), detect_cjk_language("검색 설정"), detect_cjk_language("搜索设置"),
    ...  detect_cjk_language("search"))
    ('ja', 'ko', 'zh', '')
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii():
        return ""
    threshold = max(len(re.findall(_LETTER, sample)) * min_share, 1)
    kana, hangul, han = (len(re.findall(script, sample)) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul + han < threshold:
        return ""
    if hangul > kana + han:
        return "ko"
    return "ja" if kana * 20 > han else "zh"


def detect_script_language(text: str, min_share: float = MIN_SHARE) -> str:
    """Detect the language of a text in a script other than Latin, else return "".

    A script without a known language is `other`.

    >>> [detect_script_language(text) for text in ("Чай готов", "Чай ще гарячий, є й цукор", "شاي", "چای", "ชา", "tea")]
    ['ru', 'uk', 'ar', 'fa', 'th', '']
    >>> detect_script_language("λ calculus"), detect_script_language("π r"), detect_script_language("λόγος")
    ('', '', 'el')
    """
    sample = text[:SAMPLE_CHARS]
    if sample.isascii() or not re.search(_NOT_LATIN, sample):
        return ""
    cjk_language = detect_cjk_language(sample, min_share)
    if cjk_language:
        return cjk_language
    letters = re.findall(_OTHER_SCRIPTS, sample)
    if len(letters) < max(len(re.findall(_LETTER, sample)) * min_share, 1):
        return ""
    scripts: Counter[str] = Counter()
    for letter, count in Counter(letters).items():
        scripts[unicodedata.name(letter, "").partition(" ")[0]] += count
    script = scripts.most_common(1)[0][0]
    if script == "GREEK" and not re.search(_GREEK_WORD, sample):
        return ""  # a symbol of mathematics
    threshold = len(letters) * _MIN_LETTER_SHARE
    for language, pattern in _BY_LETTERS.get(script, ()):
        if len(re.findall(pattern, sample, re.IGNORECASE)) > threshold:
            return language
    return _LANGUAGES.get(script, "other")
