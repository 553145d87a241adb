// The graph page: draws what the list has, and keeps form, list, drawing and address in step.
import { Graph } from "./graph_model.js";
import { View } from "./graph_view.js";

const LISTED = 100; // nodes of a search that are listed
const base = document.body.dataset.base; // of the project
const page = document.querySelector("#graph");
const stage = document.querySelector("#stage");
const message = document.querySelector("#drawn");
const chosen = document.querySelector("#chosen");
let panel = document.querySelector("#panel");
let graph = null;
let running = null; // the AbortController of the graph that is being loaded
let timer = 0;

stage.hidden = false;
page.classList.add("drawn");
const view = new View(document.querySelector("#drawing"), {
  onPoint: (node) => { point(node); },
  onOpen: (node, inTab) => { inTab ? open(readAddress(node), "_blank", "noopener") : location.assign(readAddress(node)); },
  onChoose: (node) => { point(node); },
});

function encode(id) {
  return id.split("/").map(encodeURIComponent).join("/");
}

function readAddress(node) {
  return `${base}/read/${encode(graph.id[node].split("#")[0])}`;
}

function graphAddress(node) {
  return `${base}/graph/${encode(graph.id[node])}`;
}

function point(node) {
  view.point(node);
  for (const item of panel.querySelectorAll(".pointed")) item.classList.remove("pointed");
  chosen.hidden = node < 0;
  if (node < 0) return;
  panel.querySelector(`li[data-id="${CSS.escape(graph.id[node])}"]`)?.classList.add("pointed");
  const [read, path, around] = chosen.children;
  read.textContent = graph.title[node] || graph.id[node];
  read.href = readAddress(node);
  read.lang = graph.lang[node];
  path.textContent = `${graph.id[node]} · ${graph.kind[node]} · ${graph.links[node]} ${graph.links[node] === 1 ? "link" : "links"}`;
  around.href = graphAddress(node);
}

async function loadDrawing() {
  running?.abort();
  const controller = running = new AbortController();
  const waiting = setTimeout(() => { message.textContent = "Computing the drawing …"; }, 300);
  try {
    const response = await fetch(stage.dataset.source, { signal: controller.signal });
    if (!response.headers.get("content-type")?.startsWith("application/json")) throw new Error("refused");
    const data = await response.json();
    if (controller !== running) return;
    graph = new Graph(data, stage.dataset.center);
    message.textContent = graph.count ? "" : "Nothing to draw.";
    view.show(graph);
    point(-1);
    find(false);
    stage.dataset.ready = String(graph.count);
  } catch (error) {
    if (error.name !== "AbortError") message.textContent = "The drawing could not be loaded. The list is complete.";
  } finally {
    clearTimeout(waiting);
    if (controller === running) running = null;
  }
}

// Load another state of the page, and take its panel and drawing.
async function go(address, { push = true } = {}) {
  const response = await fetch(address);
  if (!response.headers.get("content-type")?.startsWith("text/html")) { location.assign(address); return; }
  const loaded = new DOMParser().parseFromString(await response.text(), "text/html");
  const [newPanel, newStage] = [loaded.querySelector("#panel"), loaded.querySelector("#stage")];
  if (!newPanel) { location.assign(address); return; }
  if (push) history.pushState(null, "", address);
  document.title = loaded.title;
  const focused = document.activeElement?.name ? [document.activeElement.name, document.activeElement.value] : null;
  panel.replaceWith(newPanel);
  panel = newPanel;
  if (focused) {
    const same = [...panel.querySelectorAll(`[name="${CSS.escape(focused[0])}"]`)];
    (same.find((field) => field.value === focused[1]) ?? same[0])?.focus();
  }
  const isOther = stage.dataset.source !== newStage.dataset.source;
  stage.dataset.source = newStage.dataset.source;
  stage.dataset.center = newStage.dataset.center;
  if (isOther) await loadDrawing();
  else find(false);
}

function formAddress() {
  const form = panel.querySelector("#choices");
  const fields = [...new FormData(form)].filter(([name, value]) => value.trim() && !(name === "depth" && value === "1"));
  const query = new URLSearchParams(fields).toString();
  return query ? `${form.getAttribute("action")}?${query}` : form.getAttribute("action");
}

// Search inside: the drawing fades what does not match, the list has what does.
function find(isTyped = true) {
  const field = panel.querySelector("#find");
  if (!graph || !field) return;
  const found = graph.search(field.value);
  view.repaint();
  if (!isTyped) return;
  history.replaceState(null, "", formAddress());
  if (!found) { go(location.href, { push: false }); return; }
  panel.querySelector("#found").textContent = `${found.length} of ${graph.count} match`;
  for (const element of panel.querySelectorAll("#nodes .more, #nodes .quiet")) element.remove();
  panel.querySelector(".nodes").replaceChildren(...found.slice(0, LISTED).map(makeItem));
}

function makeItem(node) {
  const make = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text });
  const item = document.createElement("li");
  item.dataset.id = graph.id[node];
  const kind = make("span", "kind", "");
  kind.classList.add(graph.kind[node]);
  const read = make("a", "open", graph.title[node] || graph.id[node]);
  read.href = readAddress(node);
  if (graph.lang[node]) read.lang = graph.lang[node];
  const around = make("a", "around", "around it");
  around.href = graphAddress(node);
  around.setAttribute("aria-label", `Graph around ${graph.title[node] || graph.id[node]}`);
  item.append(kind, read, make("span", "path", graph.id[node]), make("span", "count", `${graph.links[node]} ${graph.links[node] === 1 ? "link" : "links"}`), around);
  return item;
}

page.addEventListener("input", (event) => {
  if (event.target.id === "find") {
    clearTimeout(timer);
    timer = setTimeout(find, 60);
  } else if (event.target.name === "depth") {
    panel.querySelector("#depth-shown").textContent = event.target.value;
  }
});
page.addEventListener("change", (event) => { if (event.target.form?.id === "choices" && event.target.id !== "find") go(formAddress()); });
page.addEventListener("submit", (event) => {
  if (event.target.id !== "choices") return;
  event.preventDefault();
  panel.querySelector(".nodes .open")?.focus();
});
for (const name of ["focusin", "pointerover"]) {
  page.addEventListener(name, (event) => {
    const item = event.target.closest?.(".nodes li");
    const node = item && graph ? graph.numbers.get(item.dataset.id) ?? -1 : -1;
    if (node < 0) return;
    point(node);
    if (name === "focusin") view.reveal(node);
  });
}
page.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || !`${target.pathname}/`.startsWith(`${base}/graph/`)) return;
  event.preventDefault();
  go(target.pathname + target.search);
});
document.querySelector("#zoom-in").addEventListener("click", () => view.zoom(1.5, undefined, undefined, true));
document.querySelector("#zoom-out").addEventListener("click", () => view.zoom(1 / 1.5, undefined, undefined, true));
document.querySelector("#zoom-all").addEventListener("click", () => view.fit());
addEventListener("popstate", () => go(location.href, { push: false }));
page.view = view; // for measurements of frame times

await loadDrawing();
