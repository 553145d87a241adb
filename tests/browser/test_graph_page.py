"""The graph in a browser: drawing, list, filters, keys, and many nodes."""

import json
import random
import statistics
from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec
import pytest
from browser.conftest import Open, Visit
from playwright.sync_api import Route, expect

from waymeet.interfaces.requests.operations.graph import GraphAnswer
from waymeet.interfaces.web.graph.drawing import Layouts
from waymeet.search.explore.graph import GraphEdge, GraphNode

_AROUND = "/graph/docs/berths.md"
_CAMERA = "JSON.stringify(document.querySelector('#graph').view.camera)"
_PLACE = """(id) => {
  const { graph, camera, canvas } = document.querySelector("#graph").view;
  const [node, box] = [graph.numbers.get(id), canvas.getBoundingClientRect()];
  return [box.left + graph.x[node] * camera.scale + camera.x, box.top + graph.y[node] * camera.scale + camera.y];
}"""


def _open(visit: Open, path: str, **options: Any) -> Visit:
    seen = visit(path, **options)
    seen.page.wait_for_selector("#stage[data-ready]")
    return seen


def _place(seen: Visit, node: str) -> tuple[float, float]:
    left, top = seen.page.evaluate(_PLACE, node)
    return left, top


def _wait_until(seen: Visit, condition: Callable[[dict[str, float]], bool]) -> None:
    """Wait until the view shows what it should; the page's policy forbids `wait_for_function`."""
    until = monotonic() + 60.0
    while not condition(json.loads(seen.evaluate(_CAMERA))):
        assert monotonic() < until
        seen.page.wait_for_timeout(20)


def _listed(seen: Visit) -> list[str]:
    return [str(item.get_attribute("data-id")) for item in seen.page.locator(".nodes li").all()]


def test_the_graph_around_a_document_is_drawn_and_listed(visit: Open) -> None:
    seen = visit("/read/docs/berths.md")
    seen.page.get_by_role("link", name="Show its graph").click()
    expect(seen.page).to_have_url(_AROUND)
    expect(seen.page.locator("h1")).to_have_text("Holding a berth")
    seen.page.wait_for_selector("#stage[data-ready]")
    listed = _listed(seen)
    assert listed[0] == "docs/berths.md"
    assert {"docs/pager.md", "docs/tides.md", "src/berths.py", "docs/berths.ja.md"} <= set(listed)
    assert seen.evaluate("Number(document.querySelector('#stage').dataset.ready)") == len(listed)
    colours = "new Set(document.querySelector('#drawing').getContext('2d').getImageData(0, 0, 900, 600).data).size"
    assert seen.evaluate(colours) > 20, "something is drawn"


def test_the_drawing_is_hidden_until_it_is_computed(visit: Open) -> None:
    seen, held = visit("/"), list[Route]()
    seen.page.route("**/graph.json*", lambda route: held.append(route))  # noqa: PLW0108 - playwright needs a function
    seen.page.goto("/graph")
    expect(seen.page.locator("#drawn")).to_contain_text("Computing the drawing")
    expect(seen.page.locator("#drawing")).to_be_hidden()
    held[0].continue_()
    expect(seen.page.locator("#drawing")).to_be_visible()


def test_a_click_opens_the_document(visit: Open) -> None:
    seen = _open(visit, _AROUND)
    seen.page.mouse.move(*_place(seen, "docs/tides.md"))
    expect(seen.page.locator("#chosen .open")).to_have_text("Tides")
    expect(seen.page.locator(".nodes li.pointed .path")).to_have_text("docs/tides.md")
    seen.page.mouse.click(*_place(seen, "docs/tides.md"))
    expect(seen.page).to_have_url("/read/docs/tides.md")


