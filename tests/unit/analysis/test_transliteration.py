"""Words of other scripts in Latin letters, and keys of words that sound alike."""

import pytest

from waymeet.analysis.transliteration import SCRIPTS, romanise, sound_keys, spelling_patterns


@pytest.mark.parametrize(
    ("word", "latin"),
    [
        ("Джареда", "dzhareda"),
        ("Ёлка", "elka"),
        ("объект", "obekt"),
        ("πρωτόκολλο", "protokollo"),
        ("データベース", "detabesu"),
        ("セッション", "seshyon"),
        ("데이터베이스", "deiteobeiseu"),
        ("सर्वर", "srvr"),
        ("Universität", "universitat"),
        ("2024年", "2024"),
        ("", ""),
    ],
)
def test_words_are_written_in_latin_letters(word: str, latin: str) -> None:
    assert romanise(word) == latin


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("Норман", "norman"),
        ("Аллена", "allen"),
        ("Каролина", "carolina"),
        ("Чарльз", "charles"),
        ("Вашингтон", "washington"),
        ("Эйнштейн", "einstein"),
        ("протокол", "protocol"),
        ("πρωτόκολλο", "protocol"),
        ("データベース", "database"),
        ("リクエスト", "request"),
        ("プロキシ", "proxy"),
        ("프로토콜", "protocol"),
        ("प्रोटोकॉल", "protocol"),
        ("סרטיפיקט", "certificate"),
    ],
)
def test_the_same_word_in_two_scripts_has_one_key(word: str, english: str) -> None:
    key, english_key = sound_keys([romanise(word), english])
    assert key.replace("p", "f") == english_key.replace("p", "f")  # Hebrew writes p and f alike


def test_keys_are_computed_for_each_word_alone() -> None:
    words = ["scheme", "cache", "ch", "e", "", "psychology"]
    assert sound_keys(words) == [sound_keys([word])[0] for word in words]


@pytest.mark.parametrize("script", ["", *SCRIPTS])
def test_patterns_begin_with_their_letter(script: str) -> None:
    for key in ("nrmn", "krln", "Aln", "jrd", "srls"):
        patterns = spelling_patterns(key, script)
        assert patterns
        assert all(len(letter) == 1 and pattern.startswith(letter) for letter, pattern in patterns.items())
