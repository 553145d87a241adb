"""Recovery phrases of BIP-39 with a correct checksum."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

EVERY_EIGHTH_WORD = """
abandon absurd acoustic adapt advice agree alcohol alpha amount animal anxiety arch army artist asthma audit
avoid baby bamboo basic beef bench bid blade blossom boil borrow brand bright brown bulk business cactus
canal capital cart catch celery champion check chimney cinnamon claw climb clown code come congress copy
country craft credit cross crush current damage day decorate deliver deposit despair dial dignity disease
divorce donate dragon drink dune eagle ecology either elite empower energy enrich equal escape evoke excuse
exotic extra faith fantasy favorite fence figure finish fix flip foam force foster fringe fun gallery gas
genre ginger glide goat govern gravity grow gym harbor head help hire home host humor hybrid illegal improve
indoor inject insect invite jacket job jungle key kitchen lab laptop lawn lecture length library link loan
lottery lunar maid mandate marine math meat mention metal minimum mix monitor mosquito much must narrow
neglect never noodle novel object october old only orchard other own pair parade patient pear perfect piano
pink plastic poem pool poverty present prison project public puppy pyramid quote rain rare reason reduce
relax render require retreat ribbon ring roast rose rug safe sample scale scissors search seek series shallow
ship shove siege simple skate slam slot snack sock someone source speed spirit spread staff steak stock
strike submit suit sure swallow swing tackle task tenant theme three tilt toast tomato topic toward train
trend trouble tube twelve ugly unfair unlock upper useless valve velvet vessel village vital voyage warfare
way weekend wheel wild winter wonder wrap yellow
""".split()
"""The words 0, 8, 16 … of the English list; their numbers have three low bits of zero."""


def make_mnemonic(rng: Random, argument: str) -> str:
    """Make a phrase of so many words whose last word carries the checksum."""
    count = int(argument)
    checksum_bits = count // 3
    while True:
        places = [rng.randrange(256) for _ in range(count)]
        bits = "".join(f"{place * 8:011b}" for place in places)
        entropy, checksum = bits[:-checksum_bits], bits[-checksum_bits:]
        content = int(entropy, 2).to_bytes(len(entropy) // 8, "big")
        digest = int.from_bytes(hashlib.sha256(content).digest(), "big")
        if f"{digest:0256b}"[:checksum_bits] == checksum:
            return " ".join(EVERY_EIGHTH_WORD[place] for place in places)
