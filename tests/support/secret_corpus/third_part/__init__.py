"""Cases that were written apart from the two halves, after the rules were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.secret_corpus.cases import LookAlikeCase, SecretCase, make_look_alikes, make_secrets
from support.secret_corpus.third_part import (
    alike_code,
    alike_data,
    alike_prose,
    alike_settings,
    prose_asian,
    prose_english,
    prose_european,
    providers_business,
    providers_cloud,
    providers_development,
    structures_code,
    structures_operations,
    structures_settings,
)

if TYPE_CHECKING:
    from random import Random


SECRETS = (
    providers_development.TEMPLATE,
    providers_cloud.TEMPLATE,
    providers_business.TEMPLATE,
    structures_settings.TEMPLATE,
    structures_code.TEMPLATE,
    structures_operations.TEMPLATE,
    prose_english.TEMPLATE,
    prose_european.TEMPLATE,
    prose_asian.TEMPLATE,
)
LOOK_ALIKES = (alike_data.TEMPLATE, alike_code.TEMPLATE, alike_settings.TEMPLATE, alike_prose.TEMPLATE)


def secrets(rng: Random) -> list[SecretCase]:
    """Make the secret cases, with new random values."""
    return make_secrets(rng, SECRETS)


def look_alikes(rng: Random) -> list[LookAlikeCase]:
    """Make the look-alike cases, with new random values."""
    return make_look_alikes(rng, LOOK_ALIKES)
