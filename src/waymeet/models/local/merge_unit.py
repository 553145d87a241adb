"""Vectors of length 1, whatever a model gave."""

from typing import TYPE_CHECKING

import numpy as np

from waymeet.errors import UnusableVectorError

if TYPE_CHECKING:
    from waymeet.models.local.kernels import Matrix


def unit_rows(rows: "Matrix") -> "Matrix":
    """Bring every row to length 1; a row of zeros, which has no direction, becomes the first axis.

    What is not finite stays so: the store refuses it with the name of the model.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)).tolist()
    [[0.6000000238418579, 0.800000011920929], [1.0, 0.0]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    empty = lengths[:, 0] == 0.0
    unit: Matrix = np.divide(rows, np.where(lengths == 0.0, 1.0, lengths), dtype=np.float32)
    unit[empty, 0] = 1.0
    return unit


def refusing(rows: "Matrix", lane: str) -> "Matrix":
    """Bring every row to length 1, as `unit_rows` does, and refuse what is not finite with the name of the model.

    Raises:
        UnusableVectorError: a row holds NaN or infinity.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what comes of it is looked at
        unit = unit_rows(rows)
    if not np.isfinite(unit).all():
        raise UnusableVectorError(
            f"{lane} gave a vector that is not finite.", "Its weights may be damaged: fetch it again."
        )
    return unit
