from near_duplicates import ShingleSet, shingles

DOCUMENT = "The quick brown fox jumps over the lazy dog while seven wizards quietly judge my boxing vow again today."


def test_a_text_that_repeats_a_tested_document_is_recognised() -> None:
    tested = ShingleSet([DOCUMENT, "Short query"])
    assert tested.repeats(DOCUMENT.upper().replace(" ", "\n"))
    assert tested.repeats("Title: animals. " + DOCUMENT)
    assert tested.repeats("short  QUERY!")
    assert not tested.repeats("A fox and a dog met at the river and talked about the weather for an hour.")
    assert not tested.repeats("...")


def test_nothing_repeats_no_collection() -> None:
    assert not ShingleSet([]).repeats(DOCUMENT)


def test_shingles_are_the_same_in_every_process() -> None:
    assert shingles("one two three four five six seven").tolist() == [175091413435116876]
