// Results while a query is typed. The server renders them; the address always names what is shown.
import { addRecent, forgetAllRecent, forgetRecent, showRecent } from "./recent.js";

const BUSY_PAUSE = 10; // milliseconds without a key before a search replaces one that the server still answers, at least
const MAX_PAUSE = 1000; // and at most: the slower the server, the fewer searches are started and cancelled
const RETRY = 1500; // milliseconds until a search is repeated that the server could not answer yet
const form = document.querySelector("#search");
const box = document.querySelector("#q");
const results = document.querySelector("#results");
const start = new URL(form.action).pathname; // the path of this page
const announcement = document.querySelector("#announcement");
const title = document.title.replace(/^.* – (?=[^–]* – Waymeet$)/s, "");
const headers = { "X-Waymeet-Page": crypto.getRandomValues(new Uint32Array(4)).join("-") }; // a newer search of this page cancels the earlier one
let timer = 0;
let waiting = null; // what the timer will do
let duration = 0; // milliseconds of the last search
let since = 0; // when the search that is under way has started
let retry = 0;
let running = null; // the AbortController of the search that is under way
let shown = location.search;
let isTyped = false; // whether the last entry of the history is being typed

function formAddress() {
  const fields = [...new FormData(form)].filter(([, value]) => value.trim());
  const query = new URLSearchParams(fields).toString();
  return query && fields.some(([name]) => name === "q") ? `?${query}` : "";
}

async function load(search) {
  running?.abort();
  clearTimeout(retry);
  const controller = running = new AbortController();
  since = performance.now();
  results.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(`${form.dataset.results}${search}`, { signal: controller.signal, headers });
    const text = await response.text();
    if (controller !== running) return; // a later search has started
    if (response.headers.get("content-type")?.startsWith("text/html")) {
      show(text, search);
      if (response.status === 503) retry = setTimeout(() => load(search), RETRY); // for example, the first run of indexing
    } else {
      const problem = JSON.parse(text); // refused before it reached the page
      showProblem(problem.detail, problem.next_step);
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    showProblem("The server does not answer.", "Start it again: waymeet serve");
  } finally {
    if (controller === running) {
      running = null;
      duration = performance.now() - since;
      results.removeAttribute("aria-busy");
      waiting?.(); // a later query has been typed
    }
  }
}

function show(text, search) {
  results.innerHTML = text; // made by the server, which escapes it; faster than parsing it as a document of its own
  shown = search;
  const found = results.querySelector(".found");
  announcement.textContent = found ? (Number(found.dataset.count) ? `${found.dataset.count} of ${found.dataset.total} results` : "No results") : "";
  const query = new URLSearchParams(search).get("q");
  document.title = query ? `${query} – ${title}` : title;
  keepQuery(query);
  showRecent();
}

// The calculation of a score is loaded when it is opened: the page without a script has it.
async function loadNumbers(event) {
  if (!event.target.open || !event.target.matches("#results .all[data-later]")) return;
  const list = results.querySelector(".list");
  const message = event.target.querySelector("[role=status]");
  message.textContent = "Loading …";
  try {
    const response = await fetch(start + location.search, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const hit of page.querySelectorAll(".hit")) {
      const own = list.querySelector(`.hit[data-id="${CSS.escape(hit.dataset.id)}"] .all[data-later]`);
      const numbers = hit.querySelector(".all");
      if (!own || !numbers) continue;
      own.replaceChildren(...numbers.childNodes);
      delete own.dataset.later;
    }
    message.textContent = "The numbers could not be loaded. Reload the page to see them."; // unless they have replaced it
  } catch {
    message.textContent = "The server does not answer.";
  }
}

// Another project is searched for the same words.
function keepQuery(query) {
  for (const link of document.querySelectorAll("#switch a")) link.search = query ? new URLSearchParams({ q: query }) : "";
}

function showProblem(message, help) {
  const section = document.createElement("section");
  section.className = "failure";
  section.setAttribute("role", "alert");
  for (const [name, text] of [["h2", message], ["p", help]]) {
    const element = document.createElement(name);
    element.textContent = text;
    section.append(element);
  }
  results.replaceChildren(section);
  shown = null;
}

function fill(search) {
  const fields = new URLSearchParams(search);
  box.value = fields.get("q") ?? "";
  const recipe = fields.get("recipe") ?? "";
  form.elements.recipe.value = recipe === "auto" ? "" : recipe;
  for (const input of form.querySelectorAll("input[type=hidden]")) input.remove();
  for (const [name, value] of fields) {
    if (["q", "recipe", "n"].includes(name)) continue;
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
}

function go(search, { replace = false } = {}) {
  clearTimeout(timer);
  waiting = null;
  if (search !== location.search) history[replace ? "replaceState" : "pushState"](null, "", search || start);
  if (search !== shown || running) load(search);
}

function typed() {
  clearTimeout(timer);
  waiting = () => {
    clearTimeout(timer);
    waiting = null;
    const search = formAddress();
    if (search === location.search && search === shown) return;
    go(search, { replace: isTyped });
    isTyped = true;
  };
  const slow = Math.max(duration, performance.now() - since);
  if (running) timer = setTimeout(waiting, Math.min(Math.max(BUSY_PAUSE, slow / 8), MAX_PAUSE));
  else waiting();
}

box.addEventListener("input", (event) => { if (!event.isComposing) typed(); });
box.addEventListener("compositionend", typed);
form.elements.recipe.addEventListener("change", () => { isTyped = false; go(formAddress()); });
form.addEventListener("submit", (event) => {
  event.preventDefault();
  addRecent(box.value);
  isTyped = false;
  go(formAddress());
  if (!running) results.querySelector(".open")?.focus();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (event.target.id === "forget") { forgetRecent(); showRecent(); return; }
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.matches(".open")) addRecent(box.value);
  const target = new URL(link.href);
  if (target.origin !== location.origin || target.pathname !== start || link.hash) return;
  event.preventDefault();
  isTyped = false;
  fill(target.search);
  go(target.search);
  if (!target.search || link.closest(".suggest, .hints")) {
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length); // to go on typing
  }
});

document.addEventListener("toggle", loadNumbers, true);
addEventListener("popstate", () => {
  isTyped = false;
  clearTimeout(timer);
  waiting = null;
  fill(location.search);
  load(location.search);
});

fill(location.search);
if (!document.querySelector("#switch")) forgetAllRecent({ keepOwn: true }); // not signed in, or no longer: other projects are not shown
showRecent();
