"""The half of the kinds that was not opened until the rules were written.

The kinds of both halves, sorted by name, are dealt in turn: the first, third, fifth … are the open half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.secret_corpus.cases import LookAlikeCase, SecretCase, make_look_alikes, make_secrets
from support.secret_corpus.second_half import (
    hashes_and_references,
    public_keys_and_schemas,
    settings_code_prose,
    structures,
    tokens_a_to_f,
    tokens_g_to_p,
    tokens_r_to_z_and_keys,
    words_and_resource_ids,
)
from support.secret_corpus.second_half.seed_phrases import make_mnemonic
from support.secret_corpus.values import VALUES

if TYPE_CHECKING:
    from random import Random

SECRETS = (
    tokens_a_to_f.TEMPLATE,
    tokens_g_to_p.TEMPLATE,
    tokens_r_to_z_and_keys.TEMPLATE,
    structures.TEMPLATE,
    settings_code_prose.TEMPLATE,
)
LOOK_ALIKES = (hashes_and_references.TEMPLATE, public_keys_and_schemas.TEMPLATE, words_and_resource_ids.TEMPLATE)
VALUES["mnemonic"] = make_mnemonic


def secrets(rng: Random) -> list[SecretCase]:
    """Make the secret cases of this half."""
    return make_secrets(rng, SECRETS)


def look_alikes(rng: Random) -> list[LookAlikeCase]:
    """Make the look-alike cases of this half."""
    return make_look_alikes(rng, LOOK_ALIKES)
