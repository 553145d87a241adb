"""How many planted secrets are masked, and how many look-alikes stay as they are."""

from types import ModuleType

import pytest
from support.planted_secrets import dice
from support.secret_corpus import fourth_part, open_half, second_half, third_part

from waymeet.ingest.read.secrets import mask_secrets
from waymeet.ingest.read.secrets.tables.command_rules import COMMANDS
from waymeet.ingest.read.secrets.tables.context_rules import CONTEXTS
from waymeet.ingest.read.secrets.tables.token_rules import INNER_TOKENS, TOKENS

SEEDS = range(3)
MIN_MASKED, MAX_ALTERED = 0.97, 0.01
PARTS = [open_half, second_half, third_part, fourth_part]


def mask(path: str, text: str, *, is_in_path: bool) -> str:
    return mask_secrets(path).text if is_in_path else mask_secrets(text, path).text


@pytest.mark.parametrize("half", PARTS)
def test_at_least_97_percent_of_the_secrets_are_masked(half: ModuleType) -> None:
    cases = [case for seed in SEEDS for case in half.secrets(dice(seed))]
    missed = [case for case in cases if case.find_readable(mask(case.path, case.text, is_in_path=case.is_in_path))]
    assert len(missed) <= (1 - MIN_MASKED) * len(cases), [(case.kind, case.path) for case in missed]


@pytest.mark.parametrize("half", PARTS)
def test_at_most_1_percent_of_the_look_alikes_are_masked(half: ModuleType) -> None:
    cases = [case for seed in SEEDS for case in half.look_alikes(dice(seed))]
    altered = [case for case in cases if case.is_altered(mask(case.path, case.text, is_in_path=case.is_in_path))]
    assert len(altered) <= MAX_ALTERED * len(cases), [(case.kind, case.path, case.kept) for case in altered]


def test_every_rule_has_a_source() -> None:
    sources = {rule.name: rule.source for rule in TOKENS}
    sources |= {rule.name: rule.source for rule in INNER_TOKENS}
    sources |= {rule.name: rule.source for rule in (*CONTEXTS, *COMMANDS)}
    assert len(sources) > 180
    assert all(len(source) > 4 for source in sources.values()), sources


def test_every_token_begins_with_two_known_bytes() -> None:
    assert all(len(start) >= 2 for rule in TOKENS for start in rule.starts)
