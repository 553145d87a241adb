"""A part of the secret corpus written apart from the others: provider tokens, structures, prose, look-alikes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.secret_corpus.cases import make_look_alikes, make_secrets
from support.secret_corpus.fourth_part import (
    alike_code,
    alike_data,
    alike_prose,
    alike_settings,
    prose_other,
    prose_western,
    providers_cloud,
    providers_hosting,
    providers_keys,
    providers_services,
    structures_code,
    structures_commands,
    structures_files,
)

if TYPE_CHECKING:
    from random import Random

    from support.secret_corpus.cases import LookAlikeCase, SecretCase

SECRETS = (
    providers_hosting.TEMPLATE,
    providers_cloud.TEMPLATE,
    providers_services.TEMPLATE,
    providers_keys.TEMPLATE,
    structures_files.TEMPLATE,
    structures_code.TEMPLATE,
    structures_commands.TEMPLATE,
    prose_western.TEMPLATE,
    prose_other.TEMPLATE,
)
LOOK_ALIKES = (alike_data.TEMPLATE, alike_settings.TEMPLATE, alike_code.TEMPLATE, alike_prose.TEMPLATE)


def secrets(rng: Random) -> list[SecretCase]:
    """Make the secret cases with new random values."""
    return make_secrets(rng, SECRETS)


def look_alikes(rng: Random) -> list[LookAlikeCase]:
    """Make the look-alike cases with new random values."""
    return make_look_alikes(rng, LOOK_ALIKES)