def test_depth_and_types_of_links_change_list_drawing_and_address(visit: Open) -> None:
    seen = _open(visit, _AROUND)
    near = _listed(seen)
    seen.page.locator("[name=depth]").focus()
    seen.page.keyboard.press("ArrowRight")
    expect(seen.page).to_have_url(f"{_AROUND}?depth=2")
    expect(seen.page.locator("[name=depth]")).to_be_focused()
    expect(seen.page.locator(".nodes")).to_contain_text("2 away")
    expect(seen.page.locator("#stage")).to_have_attribute("data-ready", str(len(_listed(seen))))
    assert len(_listed(seen)) > len(near)
    seen.page.get_by_label("translation").check()
    expect(seen.page).to_have_url(f"{_AROUND}?depth=2&type=translation")
    expect(seen.page.locator(".nodes li")).to_have_count(3)
    expect(seen.page.locator("#stage")).to_have_attribute("data-ready", "3")
    expect(seen.page.locator(".choices")).to_contain_text("references")
    seen.page.go_back()
    expect(seen.page).to_have_url(f"{_AROUND}?depth=2")
    expect(seen.page.get_by_label("translation")).not_to_be_checked()
    seen.page.get_by_label("Sections and symbols").check()
    expect(seen.page.locator(".nodes")).to_contain_text("hold_berth")


def test_search_inside_fades_the_rest_and_shortens_the_list(visit: Open) -> None:
    seen = _open(visit, "/graph")
    expect(seen.page.locator(".nodes li")).to_have_count(100)
    seen.page.locator("#find").fill("entry 10")
    expect(seen.page.locator(".nodes li")).to_have_count(11)
    expect(seen.page.locator("#found")).to_contain_text("11 of ")
    expect(seen.page).to_have_url("/graph?find=entry+10")
    assert seen.evaluate("document.querySelector('#graph').view.graph.matching.reduce((sum, one) => sum + one)") == 11
    seen.page.reload()
    expect(seen.page.locator(".nodes li")).to_have_count(11)
    seen.page.wait_for_selector("#stage[data-ready]")
    seen.page.locator("#find").fill("")
    expect(seen.page.locator(".nodes li")).to_have_count(100)


def test_mouse_keys_and_buttons_move_and_zoom(visit: Open) -> None:
    seen = _open(visit, "/graph", reduced_motion="reduce")
    home = json.loads(seen.evaluate(_CAMERA))
    seen.page.mouse.move(700, 400)
    seen.page.mouse.wheel(0, -300)
    _wait_until(seen, lambda camera: camera["scale"] > home["scale"])
    seen.page.locator("#zoom-all").click()
    assert json.loads(seen.evaluate(_CAMERA)) == home, "without motion, at once"
    seen.page.locator("#drawing").focus()
    for key, changed in (("ArrowLeft", "x"), ("ArrowDown", "y"), ("+", "scale")):
        before = json.loads(seen.evaluate(_CAMERA))
        seen.page.keyboard.press(key)
        assert json.loads(seen.evaluate(_CAMERA))[changed] != before[changed]
    seen.page.keyboard.press("0")
    assert json.loads(seen.evaluate(_CAMERA)) == home
    seen.page.mouse.move(450, 640)
    seen.page.mouse.down()
    seen.page.mouse.move(500, 600, steps=4)
    seen.page.mouse.up()
    _wait_until(seen, lambda now: (round(now["x"] - home["x"]), round(now["y"] - home["y"])) == (50, -40))
    expect(seen.page).to_have_url("/graph")


