"""The corpus of secrets and look-alikes is valid, whatever the seed, and holds no secret itself."""

from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType

import pytest
from support.secret_corpus.cases import REGION, read_samples

HALVES = [
    import_module(name)
    for name in (
        "support.secret_corpus.open_half",
        "support.secret_corpus.second_half",
        "support.secret_corpus.third_part",
    )
    if find_spec(name)
]
MARKS = "‹›⟦⟧§"


def _random(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - the values must be the same in each run


@pytest.fixture(params=HALVES, ids=lambda half: half.__name__.rpartition(".")[2])
def half(request: pytest.FixtureRequest) -> ModuleType:
    module = request.param
    assert isinstance(module, ModuleType)
    return module


@pytest.mark.parametrize("seed", range(20))
def test_every_secret_is_in_its_file_and_counts_as_readable_until_it_is_masked(half: ModuleType, seed: int) -> None:
    for case in half.secrets(_random(seed)):
        original = masked = case.path if case.is_in_path else case.text
        for secret in sorted(case.secrets, key=len, reverse=True):
            assert len(secret) > 6, case
            masked = masked.replace(secret, "[secret]")
        assert case.secrets, case
        assert case.find_readable(original) == case.secrets, case
        assert case.find_readable(masked) == (), case
        assert not set(MARKS) & set(case.path + case.text), case


@pytest.mark.parametrize("seed", range(20))
def test_every_look_alike_is_in_its_file(half: ModuleType, seed: int) -> None:
    for case in half.look_alikes(_random(seed)):
        original = case.path if case.is_in_path else case.text
        assert case.kept, case
        assert not case.is_altered(original), case
        assert case.is_altered(original.replace(case.kept, "[secret]", 1)), case
        assert not set(MARKS) & set(case.path + case.text), case


def test_each_half_is_large_enough(half: ModuleType) -> None:
    secrets, look_alikes = half.secrets(_random(1)), half.look_alikes(_random(1))
    assert len({case.kind for case in secrets}) >= 50
    assert len(secrets) >= 130
    assert len({case.kind for case in look_alikes}) >= 30
    assert len(look_alikes) >= 220


def test_the_same_seed_gives_the_same_cases_and_another_seed_other_secrets(half: ModuleType) -> None:
    first, again, other = (half.secrets(_random(seed)) for seed in (1, 1, 2))
    assert first == again
    secrets, others = ({secret for case in cases for secret in case.secrets} for cases in (first, other))
    assert len(secrets & others) < len(secrets) / 20  # people choose the same password now and then


def test_no_secret_is_written_down(half: ModuleType) -> None:
    for sample in read_samples(half.SECRETS):
        for region in REGION.findall(sample.path + sample.text):
            assert "‹" in region, sample


def test_a_secret_of_which_a_small_part_remains_is_not_readable() -> None:
    case = HALVES[0].secrets(_random(1))[0]
    secret = case.secrets[0]
    most, little = secret[: len(secret) // 2 + 1], secret[: len(secret) // 2]
    assert case.find_readable(most) == (secret,)
    assert case.find_readable(little) == ()
