"""Queries in another language than the sections, with the models that are installed with the package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from waymeet import Project

PAGES = {
    "uploads.md": "# Uploading files\n\nA form sends the file to the server, which stores it in a folder.\n",
    "errors.md": "# Handling errors\n\nAn exception is caught by a handler, which shows a page with a message.\n",
    "testing.md": "# Testing the application\n\nA test client sends requests to the application without a server.\n",
    "keys.md": "# Rotating keys\n\nThe secret key that signs cookies is replaced every month.\n",
    "coffee.md": "# Coffee break\n\nThe coffee machine in the kitchen is cleaned on Fridays.\n",
    "logging.md": "# Writing a log\n\nMessages are written to a log file with the time and the level.\n",
}
QUESTIONS = {
    "ファイルをアップロードする": "uploads.md",
    "错误处理": "errors.md",
    "как тестировать приложение": "testing.md",
    "wie tausche ich den geheimen Schlüssel aus": "keys.md",
    "comment téléverser un fichier": "uploads.md",
    "كيف أختبر التطبيق": "testing.md",
    "küçük mutfaktaki kahve makinesi": "coffee.md",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """An English project, embedded with the default models."""
    folder = tmp_path_factory.mktemp("english")
    write_pages(folder, PAGES)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(folder.parent / name))
        patch.setenv("WAYMEET_EMBEDDING_PROVIDER", "local")
        with Project.open(folder) as opened:
            opened.index()
            yield opened


def write_pages(folder: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_the_page_is_found_in_any_language(project: Project, question: str) -> None:
    answer = project.search(question, limit=3)
    assert answer.hits[0].document == QUESTIONS[question]
    assert not [entry.code for entry in answer.degraded]


@pytest.mark.slow
def test_the_explanation_says_that_words_hardly_match(project: Project) -> None:
    answer = project.search("как тестировать приложение test client", limit=1, explain=True)
    assert "not in the query's language" in str(answer.hits[0].explanation)


@pytest.mark.slow
def test_without_the_multilingual_space_the_answer_says_what_it_lacks(tmp_path: Path) -> None:
    write_pages(tmp_path, PAGES | {"tee.ja.md": "# お茶\n\nお茶は熱いうちに飲みます。\n"})
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(tmp_path.parent / f"{tmp_path.name}-{name}"))
        patch.setenv("WAYMEET_EMBEDDING_PROVIDER", "local")
        patch.setenv("WAYMEET_EMBEDDING_CROSS_LINGUAL", "false")
        with Project.open(tmp_path) as project:
            project.index()
            answer = project.search("как тестировать приложение")
    (entry,) = [entry for entry in answer.degraded if entry.stage == "vector"]
    assert "can be compared with a query in Russian" in entry.detail


@pytest.mark.slow
def test_a_language_that_no_model_was_trained_on_is_named(project: Project) -> None:
    answer = project.search("πώς δοκιμάζω την εφαρμογή")
    (entry,) = [entry for entry in answer.degraded if entry.code == "unsupported_language"]
    assert "trained on Greek" in entry.detail


@pytest.mark.slow
def test_words_of_another_language_are_not_corrected(project: Project) -> None:
    assert not project.search("téléverser un fichier sur le serveur").notes
    assert "servre → server" in project.search("sends the file to the servre").notes
