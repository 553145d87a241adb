"""Positions of nodes, and how long they are kept."""

import numpy as np
import pytest

from waymeet.interfaces.requests.operations.graph import GraphAnswer
from waymeet.interfaces.web.graph import drawing, forces, layout
from waymeet.interfaces.web.graph.layout import compute_layout
from waymeet.search.explore.graph import GraphEdge, GraphNode


def _groups(groups: int, size: int) -> tuple[int, list[tuple[int, int]]]:
    """Make groups of pages, each linked with its first, and the first ones with each other."""
    links = [(group * size, group * size + page) for group in range(groups) for page in range(1, size)]
    return groups * size, links + [(group * size, (group + 1) * size) for group in range(groups - 1)]


@pytest.mark.parametrize("groups", [3, 40])
def test_linked_nodes_are_near_and_others_apart(groups: int) -> None:
    count, links = _groups(groups, 20)
    assert (count > forces.EXACT_NODES) == (groups == 40)
    points = compute_layout(count, links)
    assert np.isfinite(points).all()
    ends = np.array(links)
    linked = np.hypot(*(points[ends[:, 0]] - points[ends[:, 1]]).T)
    assert linked.mean() < 0.25 * np.ptp(points, axis=0).max()
    between = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1)) + np.eye(count) * 9.0
    assert np.quantile(between.min(axis=1), 0.05) > 0.15, "few nodes hide others"


def test_the_same_graph_has_the_same_positions() -> None:
    count, links = _groups(4, 10)
    assert (compute_layout(count, links) == compute_layout(count, list(reversed(links)))).all()


def test_components_and_single_nodes_are_apart() -> None:
    links = [(0, 1), (1, 2), (2, 0), (3, 4), (5, 6)]
    points = compute_layout(12, links)
    triangle, pair, single = points[:3], points[3:5], points[7:]
    reach = np.hypot(*triangle.T).max()
    assert np.hypot(*pair.T).min() > reach
    assert np.hypot(*single.T).min() > np.hypot(*points[:7].T).max()


@pytest.mark.parametrize(("count", "links"), [(0, []), (1, []), (2, [(0, 1)]), (3, [])])
def test_small_graphs(count: int, links: list[tuple[int, int]]) -> None:
    points = compute_layout(count, links)
    assert points.shape == (count, 2)
    assert len({tuple(point) for point in points.tolist()}) == count


def _answer(generation: int) -> GraphAnswer:
    nodes = tuple(GraphNode(name, name.upper(), "docs") for name in "abc")
    edges = (
        GraphEdge("a", "b", "references", 2),
        GraphEdge("b", "a", "mentions"),
        GraphEdge("a", "masked", "references"),
    )
    return GraphAnswer(nodes=nodes, edges=edges, generation=generation)


def test_positions_are_kept_until_the_index_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []

    def count_computations(count: int, links: object) -> object:
        computed.append(count)
        return compute_layout(count, [(0, 1)])

    monkeypatch.setattr(layout, "compute_layout", count_computations)
    layouts = drawing.Layouts()
    first = layouts.draw(_answer(1), "one")
    assert layouts.draw(_answer(1), "one") == first
    assert (first.links, first.ends) == ([1, 1, 0], [0, 1])
    layouts.draw(_answer(1), "two")
    assert len(computed) == 2
    layouts.draw(_answer(2), "one")
    assert len(computed) == 3
