"""Forces between the nodes of a graph: links attract, all nodes repel each other.

A link attracts its ends by d², as in the algorithm of Fruchterman and Reingold (1991). Two nodes repel each other by
1/d², as in Hu's (2005), instead of 1/d: far groups of nodes then push less, and each group stays open. Above a number
of nodes, the repulsion is computed on a grid: the nodes are counted in its cells, and the counts are convolved with the
force of one node by a Fourier transform. Nodes that are only a few cells apart are corrected pair by pair.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""One row with x and y per node."""
Ends = NDArray[np.intp]
"""One row with two node numbers per link."""

EXACT_NODES = 600
"""Number of nodes up to which each pair is computed."""
_CELLS = 192
"""Rows and columns of the grid."""
_SOFTENING = 0.5
"""Added to the square of a distance in cells, since a grid does not know where in a cell a node is."""
_NEAR = 3.0
"""Distance in cells up to which pairs are corrected."""
_MAX_NEAR = 48
"""Nodes of one neighbouring block of cells that are compared with a node."""
_ROUNDS = 90
_LAST_STEP = 0.02
"""Largest step of the last round; a link is about 1 long."""


def improve_positions(points: Points, ends: Ends) -> Points:
    """Move the nodes by their forces, in rounds with smaller and smaller steps."""
    degrees = np.bincount(ends.ravel(), minlength=len(points)).astype(np.float64)
    masses = np.sqrt(degrees + 1.0)  # nodes with many links need more room
    repel = _repel_pairs if len(points) <= EXACT_NODES else _make_grid_repulsion()
    first_step = max(0.12 * float(np.ptp(points, axis=0).max()), 0.5)
    for step in np.geomspace(first_step, _LAST_STEP, _ROUNDS):
        moves = repel(points, masses) + _attract(points, ends, masses)
        lengths = np.maximum(np.hypot(moves[:, 0], moves[:, 1]), 1e-9)
        points = points + moves * (np.minimum(lengths, step) / lengths)[:, None]
    return points


def _attract(points: Points, ends: Ends, masses: NDArray[np.float64]) -> Points:
    """Pull the ends of each link towards each other."""
    difference = points[ends[:, 1]] - points[ends[:, 0]]
    pull = difference * np.hypot(difference[:, 0], difference[:, 1])[:, None]
    moves = np.empty_like(points)
    for axis in (0, 1):
        moves[:, axis] = np.bincount(ends[:, 0], pull[:, axis], len(points))
        moves[:, axis] -= np.bincount(ends[:, 1], pull[:, axis], len(points))
    return moves / masses[:, None]


def _repel_pairs(points: Points, masses: NDArray[np.float64]) -> Points:
    """Push each pair of nodes apart."""
    difference = points[:, None, :] - points[None, :, :]
    squares = np.maximum((difference**2).sum(axis=2), 1e-4)
    moves: Points = np.einsum("ijk,ij,j->ik", difference, squares**-1.5, masses)
    return moves


def _make_grid_repulsion() -> Callable[[Points, NDArray[np.float64]], Points]:
    """Make a function that approximates the repulsion on a grid."""
    size = 2 * _CELLS
    offsets = np.fft.fftfreq(size, 1.0 / size)
    x, y = np.meshgrid(offsets, offsets, indexing="ij")
    squares = x**2 + y**2 + _SOFTENING
    kernels = [np.fft.rfft2(axis / squares**1.5) for axis in (x, y)]

    def repel(points: Points, masses: NDArray[np.float64]) -> Points:
        low = points.min(axis=0)
        cell = float(np.ptp(points, axis=0).max()) / (_CELLS - 1.001) or 1.0
        places = (points - low) / cell
        corners = places.astype(np.intp)
        shares = places - corners
        weighted = [
            ((corners[:, 0] + right) * size + corners[:, 1] + up, _share(shares, right, up))
            for right in (0, 1)
            for up in (0, 1)
        ]
        counts = sum(np.bincount(index, share * masses, size * size) for index, share in weighted)
        spectrum = np.fft.rfft2(np.reshape(counts, (size, size)))
        moves = np.zeros_like(points)
        for axis, kernel in enumerate(kernels):
            field = np.fft.irfft2(spectrum * kernel, (size, size)).ravel() / cell**2
            moves[:, axis] = sum(field[index] * share for index, share in weighted)
        return moves + _correct_near_pairs(places, masses) / cell**2

    return repel


def _correct_near_pairs(places: Points, masses: NDArray[np.float64]) -> Points:
    """Add what the grid lacks of the repulsion between near nodes, in units of cells."""
    first, second = _find_near_pairs(places)
    difference = places[first] - places[second]
    squares = np.maximum((difference**2).sum(axis=1), 0.01)
    lacking = np.where(squares < _NEAR**2, squares**-1.5 - (squares + 2.0 * _SOFTENING) ** -1.5, 0.0)
    push = difference * lacking[:, None]
    return np.stack([np.bincount(first, push[:, axis] * masses[second], len(places)) for axis in (0, 1)], axis=1)


def _find_near_pairs(places: Points) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """List pairs of nodes in neighbouring blocks of cells, each pair in both orders."""
    blocks = (places / _NEAR).astype(np.intp) + 1
    width = _CELLS + 2
    keys = blocks[:, 0] * width + blocks[:, 1]
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    firsts, seconds = [], []
    for offset in (right * width + up for right in (-1, 0, 1) for up in (-1, 0, 1)):
        starts = np.searchsorted(ordered, keys + offset)
        counts = np.minimum(np.searchsorted(ordered, keys + offset, "right") - starts, _MAX_NEAR)
        first = np.repeat(np.arange(len(keys)), counts)
        positions = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        firsts.append(first)
        seconds.append(order[np.repeat(starts, counts) + positions])
    return np.concatenate(firsts), np.concatenate(seconds)


def _share(shares: Points, right: int, up: int) -> NDArray[np.float64]:
    """Give the part of each node that counts in one of the four cells around it."""
    horizontal = shares[:, 0] if right else 1.0 - shares[:, 0]
    return horizontal * (shares[:, 1] if up else 1.0 - shares[:, 1])
