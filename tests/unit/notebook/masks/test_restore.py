"""A masked text never overwrites what it masks: examples of alignment."""

import pytest

from waymeet.errors import MaskedValueError
from waymeet.notebook.masks.restore import MASK, restore_values


def _parts(text: str) -> list[str]:
    """Split a text at values in angle brackets."""
    return [part for piece in text.split("<") for part in piece.split(">")]


def _mask(text: str) -> str:
    return "".join(MASK if number % 2 else part for number, part in enumerate(_parts(text)))


def _raw(text: str) -> str:
    return "".join(_parts(text))


_SECTIONS = "# Access\n\n## Test\n\npassword: <one>\n\n## Live\n\npassword: <two>\n\n## Old\n\npassword: <three>\n"
_LIST = "test:\n  password: <one>\nlive:\n  password: <two>\nold:\n  password: <three>\n"


@pytest.mark.parametrize(
    ("file", "submitted", "expected"),
    [
        pytest.param(_SECTIONS, _SECTIONS, _SECTIONS, id="unchanged"),
        pytest.param("key: <k1>\n", "key: <k1>  # since May\n", "key: <k1>  # since May\n", id="changed line"),
        pytest.param("key: <k1>\n", "## Keys\n\n- api key: <k1>\n", "## Keys\n\n- api key: <k1>\n", id="reworded"),
        pytest.param(
            "The token is <k1> until May.\n", "Until May use <k1>.\n", "Until May use <k1>.\n", id="new sentence"
        ),
        pytest.param(_SECTIONS, f"Intro.\n\n{_SECTIONS}\nEnd.\n", f"Intro.\n\n{_SECTIONS}\nEnd.\n", id="added around"),
        pytest.param(
            _SECTIONS,
            "# Access\n\n## Old\n\npassword: <three>\n\n## Live\n\npassword: <two>\n\n## Test\n\npassword: <one>\n",
            "# Access\n\n## Old\n\npassword: <three>\n\n## Live\n\npassword: <two>\n\n## Test\n\npassword: <one>\n",
            id="sections in another order",
        ),
        *(
            pytest.param(_SECTIONS, text, text, id=f"without section {name}")
            for name, text in {
                "Test": "# Access\n\n## Live\n\npassword: <two>\n\n## Old\n\npassword: <three>\n",
                "Live": "# Access\n\n## Test\n\npassword: <one>\n\n## Old\n\npassword: <three>\n",
                "Old": "# Access\n\n## Test\n\npassword: <one>\n\n## Live\n\npassword: <two>\n",
            }.items()
        ),
        pytest.param(
            _LIST,
            "test:\n  password: <one>\nold:\n  password: <three>\n",
            "test:\n  password: <one>\nold:\n  password: <three>\n",
            id="without a key",
        ),
        pytest.param("a: <1x>\nb: <2x>\n", "b: <2x>\na: <1x>\n", "b: <2x>\na: <1x>\n", id="lines in another order"),
        pytest.param(
            "me <1x> you <2x>\n", "you <2x> and me <1x>\n", "you <2x> and me <1x>\n", id="another order in a line"
        ),
        pytest.param("a: <same>\na: <same>\n", "a: <same>\nx\n", "a: <same>\nx\n", id="equal values"),
        pytest.param("a: <1x>\nb: <2x>\n", "b: <2x>\n", "b: <2x>\n", id="removed on purpose"),
        pytest.param("a: <1x>\n", "a: new\n", "a: new\n", id="replaced on purpose"),
        pytest.param(
            f"Shown as {MASK}.\nkey: <k1>\n", f"Shown as {MASK}!\nkey: <k1>\n", f"Shown as {MASK}!\nkey: <k1>\n",
            id="a mask in the file itself",
        ),
        pytest.param(
            "# A\nkey: <k1>\n", f"# A\nkey: <k1>\n\n# B\nother: {MASK}\n", f"# A\nkey: <k1>\n\n# B\nother: {MASK}\n",
            id="a new mask",
        ),
        pytest.param(
            "# A\nkey: <k1>\n# B\n",
            f"# A\nkey: <k1>\n# C\nkey: {MASK}\n# B\n", f"# A\nkey: <k1>\n# C\nkey: {MASK}\n# B\n",
            id="a copy without its value",
        ),
        pytest.param(
            "a:\n  key: <1x>\nb:\n  key: <2x>\n", "b:\n  # new\n  key: <2x>\na:\n\n  key: <1x>\n",
            "b:\n  # new\n  key: <2x>\na:\n\n  key: <1x>\n", id="moved, with new lines",
        ),
        pytest.param("key: <k1>\r\nend\r\n", "key: <k1>\nEND\n", "key: <k1>\nEND\n", id="other line ends"),
    ],
)  # fmt: skip
def test_values_are_put_back(file: str, submitted: str, expected: str) -> None:
    assert restore_values(_parts(file), _mask(submitted)).text == _raw(expected)