def test_two_fingers_zoom_and_a_tap_chooses(visit: Open) -> None:
    seen = _open(visit, _AROUND, viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
    seen.page.locator("#zoom-all").tap()  # the first view may be of a drawing that was still being laid out
    before: float = json.loads(seen.evaluate(_CAMERA))["scale"]
    session = seen.page.context.new_cdp_session(seen.page)

    def touch(kind: str, *places: tuple[int, int]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (150, 400))
    touch("touchStart", (150, 400), (220, 400))
    touch("touchMove", (120, 400), (250, 400))
    touch("touchMove", (100, 400), (280, 400))
    touch("touchEnd")
    _wait_until(seen, lambda camera: camera["scale"] > before * 1.5)

    def is_fitted(camera: dict[str, float]) -> bool:
        seen.page.locator("#zoom-all").tap()  # again, because a busy browser may deliver the last move after a tap
        return camera["scale"] < before * 1.2

    _wait_until(seen, is_fitted)
    seen.page.touchscreen.tap(*_place(seen, "docs/pager.md"))
    expect(seen.page.locator("#chosen .open")).to_have_text("Pager")
    expect(seen.page).to_have_url(_AROUND)
    seen.page.locator("#chosen .around").tap()
    expect(seen.page).to_have_url("/graph/docs/pager.md")
    expect(seen.page.locator("h1")).to_have_text("Pager")


def test_the_list_is_reached_by_keys_and_points_at_the_drawing(visit: Open) -> None:
    seen = _open(visit, _AROUND)
    seen.page.locator("#find").focus()
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator(".nodes .open").first).to_be_focused()
    seen.page.keyboard.press("Tab")
    focused = seen.evaluate("document.activeElement.closest('li').dataset.id")
    assert (
        seen.evaluate("(({ graph, pointed }) => graph.id[pointed])(document.querySelector('#graph').view)") == focused
    )
    seen.page.keyboard.press("Enter")
    seen.page.wait_for_url("**/read/**")


def test_the_graph_is_a_list_without_javascript(visit: Open) -> None:
    seen = visit(_AROUND, java_script_enabled=False)
    expect(seen.page.locator("#stage")).to_be_hidden()
    seen.page.get_by_label("translation").check()
    seen.page.locator("#find").fill("berth")
    seen.page.get_by_role("button", name="Apply").click()
    expect(seen.page).to_have_url(f"{_AROUND}?depth=1&type=translation&find=berth")
    expect(seen.page.locator(".nodes li")).to_have_count(3)
    seen.page.locator(".nodes .around").first.click()
    expect(seen.page.locator("h1")).to_be_visible()
    seen.page.goto("/graph")
    seen.page.get_by_role("link", name="More").click()
    expect(seen.page).to_have_url("/graph?from=100")
    seen.page.locator(".nodes .open").first.click()
    expect(seen.page.locator("article")).to_be_visible()


def _draw_many(count: int) -> bytes:
    rng = random.Random(1)  # noqa: S311 - a fixed graph, not a secret
    nodes = tuple(
        GraphNode(f"g{n // 50}/{n}.md", f"Page {n}", rng.choice(["docs", "docs", "code"])) for n in range(count)
    )
    links = [(n, n - n % 50) for n in range(count) if n % 50]
    links += [(n - n % 50, rng.randrange(count)) for n in range(0, count, 2)]
    edges = tuple(GraphEdge(nodes[one].id, nodes[two].id, "references") for one, two in links if one != two)
    return msgspec.json.encode(Layouts().draw(GraphAnswer(nodes=nodes, edges=edges), "many"))


def test_five_thousand_nodes_are_moved_smoothly(visit: Open, capsys: pytest.CaptureFixture[str]) -> None:
    """Print the times between frames; a busy machine must not fail the test."""
    seen, body = visit("/"), _draw_many(5000)
    seen.page.route("**/graph.json*", lambda route: route.fulfill(content_type="application/json", body=body))
    seen.page.goto("/graph")
    seen.page.wait_for_selector("#stage[data-ready='5000']")
    times = sorted(seen.evaluate("document.querySelector('#graph').view.measure(120)"))
    with capsys.disabled():
        worst = times[int(len(times) * 0.95)]
        print(  # noqa: T201 - a measurement
            f"\n5,000 nodes: {statistics.median(times):.1f} ms between frames in the median, {worst:.1f} ms at 95 %"
        )
    assert len(times) == 120
