"""Detection of a text's language, careful with English and code."""

import re
from functools import lru_cache

from waymeet.analysis.languages.ngrams import score_languages
from waymeet.analysis.languages.script import MIN_SHARE, SAMPLE_CHARS, detect_script_language

_ENGLISH = frozenset("the of and to in is are that for it with as on be this by not or from".split())
_ENGLISH_ONLY = frozenset(
    "the and that for with this not from how what where when why which who does did you my our".split()
)
"""Function words of English that are no words of the other languages, or seldom."""
_FUNCTION_WORDS = """
cs je jsou pro není nebo jak který která které při jako také podle byl však tento proč kde pokud
da og er det ikke til af på som hvordan hvor hvad eller kan skal fra ved bliver hvorfor denne dette
de der die das und ist nicht ein eine einen den von auf für wird sind auch wie ich kann werden oder bei wo zum zur
es el los las que una es por con para del como más cómo dónde qué está este esta desde sin puede hay
fi ja ei se että ovat kun tai niin jos miten mutta ole voi myös sen mitä tämä joka
fr le les des et est une du que pour dans pas sur qui au avec sont par comment où vous cette ou ne aux
hu az egy és hogy nem van ez ha vagy meg csak hogyan amely lehet mint kell azt hol miért
id yang dan di untuk dengan ini dari tidak pada adalah atau itu ke akan dapat bagaimana dalam jika oleh
it il gli di che una per non della sono nel dei come è degli delle questo alla dove anche essere
nb og er det ikke til av på som hvordan hvor hva eller kan skal fra ved blir hvorfor denne dette
nl het een van dat niet zijn voor met aan er ook als bij naar hoe wordt deze worden kan geen waar
pl się na aby może nie jest że jak dla oraz przez są lub czy gdzie tym można które jeśli tego jako od po
pt os um uma que para com não por em dos mais como ao são onde você pode ou seu
ro și este pentru care nu din cu sau sunt cum mai unde dacă fi poate această prin
sv och är det inte att som för på med av ett hur den eller kan från var varför detta ska
tr ve bir bu için ile olarak değil çok daha gibi olan nasıl kadar sonra veya nerede ise her mı
vi và là của các cho không một được trong này có để với khi những người như
"""
_FOREIGN = frozenset(word for line in _FUNCTION_WORDS.split("\n") for word in line.split()[1:])
_PUNCTUATION = ".,;:!?¿¡…\"'()[]«»„“”‘’"
_JOINERS = str.maketrans("-'’", "   ")
_LATIN_CHARS = 1500
"""Characters of a text in Latin script that are looked at."""
_SHORT_WORDS = 30
"""Words up to which all of a text is scored by its n-grams."""
_SAMPLE_WORDS = 16
"""Words of a longer text, evenly spread, that are scored at least."""
_MIN_SCORE = 3.0
"""Logarithm of the odds against English from which a text is in another language."""
_MIN_NAME_SCORE = 6.0
"""The same for texts in which all longer words are capitalised, such as names."""
_MAX_PARTICLE = 2
"""Letters of words such as "de" in names."""
_MIN_FOREIGN_SHARE = 0.05
"""Share of function words from which a long text in ASCII may be in another language than English."""


def detect_language(text: str, min_share: float = MIN_SHARE) -> str:
    """Detect the language of a text, empty for English and code.

    Other scripts than Latin are recognised by their letters, of which `min_share` must be in the script. A text in
    Latin script must be much likelier in another language than in English.

    >>> (detect_language("検索の設定"), detect_language("Der Tee ist nicht fertig"), detect_language("Чай готов"),
    ...  detect_language("def tea(): return la"))
    ('ja', 'de', 'ru', '')
    >>> [detect_language(query) for query in ("how do I reset it", "jak to jest i co dalej", "hata yönetimi")]
    ['', 'pl', 'tr']
    """
    sample = text[:SAMPLE_CHARS]
    language = detect_script_language(sample, min_share)
    if language:
        return language
    words = sample[:_LATIN_CHARS].lower().split()
    if len(words) > _SHORT_WORDS:
        return _detect_in_long_text(words, _MIN_FOREIGN_SHARE if sample.isascii() else 0.0)
    if not _ENGLISH_ONLY.isdisjoint(words) and _FOREIGN.isdisjoint(words) and sample.isascii():
        return ""
    return _detect_by_ngrams(" ".join(filter(_is_prose, sample.split())))


def _detect_in_long_text(words: list[str], min_foreign_share: float) -> str:
    """Score a sample of a text that has more function words of other languages than of English."""
    foreign = sum(map(_FOREIGN.__contains__, words))
    if foreign < len(words) * min_foreign_share or foreign <= sum(map(_ENGLISH.__contains__, words)):
        return ""
    return _detect_by_ngrams(" ".join(words[:: len(words) // _SAMPLE_WORDS]))


def _is_prose(token: str) -> bool:
    """Check that a token is a word.

    Paths, identifiers, options, versions and quoted code have no language.

    >>> list(filter(_is_prose, "C'est-à-dire, parse_file getName src/a.py --all `la` v1.2 (HTTP) News-Record".split()))
    ["C'est-à-dire,", '(HTTP)', 'News-Record']
    """
    words = token.strip(_PUNCTUATION).translate(_JOINERS)
    has_one_case = words.islower() or words.isupper() or words.istitle() or words[1:].islower()
    return has_one_case and words.replace(" ", "").isalpha() and token[0] not in "-`"


@lru_cache(maxsize=128)  # a query is judged in several stages, and in each of several projects
def _detect_by_ngrams(text: str) -> str:
    scores = score_languages(text)
    likeliest = max(scores, key=scores.__getitem__)
    has_lower_case = any(word[0].islower() for word in text.split() if len(word) > _MAX_PARTICLE)
    threshold = _MIN_SCORE if has_lower_case else _MIN_NAME_SCORE
    return likeliest if scores[likeliest] >= threshold else ""


def is_english(text: str) -> bool:
    """Check whether at least a tenth of a text's words are English function words.

    >>> is_english("Leaves are counted on the last evening of the month."), is_english("Der Tee ist fertig")
    (True, False)
    """
    words = re.findall(r"[a-z]+", text[:SAMPLE_CHARS].lower())
    return sum(word in _ENGLISH for word in words) * 10 >= max(len(words), 1)
