"""Random notes with secrets, read masked, changed elsewhere and saved: no value is lost or exchanged."""

from pathlib import Path
from re import search
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from support.planted_secrets import dice, drawn

from waymeet.errors import MaskedValueError
from waymeet.notebook import Notebook
from waymeet.notebook.masks.items import mask_item
from waymeet.notebook.masks.restore import MASK, restore_values
from waymeet.settings import Settings

_WORDS = st.sampled_from(["Tea is hot.", "## Notes", "", "- a list", "The server runs.", "| a | b |", "値は秘密。"])


@st.composite
def _notes(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Draw the lines of a note, and its secrets in the order of their lines."""
    rng = dice(draw(st.integers(0, 10_000)))
    lines: list[str] = []
    secrets: list[str] = []
    for number in range(draw(st.integers(1, 6))):
        lines += draw(st.lists(_WORDS, max_size=4))
        secret = "ghp_" + drawn(rng, 36)
        form = draw(st.sampled_from(["token: {}", "- {}", "Use {} for part {n}.", "## Part {n}\n\ntoken: {}", "{}"]))
        lines += form.replace("{n}", str(number)).format(secret).split("\n")
        secrets.append(secret)
    return [*lines, *draw(st.lists(_WORDS, max_size=4))], secrets


@st.composite
def _changed(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """Change, remove and add lines that have no mask."""
    result: list[str] = []
    for line in lines:
        result += draw(st.lists(_WORDS, max_size=1))
        action = draw(st.sampled_from(["keep", "keep", "keep", "change", "remove"]))
        if MASK in line or action == "keep":
            result.append(line)
        elif action == "change":
            result.append(f"{line} Changed.")
    return result


def _write(folder: str, text: str) -> tuple[Notebook, Path]:
    root = Path(folder) / "root"
    path = root / ".waymeet" / "notes" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return Notebook(root, Settings(), Path(folder) / "index.db"), path


@given(note=_notes(), data=st.data())
def test_no_value_is_lost_or_exchanged(note: tuple[list[str], list[str]], data: st.DataObject) -> None:
    lines, secrets = note
    with TemporaryDirectory() as folder:
        notebook, path = _write(folder, "---\ntitle: A\n---\n\n" + "\n".join(["First.", *lines, "Last."]) + "\n")
        before = path.read_bytes()
        item = notebook.read("a")
        shown = mask_item(item)
        assert not any(secret in f"{shown.text}{shown.body}" for secret in secrets)
        changed = data.draw(_changed(shown.body.removesuffix("\n").split("\n")))
        try:
            notebook.update("a", version=item.version, body="\n".join(changed))
        except MaskedValueError:
            assert path.read_bytes() == before
            return
        after = path.read_text()
        assert [after.find(secret) for secret in secrets] == sorted(after.find(secret) for secret in secrets)
        assert all(after.count(secret) == 1 for secret in secrets)
        assert MASK not in after


_FORMS = {
    "sections": "## Part {n}\npassword: {v}",
    "sections with blank lines": "## Part {n}\n\nSome text.\n\npassword: {v}\n",
    "mapping": "part{n}:\n  user: me\n  password: {v}",
    "nested list": "- part {n}\n  - password: {v}",
    "table": "| part {n} | {v} |",
}


@given(
    form=st.sampled_from(list(_FORMS)),
    order=st.lists(st.integers(0, 4), unique=True, min_size=1),
    count=st.integers(1, 5),
    added=st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["New line.", "", "# New"])), max_size=2),
    renamed=st.sets(st.integers(0, 4), max_size=2),
)
def test_values_stay_with_their_labels(
    form: str, order: list[int], count: int, added: list[tuple[int, str]], renamed: set[int]
) -> None:
    """Sections are removed, moved and renamed, and lines are added between them."""
    blocks = [(_FORMS[form].replace("{n}", str(number)), f"value{number}") for number in range(count)]
    plain = "".join(f"{block}\n" for block, _ in blocks).split("{v}")
    parts = [part for pair in zip(plain, [value for _, value in blocks], strict=False) for part in pair] + [plain[-1]]
    lines = [
        line.replace("{v}", MASK) + (" (old)" if number in renamed and line.startswith("##") else "")
        for number in order
        if number < count
        for line in blocks[number][0].split("\n")
    ]
    for place, line in added:
        lines.insert(place, line)
    try:
        restored = restore_values(parts, "\n".join(lines)).text
    except MaskedValueError:
        return
    label = ""
    for line in restored.split("\n"):
        found = search(r"[pP]art ?(\d)", line)
        label = found[1] if found else label
        value = search(r"value(\d)", line)
        assert value is None or value[1] == label
    assert MASK not in restored


@given(note=_notes(), newline=st.sampled_from(["\n", "\r\n"]), spacing=st.integers(0, 3))
def test_a_round_trip_leaves_the_bytes_alone(note: tuple[list[str], list[str]], newline: str, spacing: int) -> None:
    lines, secrets = note
    head = f"---\ntitle: 'A'\napi_key: {secrets[0]}\n---\n" + "\n" * spacing
    with TemporaryDirectory() as folder:
        text = head + "\n".join(["Text.", *lines]) + "\n" * spacing
        notebook, path = _write(folder, "")
        path.write_bytes(text.replace("\n", newline).encode())
        before, item = path.read_bytes(), notebook.read("a")
        shown = mask_item(item)
        notebook.update("a", version=item.version, body=shown.body, title=shown.title, fields=shown.fields)
        assert path.read_bytes() == before
        notebook.update("a", version=item.version, body=shown.text)
        assert path.read_bytes() == before
