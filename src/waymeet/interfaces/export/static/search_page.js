// The search of an exported site. It runs in the browser; the address names the query.
import { IndexFiles } from "./index_files.js";
import { Searcher } from "./searcher.js";
import { splitSnippet } from "./snippet.js";

const PAUSE = 60; // milliseconds without a key before a search starts
const LIMITS = [10, 30, 100];
const form = document.querySelector("#search");
const box = document.querySelector("#q");
const results = document.querySelector("#results");
const list = document.querySelector("#list");
const announcement = document.querySelector("#announcement");
const title = document.title;
let opening = null; // the index, while it is loaded and afterwards
let latest = 0; // the number of the last search that was started
let timer = 0;

function open() {
  opening ??= new IndexFiles(new URL(`${results.dataset.index}/`, location.href)).open().then((files) => new Searcher(files));
  opening.catch(() => { opening = null; });
  return opening;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function langOf(text) {
  if (/[\u3040-\u30ff\uff66-\uff9f]/.test(text)) return "ja";
  if (/[\uac00-\ud7af\u1100-\u11ff]/.test(text)) return "ko";
  return /[\u3400-\u9fff\uf900-\ufaff]/.test(text) ? "zh" : "";
}

function addressOf({ document: { page }, start, end }, pageLines) {
  if (page.startsWith("index.html")) return page;
  const part = Math.floor((start - 1) / pageLines);
  return `${page}${part > 0 ? `~p${part + 1}` : ""}.html?lines=${start}-${end}#L${start}`;
}

function showHit(hit, pageLines) {
  const { document: { title: name, path, kind } } = hit;
  const headings = hit.headings[0] === name ? hit.headings.slice(1) : hit.headings;
  const place = element("p", { class: "place" },
    element("span", { class: "path" }, path), " ",
    element("span", { class: "range" }, `${hit.start}–${hit.end}`));
  place.append(" ", element("span", { class: "score", title: "BM25F score" }, `score ${hit.score.toFixed(2)}`));
  const heading = element("h2", { lang: langOf(name) }, element("a", { class: "open", href: addressOf(hit, pageLines) }, name || path));
  if (headings.length) {
    heading.append(" ", element("span", { class: "headings", lang: langOf(headings.join(" ")) }, ...headings.map((text) => element("span", {}, text))));
  }
  const shown = element("p", { class: kind === "code" ? "snippet code" : "snippet", lang: langOf(hit.snippet) });
  splitSnippet(hit.snippet, hit.highlights, kind === "code" ? [] : [name, ...hit.headings]).forEach((parts, number) => {
    if (number) shown.append("\n");
    shown.append(...parts.map(([text, isMatch]) => (isMatch ? element("mark", {}, text) : text)));
  });
  return element("li", { class: "hit", "data-kind": kind, "data-id": `${path}#L${hit.start}-L${hit.end}`, "data-score": hit.score },
    heading, place, shown);
}

function showUnknown({ token, similar }, query) {
  const note = element("p", { class: "note" }, `“${token}” does not occur.`);
  for (const word of similar) {
    const other = query.replace(new RegExp(token, "iu"), word);
    note.append(" ", element("a", { href: `?${new URLSearchParams({ q: other })}` }, word));
  }
  return note;
}

function show(answer, query, limit) {
  const count = answer.hits.length;
  const total = answer.isCut ? `the ${answer.total} best` : answer.total;
  const summary = answer.total === 1 ? "1 result" : count ? `${count} of ${total} results` : "No results";
  const parts = [element("p", { class: "summary" }, element("span", {}, summary), element("span", {}, "words (BM25F)"))];
  for (const note of answer.notes) parts.push(element("p", { class: "note" }, note[0].toUpperCase() + note.slice(1)));
  for (const unknown of answer.unknown) parts.push(showUnknown(unknown, query));
  if (!count) parts.push(element("p", {}, "Try other words, or ", element("a", { href: location.pathname }, "see all documents"), "."));
  parts.push(element("ol", { class: "list" }, ...answer.hits.map((hit) => showHit(hit, answer.pageLines))));
  const more = LIMITS.find((each) => each > limit);
  if (more && answer.total > count) {
    const button = element("button", { type: "button" }, "More results");
    button.addEventListener("click", () => search(query, more));
    parts.push(element("p", { class: "more" }, button));
  }
  results.replaceChildren(...parts);
  announcement.textContent = summary;
}

function showProblem(error) {
  results.replaceChildren(element("section", { class: "failure", role: "alert" },
    element("h2", {}, "The index cannot be loaded"), element("p", {}, `${error.message}. Reload the page, or try again later.`)));
}

async function search(query, limit = LIMITS[0]) {
  const number = ++latest;
  results.hidden = !query;
  list.hidden = Boolean(query);
  document.title = query ? `${query} – ${title}` : title;
  if (!query) { announcement.textContent = ""; results.replaceChildren(); return; }
  results.setAttribute("aria-busy", "true");
  try {
    const answer = await (await open()).search(query, limit);
    if (number === latest) show(answer, query, limit);
  } catch (error) {
    if (number === latest) showProblem(error);
  } finally {
    if (number === latest) { results.removeAttribute("aria-busy"); results.dataset.query = query; }
  }
}

function addressFor(query) { return query ? `?${new URLSearchParams({ q: query })}` : location.pathname; }

function typed() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const query = box.value.trim();
    history.replaceState(null, "", addressFor(query));
    search(query);
  }, PAUSE);
}

function readAddress() {
  box.value = new URLSearchParams(location.search).get("q") ?? "";
  search(box.value.trim());
}

document.querySelector("#no-search").hidden = true;
document.querySelector("#hints").hidden = false;
box.addEventListener("focus", open, { once: true });
box.addEventListener("input", (event) => { if (!event.isComposing) typed(); });
box.addEventListener("compositionend", typed);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  const query = box.value.trim();
  if (addressFor(query) !== location.search) history.pushState(null, "", addressFor(query));
  search(query).then(() => results.querySelector(".open")?.focus());
});
document.addEventListener("click", (event) => {
  const link = event.target.closest(".note a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  readAddress();
});
addEventListener("popstate", readAddress);
readAddress();
if (!box.value && !location.hash && matchMedia("(pointer: fine)").matches) box.focus({ preventScroll: true });