@pytest.mark.parametrize(
    ("file", "submitted"),
    [
        pytest.param("<1x>\n<2x>\n<3x>\n", "<1x>\n<2x>\n", id="one of three alike is gone"),
        pytest.param("a\n- <1x>\n- <2x>\nb\n", "a\n- <1x>\nb\n", id="one of two alike is gone"),
        pytest.param("<1x>\nmine\n<2x>\nyours\n<3x>\nours\n", "<1x>\nmine\n<3x>\nours\n", id="labels below"),
        pytest.param("a: <1x>\nb: <2x>\n", f"x: {MASK}\ny: {MASK}\n", id="both renamed"),
        pytest.param(
            "## A\nkey: <1x>\n## B\nkey: <2x>\n", "## B, old\nkey: <2x>\n## A, old\nkey: <1x>\n", id="moved and renamed"
        ),
        pytest.param("a:\n  key: <1x>\nb:\n  key: <2x>\n.\n", "a:\n\n  key: <1x>\n.\n", id="removed beside a new line"),
    ],
)  # fmt: skip
def test_an_uncertain_position_is_refused(file: str, submitted: str) -> None:
    with pytest.raises(MaskedValueError, match=r"line.* of the new text .*line.* of the file") as refused:
        restore_values(_parts(file), _mask(submitted))
    assert "write the new one" in refused.value.hint


def test_a_value_of_several_lines_takes_the_place_of_its_blank_lines() -> None:
    body = "AAAA\nBBBB\nCCCC"
    parts = ["# Key\n\n-----BEGIN\n", body, "\n-----END\n\nText.\n"]
    shown = f"# Key\n\n-----BEGIN\n{MASK}\n\n\n-----END\n\nText.\n"
    expected = f"# Key\n\n-----BEGIN\n{body}\n-----END\n\nOther text.\n"
    assert restore_values(parts, shown).text == "".join(parts)
    assert restore_values(parts, shown.replace("Text", "Other text")).text == expected
    shortened = shown.replace("\n\n\n-----END", "\n-----END").replace("Text", "Other text")
    assert restore_values(parts, shortened).text == expected


def test_a_mask_of_other_rules_stands_for_the_text_of_its_line() -> None:
    """Text masked by mistake, or by an older version."""
    parts = ["# Numbers\n\nnumber: 4711-0815\nend\n"]
    assert (
        restore_values(parts, f"# Numbers\n\nnumber: {MASK}\nEnd.\n").text == "# Numbers\n\nnumber: 4711-0815\nEnd.\n"
    )


def test_lines_are_named() -> None:
    restored = restore_values(_parts("a: <1x>\n"), f"# New\na: {MASK}\nb: {MASK}\n")
    assert restored == ("# New\na: 1x\nb: [secret]\n", (2,), (3,))


def test_many_masked_lines_are_put_back() -> None:
    lines = [f"## Part {number}\npassword: <v{number}>" for number in range(3000)]
    file = "\n".join(lines)
    submitted = "\n".join(["Intro.", *lines[:1500], "More.", *lines[1600:]])
    assert restore_values(_parts(file), _mask(submitted)).text == _raw(submitted)
