"""The words that a reason line names: whole, and as they are written."""

import pytest

from waymeet.analysis import query_words
from waymeet.search.shape.matched_words import matched_words


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("invoices", "The Invoice and invoicing of INVOICES", ["Invoice", "invoicing", "INVOICES"]),
        ("users", "def get_user_by_id(): the user's", ["get_user_by_id", "user's"]),
        ("検索語", "検索語の意味", ["検索語"]),
        ("在庫の数え方", "茶葉は在庫の規則で数えます。数え方", ["在庫", "数えます", "数え方"]),
        ("全文検索のスコアを正規化する", "全文検索のスコアを正規化する。", ["全文検索", "スコア", "正規化する"]),
        ("サーバー設定", "サーバーレスの設定", ["サーバーレス", "設定"]),
        ("向量检索", "使用向量检索方法", ["向量检索"]),
        ("检索方法", "检索的方法", ["检索", "方法"]),
        ("검색", "검색을 설정한다", ["검색을"]),
        ("語", "検索語", ["語"]),
        ("する", "設定する", ["する"]),
        ("tea 茶", "茶 and tea", ["茶", "tea"]),
        ("nothing", "else", []),
    ],
)
def test_words_are_whole(query: str, text: str, words: list[str]) -> None:
    terms = {term for _, word_terms in query_words(query) for term in word_terms}
    assert matched_words(text, terms) == words


def test_any_text_is_accepted() -> None:
    assert matched_words("\0\ud800検\n", {"検"}) == ["検"]
