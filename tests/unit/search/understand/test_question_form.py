"""Forms of questions."""

import pytest

from waymeet.search.understand.question_form import QuestionForm, find_question_form


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("how do I hide a password?", QuestionForm.TASK),
        ("How can I test a class without a server", QuestionForm.TASK),
        ("why does my file disappear", QuestionForm.TASK),
        ("what happens when the disk is full", QuestionForm.TASK),
        ("where do I put my settings", QuestionForm.TASK),
        ("read the default from an environment variable", QuestionForm.PROSE),
        ("undo the last commit but keep the changes", QuestionForm.PROSE),
        ("where is the path matched against the routes", QuestionForm.CODE),
        ("which function writes the log", QuestionForm.CODE),
        ("how is the cache implemented", QuestionForm.CODE),
        ("code that finds the nearest root", QuestionForm.CODE),
        ("in which file are the routes defined", QuestionForm.CODE),
        ("which function should I use to parse json", QuestionForm.OTHER),
        ("which method do you recommend for the login", QuestionForm.OTHER),
        ("where does the app store my settings", QuestionForm.OTHER),
        ("window is not defined on the server", QuestionForm.OTHER),
        ("how can user-defined functions be registered", QuestionForm.OTHER),
        ("what class of problems does it solve", QuestionForm.OTHER),
        ("how is the login tested", QuestionForm.OTHER),
        ("how do I call get_user_by_id", QuestionForm.OTHER),
        ("radix tree path matching", QuestionForm.OTHER),
        ("setErrorHandler", QuestionForm.OTHER),
        ("ファイルを暗号化する方法は何ですか", QuestionForm.OTHER),
    ],
)
def test_the_form_of_a_query_is_found(query: str, form: QuestionForm) -> None:
    assert find_question_form(query) is form
