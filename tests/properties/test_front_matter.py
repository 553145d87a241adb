"""Whatever front matter says, changing one key changes that key alone."""

import string

from hypothesis import given
from hypothesis import strategies as st

from waymeet.errors import UsageError
from waymeet.notebook import frontmatter_edit

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\r")
texts = st.text(letters, max_size=30)
keys = st.text(string.ascii_letters + "_", min_size=1, max_size=8).map(lambda name: f"k{name.lower()}")
values = st.one_of(texts, st.integers(-1000, 1000), st.booleans(), st.lists(texts, max_size=4))
yaml = st.text(st.sampled_from("abk:-'\"#[]{}|> \n\t,&*!?%0.é"), max_size=80)


@given(st.dictionaries(keys, values, max_size=5), keys, values, st.text(letters, max_size=60))
def test_what_is_written_comes_back(
    fields: dict[str, frontmatter_edit.Value], key: str, value: frontmatter_edit.Value, body: str
) -> None:
    text = frontmatter_edit.replace_body(frontmatter_edit.set_fields("", fields), body)
    again = frontmatter_edit.set_fields(text, {key: value})
    assert frontmatter_edit.parse(again).values == {**fields, key: value}
    assert frontmatter_edit.get_body(again) == frontmatter_edit.get_body(text)
    without = frontmatter_edit.set_fields(again, {key: None})
    assert frontmatter_edit.parse(without).values == {name: each for name, each in fields.items() if name != key}


@given(yaml, st.text(letters, max_size=40), texts)
def test_no_key_is_ever_lost(block: str, body: str, value: str) -> None:
    """Whatever stands between the fences: the change is made and all else is the same, or it is refused."""
    text = f"---\n{block}\n---\n{body}"
    before = frontmatter_edit.parse(text)
    try:
        after = frontmatter_edit.set_fields(text, {"waymeet": value})
    except UsageError:
        return
    assert repr(frontmatter_edit.parse(after).values) == repr({**before.values, "waymeet": value})
    assert frontmatter_edit.get_body(after) == frontmatter_edit.get_body(text)
