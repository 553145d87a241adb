"""Codes and names of natural languages, and detection of a text's language."""

import re

_NAME_TABLE = """
ar Arabic العربية | bg Bulgarian Български | bn Bengali বাংলা | ca Catalan Català | cs Czech Čeština
da Danish Dansk | de German Deutsch | el Greek Ελληνικά | en English English | es Spanish Español | et Estonian Eesti
eu Basque Euskara | fa Persian فارسی | fi Finnish Suomi | fr French Français | gl Galician Galego | he Hebrew עברית
hi Hindi हिन्दी | hr Croatian Hrvatski | hu Hungarian Magyar | id Indonesian Indonesia | is Icelandic Íslenska
it Italian Italiano | ja Japanese 日本語 | ka Georgian ქართული | kk Kazakh Қазақша | ko Korean 한국어
lt Lithuanian Lietuvių | lv Latvian Latviešu | ms Malay Melayu | nb Norwegian Norsk | nl Dutch Nederlands
no Norwegian Norsk | pl Polish Polski | pt Portuguese Português | ro Romanian Română | ru Russian Русский
sk Slovak Slovenčina | sl Slovenian Slovenščina | sr Serbian Српски | sv Swedish Svenska | ta Tamil தமிழ்
te Telugu తెలుగు | th Thai ไทย | tr Turkish Türkçe | uk Ukrainian Українська | ur Urdu اردو | uz Uzbek Oʻzbekcha
vi Vietnamese Tiếng_Việt | zh Chinese 中文
"""
_LANGUAGES = {
    code: (english, own.replace("_", " "))
    for code, english, own in (each.split() for each in re.split(r"[|\n]", _NAME_TABLE) if each.strip())
}
_COUNTRY_CODES = {"jp": "ja", "cn": "zh-cn", "tw": "zh-tw", "kr": "ko", "cz": "cs", "ua": "uk", "gr": "el"}
"""Country codes that are often used in place of language codes."""
_OTHER_NAMES = {
    "简体中文": "zh-cn",
    "中文（简体）": "zh-cn",
    "中文(简体)": "zh-cn",
    "simplified chinese": "zh-cn",
    "chinese (simplified)": "zh-cn",
    "繁體中文": "zh-tw",
    "正體中文": "zh-tw",
    "中文（繁體）": "zh-tw",
    "traditional chinese": "zh-tw",
    "chinese (traditional)": "zh-tw",
    "português (brasil)": "pt-br",
    "português do brasil": "pt-br",
    "brazilian portuguese": "pt-br",
    "bahasa indonesia": "id",
    "bahasa melayu": "ms",
    "日本語版": "ja",
    "中文版": "zh",
    "한글": "ko",
    "farsi": "fa",
    "castellano": "es",
}
_BY_NAME = {name.casefold(): code for code, names in _LANGUAGES.items() for name in names} | _OTHER_NAMES
_CODE = re.compile(r"([a-z]{2})(?:[-_](hans|hant|[a-z]{2}))?")
_DECORATION = re.compile(r"^[\W_]+|[^\w)）]+$")
_KANA = re.compile(r"[\u3041-\u30fa\u30fc]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_ENGLISH = frozenset("the of and to in is are that for it with as on be this by not or from".split())
_ENGLISH_QUERY = frozenset("how what where when why which who do does did can we you my our".split())
"""Function words of English queries, which are short: "how do I" is not Polish."""
_FUNCTION_WORDS = {
    "de": "der die das und ist nicht ein eine zu den mit von auf für im dem wird sind auch sich",
    "es": "el la los las de que y en un una es por con para no se del al como más",
    "fr": "le la les des et est un une du que pour dans pas sur qui au avec ce sont par",
    "it": "il lo la gli di che e è un una per con non si del della sono nel dei come",
    "nl": "de het een en van is dat niet op te zijn voor met die aan er ook als bij naar",
    "pl": "i w na się nie do to jest z że o jak po co za od przez są dla oraz",
    "pt": "o os as de que e do da em um uma para com não por se no na dos mais",
    "tr": "ve bir bu da için ile olarak değil çok daha gibi olan en ne kadar sonra her veya ise",
}
_WORDS_BY_LANGUAGE = {code: frozenset(words.split()) for code, words in _FUNCTION_WORDS.items()}
_OTHER_SCRIPTS = re.compile(r"[\u0370-\u0e7f\u1100-\u11ff]")
"""Code points from Greek to Thai, with Cyrillic, Hebrew, Arabic and the scripts of India."""
_MAX_NAME = 60
_SAMPLE_CHARS = 4000
_MIN_SHARE = 0.15
"""Share of a text's letters from which a script is that of the text, not of a quotation."""


def normalise_language(code: str) -> str:
    """Normalise a language code, empty if it is not one.

    >>> (normalise_language("JA"), normalise_language("zh_CN"), normalise_language("pt-BR"),
    ...  normalise_language("jp"), normalise_language("md"), normalise_language("english"))
    ('ja', 'zh-cn', 'pt-br', 'ja', '', '')
    """
    written = code.strip().lower().replace("_", "-")
    match = _CODE.fullmatch(written)
    if not match:
        return ""
    known = _COUNTRY_CODES.get(written) or (written if match[1] in _LANGUAGES else "")
    return known.replace("zh-hans", "zh-cn").replace("zh-hant", "zh-tw")


def parse_language_name(name: str) -> str:
    """Return the code of a language given by its name or code, empty if it is unknown.

    >>> (parse_language_name("日本語"), parse_language_name("🇩🇪 Deutsch"), parse_language_name("zh-CN"),
    ...  parse_language_name("Setup"))
    ('ja', 'de', 'zh-cn', '')
    """
    if len(name) > _MAX_NAME:
        return ""
    word = _DECORATION.sub("", name.strip()).casefold()
    return _BY_NAME.get(word) or normalise_language(word)


def language_name(code: str) -> str:
    """Return the English name of a language code, or the code itself if it is unknown.

    >>> language_name("ja"), language_name("zh-cn"), language_name("xx")
    ('Japanese', 'Chinese (zh-cn)', 'xx')
    """
    main, _, region = code.partition("-")
    if main not in _LANGUAGES:
        return code
    return f"{_LANGUAGES[main][0]} ({code})" if region else _LANGUAGES[main][0]


def detect_cjk_language(text: str, min_share: float = _MIN_SHARE) -> str:
    """Detect Japanese, Korean and Chinese by the share of their scripts, else return "".

    >>> (detect_cjk_language("検索の設定"), detect_cjk_language("검색 설정"), detect_cjk_language("搜索设置"),
    ...  detect_cjk_language("search"))
    ('ja', 'ko', 'zh', '')
    """
    sample = text[:_SAMPLE_CHARS]
    if sample.isascii():
        return ""
    threshold = max(len(_LETTER.findall(sample)) * min_share, 1)
    kana, hangul, han = (len(script.findall(sample)) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul + han < threshold:
        return ""
    if hangul > kana + han:
        return "ko"
    return "ja" if kana * 20 > han else "zh"


def detect_language(text: str, min_share: float = _MIN_SHARE) -> str:
    """Detect the language of prose, empty for English and code.

    Chinese, Japanese and Korean are recognised by script, some languages of Europe by their function words; other
    scripts are all `other`.

    >>> (detect_language("検索の設定"), detect_language("Der Tee ist nicht fertig"), detect_language("Чай готов"),
    ...  detect_language("def tea(): return la"))
    ('ja', 'de', 'other', '')
    >>> detect_language("how do I reset it"), detect_language("jak to jest i co dalej")
    ('', 'pl')
    """
    cjk_language = detect_cjk_language(text, min_share)
    if cjk_language:
        return cjk_language
    sample = text[:_SAMPLE_CHARS]
    if not sample.isascii() and len(_OTHER_SCRIPTS.findall(sample)) >= max(len(_LETTER.findall(sample)) * min_share, 1):
        return "other"
    words = [each.lower() for each in re.findall(r"[^\W\d_]+", sample)]
    counts = {
        code: sum(word in function_words for word in words) for code, function_words in _WORDS_BY_LANGUAGE.items()
    }
    likeliest = max(counts, key=lambda code: counts[code])
    english = sum(word in _ENGLISH or word in _ENGLISH_QUERY for word in words)
    return likeliest if counts[likeliest] * 5 >= len(words) and counts[likeliest] > english + 1 else ""


def is_english(text: str) -> bool:
    """Check whether at least a tenth of a text's words are English function words.

    >>> is_english("Leaves are counted on the last evening of the month."), is_english("Der Tee ist fertig")
    (True, False)
    """
    words = re.findall(r"[a-z]+", text[:_SAMPLE_CHARS].lower())
    return sum(word in _ENGLISH for word in words) * 10 >= max(len(words), 1)
