"""Which files test others, by their paths."""

import re

_TEST = re.compile(
    r"(?:\A|/)(?:tests?|testing|__tests__|__mocks__|specs?|test[-_]?data|fixtures|e2e)/"
    r"|(?:\A|/)(?:test_[^/]*|conftest\.py|[^/]*[_.-](?:tests?|spec)\.\w+|[^/]*(?:Tests?|Spec)\.\w+)\Z"
)


def is_test(path: str) -> bool:
    """Tell whether a file tests others: what it says of itself is true of them as well.

    >>> is_test("tests/unit/shop.py"), is_test("cart.spec.ts"), is_test("src/latest.py")
    (True, True, False)
    """
    return _TEST.search(path) is not None
