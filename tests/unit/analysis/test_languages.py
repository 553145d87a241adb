"""Languages are detected in short queries and in sections; English and code are not taken for another language."""

from collections import defaultdict
from pathlib import Path

import pytest

from waymeet.analysis import detect_language
from waymeet.analysis.languages import detect_cjk_language
from waymeet.analysis.languages.ngrams import BIAS, LANGUAGES, TABLE, score_languages

MIN_RECALL = 0.85
MIN_ENGLISH = 0.95


def _read_queries() -> dict[str, list[str]]:
    queries: defaultdict[str, list[str]] = defaultdict(list)
    code = ""
    for line in Path(__file__).with_name("language_queries.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            code = line[1:-1]
        elif line and not line.startswith("#"):
            queries[code].append(line)
    return dict(queries)


QUERIES = _read_queries()


@pytest.mark.parametrize("half", [0, 1], ids=["tuning", "test"])
@pytest.mark.parametrize("language", [code for code in QUERIES if len(QUERIES[code]) >= 25 and code != "en"])
def test_short_queries_of_the_main_languages_are_recognised(language: str, half: int) -> None:
    queries = QUERIES[language][half::2]
    missed = {query: found for query in queries if (found := detect_language(query)) != language}
    assert len(missed) <= len(queries) * (1 - MIN_RECALL), missed


@pytest.mark.parametrize("language", [code for code in QUERIES if len(QUERIES[code]) < 25])
def test_short_queries_of_other_languages_are_recognised_but_for_one(language: str) -> None:
    missed = {query: found for query in QUERIES[language] if (found := detect_language(query)) != language}
    assert len(missed) <= 1, missed


@pytest.mark.parametrize("half", [0, 1], ids=["tuning", "test"])
def test_english_queries_with_foreign_words_stay_english(half: int) -> None:
    queries = QUERIES["en"][half::2]
    mistaken = {query: found for query in queries if (found := detect_language(query))}
    assert len(mistaken) <= len(queries) * (1 - MIN_ENGLISH), mistaken


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "42",
        "??",
        "docker run --rm -it -v la:/el alpine",
        "src/die/das/der_und.py",
        "getElementById",
        "how do I type é on a keyboard",
        "the café in Zürich is on the naïve route",
        "μ ± 2σ",
        "let λ = x => x",
        "if i in das: del las, os",
        "for (int i = 0; i < n; i++) { os << la[i] << en; }\n" * 20,
        "The handler reads the file, and it is written to the disk again by the worker. " * 20,
        "version 1.2.3 — “quoted” …",
    ],
)
def test_english_code_and_symbols_have_no_language(text: str) -> None:
    assert detect_language(text) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Konfiguration wird beim Start gelesen, und die Dateien werden der Reihe nach geladen. " * 12, "de"),
        ("Le fichier de configuration est lu au démarrage et les autres dans cet ordre. " * 12, "fr"),
        ("El archivo se lee al iniciar y los demas se cargan despues en el mismo orden. " * 12, "es"),
        ("Yapılandırma dosyası başlangıçta okunur ve diğer dosyalar sırayla yüklenir. " * 12, "tr"),
        ("Plik konfiguracyjny jest czytany przy starcie, a inne pliki są ładowane po kolei. " * 12, "pl"),
        ("Файл читается при запуске. " * 200, "ru"),
        ("Объект и подъезд", "ru"),
        ("Търсене във файл", "bg"),
        ("Претрага датотека је спора, али њено подешавање помаже", "sr"),
        ("Іїєґ", "uk"),
        ("文件 config.yaml の読み込み", "ja"),
        ("ᄀᄁ", "ko"),
        ("ខ្មែរ", "other"),
    ],
)
def test_sections_and_scripts_have_their_language(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_a_higher_share_is_needed_for_comments_in_code() -> None:
    text = "def parse(path): return open(path).read()  # читать"
    assert (detect_language(text), detect_language(text, 0.3)) == ("ru", "")


def test_a_quotation_is_not_the_language_of_a_text() -> None:
    text = "The function that prints 你好 is documented in the guide, with all of its options."
    assert (detect_cjk_language(text), detect_language(text)) == ("", "")


def test_every_line_of_the_table_has_a_weight_for_each_language() -> None:
    lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    assert {len(weights) for _, weights in lines} == {len(LANGUAGES)}
    assert len({gram for gram, _ in lines}) == len(lines)
    assert lines[0][0] == BIAS


def test_scores_are_the_sum_of_the_weights_of_distinct_ngrams() -> None:
    assert score_languages("1234") == score_languages("")
    assert score_languages("der der") == score_languages("der")
    assert score_languages("der")["de"] > score_languages("")["de"]
