// The board of tasks: drag and drop, and moving a task by keys. The server renders the board after each move.
const keys = { take: " ", cancel: "Escape" };
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let taken = null; // the task that is moved by keys: its card, and the column that is chosen
let dragged = null;
let isSending = false;

const board = () => document.querySelector("#board");
const lanes = () => [...board().querySelectorAll(".lane")].filter((lane) => lane.dataset.status !== "other");

function announce(text) {
  document.querySelector("#announcement").textContent = text;
}

function laneOf(card) {
  return card.closest(".lane");
}

function mark(lane) {
  for (const other of board().querySelectorAll(".lane.target")) other.classList.remove("target");
  lane?.classList.add("target");
  lane?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: calm.matches ? "auto" : "smooth" });
}

async function move(card, lane) {
  const form = card.querySelector(".move form");
  if (!form || isSending || lane === laneOf(card)) { mark(null); return; }
  isSending = true;
  const id = card.dataset.id;
  const fields = new URLSearchParams([...new FormData(form), ["status", lane.dataset.status]]);
  card.classList.add("sending");
  announce(`Moving ${card.dataset.title} to ${lane.dataset.label} …`);
  try {
    const response = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
    show(await response.text(), id);
  } catch {
    card.classList.remove("sending");
    showProblem("The server does not answer. The task was not moved. Start it again: waymeet open");
  } finally {
    isSending = false;
    mark(null);
  }
}

function show(text, id) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const next = page.querySelector("#board");
  if (!next) { // refused: an error page
    const problem = page.querySelector("[role=alert]") ?? page.querySelector("main");
    showProblem(problem ? problem.textContent.replace(/\s+/g, " ").trim() : "The task was not moved.");
    return;
  }
  board().replaceWith(next);
  const messages = page.querySelector("#messages");
  const problems = page.querySelector("#problems");
  document.querySelector("#messages").replaceChildren(); // the card itself shows the move, so nothing above it changes
  document.querySelector("#problems").replaceWith(problems);
  announce((problems.textContent.trim() || messages.textContent).trim());
  prepare();
  const card = [...next.querySelectorAll(".card")].find((other) => other.dataset.id === id);
  (card?.querySelector(".open") ?? next).focus({ preventScroll: true });
  card?.classList.add("moved");
  card?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: calm.matches ? "auto" : "smooth" });
}

function showProblem(text) {
  const message = document.createElement("p");
  message.className = "message error";
  message.textContent = text;
  document.querySelector("#problems").replaceChildren(message);
  announce("");
}

function take(card) {
  if (!card.querySelector(".move form")) return;
  taken = { card, lane: laneOf(card) };
  card.classList.add("taken");
  mark(taken.lane);
  announce(`${card.dataset.title} is taken, in ${taken.lane.dataset.label}. Arrow keys choose a column, Space drops it, Escape cancels.`);
}

function drop(isCancelled) {
  const { card, lane } = taken;
  taken = null;
  card.classList.remove("taken");
  if (isCancelled || lane === laneOf(card)) {
    mark(null);
    announce(`${card.dataset.title} stays in ${laneOf(card).dataset.label}.`);
    return;
  }
  move(card, lane);
}

function chooseLane(step) {
  const all = lanes();
  const position = all.indexOf(taken.lane);
  taken.lane = all[Math.max(0, Math.min(all.length - 1, position + step))];
  mark(taken.lane);
  announce(`${taken.lane.dataset.label}, column ${all.indexOf(taken.lane) + 1} of ${all.length}`);
}

function focusCard(card, key) {
  const cards = (lane) => [...lane.querySelectorAll(".card")];
  const own = cards(laneOf(card));
  const position = own.indexOf(card);
  let next = null;
  if (key === "ArrowDown") next = own[position + 1];
  if (key === "ArrowUp") next = own[position - 1];
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const all = [...board().querySelectorAll(".lane")].filter((lane) => lane === laneOf(card) || cards(lane).length);
    const lane = all[all.indexOf(laneOf(card)) + (key === "ArrowRight" ? 1 : -1)];
    const others = lane ? cards(lane) : [];
    next = others[Math.min(position, others.length - 1)];
  }
  next?.querySelector(".open").focus();
}

function onKey(event) {
  const card = event.target.closest?.(".card");
  if (!card || !event.target.matches(".open") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (taken) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (step) chooseLane(step);
    else if (event.key === keys.take || event.key === "Enter") drop(false);
    else if (event.key === keys.cancel || event.key === "Tab") drop(true);
    else return;
    if (event.key !== "Tab") event.preventDefault();
    return;
  }
  if (event.key === keys.take) { event.preventDefault(); take(card); }
  if (event.key.startsWith("Arrow")) { event.preventDefault(); focusCard(card, event.key); }
}

function prepare() {
  if (!board()) return;
  for (const [name, value] of [["role", "group"], ["aria-label", "Board"], ["aria-describedby", "board-keys"]]) board().setAttribute(name, value);
  for (const card of board().querySelectorAll(".card")) {
    if (card.querySelector(".move form")) card.draggable = true;
    card.querySelector(".open").draggable = false; // the card is dragged, not its address
  }
}

document.addEventListener("keydown", onKey);
document.addEventListener("focusout", (event) => {
  if (taken && event.target.closest?.(".card") === taken.card && !isSending) drop(true);
});
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".card");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.title);
  dragged.classList.add("taken");
});
document.addEventListener("dragover", (event) => {
  const lane = dragged && event.target.closest?.(".lane");
  if (!lane || lane.dataset.status === "other") return;
  event.preventDefault();
  if (!lane.classList.contains("target")) mark(lane);
});
document.addEventListener("drop", (event) => {
  const lane = dragged && event.target.closest?.(".lane");
  if (!lane || lane.dataset.status === "other") return;
  event.preventDefault();
  move(dragged, lane);
});
document.addEventListener("dragend", () => {
  dragged?.classList.remove("taken");
  dragged = null;
  mark(null);
});
document.addEventListener("click", (event) => { // the buttons of the menu, without loading the whole page
  const button = event.target.closest?.(".move button");
  if (!button) return;
  const lane = lanes().find((other) => other.dataset.status === button.value);
  if (!lane) return;
  event.preventDefault();
  move(button.closest(".card"), lane);
});

document.querySelector("#board-keys")?.removeAttribute("hidden");
prepare();
