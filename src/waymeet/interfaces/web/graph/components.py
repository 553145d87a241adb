"""Connected components of a graph, and distances inside them."""

from collections import deque
from collections.abc import Sequence

Links = Sequence[tuple[int, int]]
"""Pairs of node numbers, without direction."""


def list_neighbours(count: int, links: Links) -> list[list[int]]:
    """List the neighbours of each node.

    >>> list_neighbours(3, [(0, 1)])
    [[1], [0], []]
    """
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for first, second in links:
        neighbours[first].append(second)
        neighbours[second].append(first)
    return neighbours


def find_components(neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """List the connected components, the largest first, with their nodes in ascending order.

    >>> find_components(list_neighbours(4, [(2, 3), (3, 1)]))
    [[1, 2, 3], [0]]
    """
    seen = [False] * len(neighbours)
    components = []
    for start in range(len(neighbours)):
        if not seen[start]:
            component = list(measure_distances(neighbours, start))
            for node in component:
                seen[node] = True
            components.append(sorted(component))
    return sorted(components, key=lambda component: (-len(component), component[0]))


def measure_distances(neighbours: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """Count the links from a node to each node that it reaches.

    >>> measure_distances(list_neighbours(3, [(0, 1), (1, 2)]), 0)
    {0: 0, 1: 1, 2: 2}
    """
    distances = {start: 0}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if other not in distances:
                distances[other] = distances[node] + 1
                waiting.append(other)
    return distances
