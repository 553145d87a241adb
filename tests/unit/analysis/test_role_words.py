"""Roles that a query refers to: by plain words in several languages, not by parts of names."""

import pytest

from waymeet.analysis.file_roles import ROLES
from waymeet.analysis.role_words import named_roles
from waymeet.settings import RoleFactors

RELEASES = {"changelog", "release notes"}


@pytest.mark.parametrize(
    ("query", "roles"),
    [
        ("how are keys rotated", set()),
        ("how does autoreload notice changed files", set()),
        ("where is the login form", set()),
        ("tests for the slugify filter", {"test"}),
        ("how is login tested?", {"test"}),
        ("pytest fixtures", {"test"}),
        ("how to test a route", set()),
        ("KeyError in tests/test_login.py test_login", set()),
        ("run_tests.sh", set()),
        ("upgrade to the next release", RELEASES),
        ("what's new in Django", RELEASES),
        ("what changed", RELEASES),
        ("support for psycopg in 4.2", RELEASES),
        ("migrate from v4 to v5", RELEASES),
        ("when was the old parser removed", RELEASES),
        ("run migrations", set()),
        ("licence of this software", {"licence"}),
        ("Licensing", {"licence"}),
        ("translation of messages", {"locale catalogue"}),
        ("the logo as svg", {"image"}),
        ("pinned dependencies", {"lock file"}),
        ("lock of the database", set()),
        ("a lock file", {"lock file"}),
        ("example of a plugin", {"example"}),
        ("benchmark of parsing", {"benchmark"}),
        ("screen shot", {"image"}),
        ("ログインのテスト", {"test"}),
        ("リリースの変更点", RELEASES),
        ("ライセンス", {"licence"}),
        ("使用例", {"example"}),
        ("单元测试", {"test"}),
        ("更新日志", RELEASES),
        ("许可证", {"licence"}),
        ("示例", {"example"}),
        ("图标", {"image"}),
    ],
)
def test_the_roles_that_a_query_names(query: str, roles: set[str]) -> None:
    assert named_roles(query) == roles


def test_every_role_but_source_and_documentation_has_a_factor() -> None:
    factors = {role: RoleFactors().of(role) for role in ROLES}
    assert {role for role, factor in factors.items() if factor == 1.0} == {"source", "documentation"}
    assert RoleFactors().of("") == 1.0
