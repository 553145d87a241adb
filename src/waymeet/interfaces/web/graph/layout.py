"""Compute the positions of the nodes of a graph.

The same graph always has the same positions.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from waymeet.interfaces.web.graph.components import Links, find_components, list_neighbours, measure_distances
from waymeet.interfaces.web.graph.forces import Ends, Points, improve_positions

_SEED = 1
_PIVOTS = 24
_GOLDEN_ANGLE = np.pi * (3.0 - sqrt(5.0))
_SPACING = 1.2
"""Distance between components; a link is about 1 long."""


def compute_layout(count: int, links: Links) -> Points:
    """Give x and y of each node.

    Every component is laid out by itself. The largest is around the origin, smaller ones around it, nodes without links
    around all.
    """
    neighbours = list_neighbours(count, links)
    components = find_components(neighbours)
    linked = [component for component in components if len(component) > 1]
    points = np.zeros((count, 2))
    radii = []
    for component in linked:
        points[component] = _lay_out_component(component, neighbours)
        radii.append(float(np.hypot(*points[component].T).max()))
    reach = 0.0
    for component, (x, y), radius in zip(linked, _pack_circles(radii), radii, strict=True):
        points[component] += (x, y)
        reach = max(reach, sqrt(x * x + y * y) + radius)
    single = [component[0] for component in components if len(component) == 1]
    points[single] = _place_around(len(single), reach + _SPACING if reach else 0.0)
    return points


def _lay_out_component(component: Sequence[int], neighbours: Sequence[Sequence[int]]) -> Points:
    """Lay out a connected graph around the origin."""
    numbers = {node: number for number, node in enumerate(component)}
    inside = [[numbers[other] for other in neighbours[node]] for node in component]
    pairs = {(min(node, other), max(node, other)) for node in range(len(inside)) for other in inside[node]}
    ends = np.array(sorted(pairs), dtype=np.intp)
    points = improve_positions(_estimate_positions(inside, ends), ends)
    points -= (points.min(axis=0) + points.max(axis=0)) / 2
    return points


def _estimate_positions(neighbours: Sequence[Sequence[int]], ends: Ends) -> Points:
    """Estimate positions from the distances to some nodes that are far from each other.

    This is PivotMDS of Brandes and Pich (2006). Nodes with equal distances are moved apart at random, with a fixed
    seed.
    """
    count = len(neighbours)
    columns, nearest = [], np.full(count, np.inf)
    pivot = max(range(count), key=lambda node: len(neighbours[node]))
    for _ in range(min(_PIVOTS, count)):
        measured = measure_distances(neighbours, pivot)
        column = np.array([measured[node] for node in range(count)], dtype=np.float64)
        columns.append(column)
        nearest = np.minimum(nearest, column)
        pivot = int(nearest.argmax())
    squares = np.stack(columns, axis=1) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    vectors = np.linalg.eigh(centred.T @ centred)[1][:, -2:]
    points = np.zeros((count, 2))
    points[:, : vectors.shape[1]] = centred @ vectors
    for axis in (0, 1):  # a vector and its opposite are equally good: choose one
        largest = points[np.abs(points[:, axis]).argmax(), axis]
        points[:, axis] *= -1.0 if largest < 0.0 else 1.0
    lengths = np.hypot(*(points[ends[:, 1]] - points[ends[:, 0]]).T)
    points /= lengths.mean() or 1.0
    return points + np.random.default_rng(_SEED).normal(0.0, 0.3, points.shape)


def _pack_circles(radii: Sequence[float]) -> list[tuple[float, float]]:
    """Place circles without overlap, each at the first free place of a spiral.

    >>> _pack_circles([2.0])
    [(0.0, 0.0)]
    """
    centres = np.zeros((len(radii), 2))
    sizes = np.array(radii)
    turn, distance = 0, 0.0
    for number in range(1, len(radii)):
        distance = max(distance if sizes[number] <= sizes[number - 1] else 0.0, sizes[0] + sizes[number] + _SPACING)
        needed = sizes[:number] + sizes[number] + _SPACING
        while True:
            turn += 1
            centre = distance * np.array([np.cos(turn * _GOLDEN_ANGLE), np.sin(turn * _GOLDEN_ANGLE)])
            if (np.hypot(*(centres[:number] - centre).T) >= needed).all():
                break
            distance += 0.15 * (sizes[number] + _SPACING) / max(1.0, distance / 4)
        centres[number] = centre
    return [(float(x), float(y)) for x, y in centres]


def _place_around(count: int, radius: float) -> Points:
    """Place nodes evenly outside of a circle."""
    numbers = np.arange(count) + 0.5
    distances = np.sqrt(radius**2 + numbers * _SPACING**2 * 0.6)
    return np.stack([distances * np.cos(numbers * _GOLDEN_ANGLE), distances * np.sin(numbers * _GOLDEN_ANGLE)], axis=1)
