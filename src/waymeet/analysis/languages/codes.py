"""Codes and names of natural languages."""

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
LANGUAGE_CODES = tuple(_LANGUAGES)
COUNTRY_CODES = {"jp": "ja", "cn": "zh-cn", "tw": "zh-tw", "kr": "ko", "cz": "cs", "ua": "uk", "gr": "el"}
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
_MAX_NAME = 60


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
    known = COUNTRY_CODES.get(written) or (written if match[1] in _LANGUAGES else "")
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
