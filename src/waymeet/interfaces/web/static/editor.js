// The editor: a list of documents after [[, the preview without leaving the page, and a warning before changes are lost.
const ALIVE = 60_000; // milliseconds between two requests while someone writes
const PAUSE = 120; // milliseconds without a key before documents are searched
const form = document.querySelector("#edit");
const text = document.querySelector("#text");
const target = document.querySelector("#target");

class Picker {
  // Shows documents below a field, for the words that `read` gives, and passes the chosen one to `insert`.
  constructor(field, source, read, insert) {
    Object.assign(this, { field, source, read, insert, timer: 0, running: null, chosen: -1 });
    this.list = document.createElement("ul");
    this.list.className = "picker";
    this.list.id = `${field.id}-options`;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Documents");
    this.list.hidden = true;
    this.status = document.createElement("p");
    this.status.className = "hidden";
    this.status.setAttribute("role", "status");
    field.after(this.list, this.status);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.list.id);
    field.addEventListener("input", (event) => { if (!event.isComposing) this.typed(); });
    field.addEventListener("compositionend", () => this.typed());
    field.addEventListener("keydown", (event) => this.onKey(event));
    field.addEventListener("blur", () => setTimeout(() => this.close(), 150)); // a click on an option comes first
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.choose(option);
    });
  }

  get options() { return [...this.list.querySelectorAll("[role=option]")]; }

  typed() {
    clearTimeout(this.timer);
    if (this.read() === null) { this.close(); return; }
    this.timer = setTimeout(() => this.search(), PAUSE);
  }

  async search() {
    const words = this.read();
    this.running?.abort();
    if (!words?.trim()) { this.close(); return; }
    const controller = this.running = new AbortController();
    try {
      const query = new URLSearchParams({ q: words, from: this.source });
      const response = await fetch(`${document.body.dataset.base}/pick?${query}`, { signal: controller.signal });
      if (!response.ok || controller !== this.running) { this.close(); return; }
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (controller === this.running) this.show([...page.querySelectorAll("[role=option]")]);
    } catch (error) {
      if (error.name !== "AbortError") this.close(); // links can be written by hand
    }
  }

  show(options) {
    for (const option of options) option.id = `${this.field.id}-${option.id}`;
    this.list.replaceChildren(...options);
    this.list.hidden = !options.length;
    this.status.textContent = options.length ? `${options.length} documents. Arrow keys choose one, Enter inserts it.` : "No document found.";
    this.select(options.length ? 0 : -1);
    this.list.classList.toggle("upper", isAtBottom(this.field, this.list.offsetHeight));
    if (options.length) this.list.scrollIntoView({ block: "nearest" });
  }

  select(number) {
    this.chosen = number;
    this.options.forEach((option, position) => option.setAttribute("aria-selected", String(position === number)));
    const option = this.options[number];
    if (option) { this.field.setAttribute("aria-activedescendant", option.id); option.scrollIntoView({ block: "nearest" }); }
    else this.field.removeAttribute("aria-activedescendant");
  }

  close() {
    this.running?.abort();
    this.running = null;
    this.list.hidden = true;
    this.list.replaceChildren();
    this.status.textContent = "";
    this.select(-1);
  }

  choose(option) {
    this.insert(option.dataset);
    this.close();
    this.field.focus();
  }

  onKey(event) {
    if (this.list.hidden || event.isComposing) return;
    const count = this.options.length;
    if (event.key === "ArrowDown") this.select((this.chosen + 1) % count);
    else if (event.key === "ArrowUp") this.select((this.chosen + count - 1) % count);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.ctrlKey && !event.metaKey && this.chosen >= 0) this.choose(this.options[this.chosen]);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function isAtBottom(field, height) { // whether a list at the bottom of a text field would cover the cursor
  if (field.tagName !== "TEXTAREA") return false;
  const copy = document.createElement("div"); // the text up to the cursor, with the same line breaks
  copy.className = "copy";
  const style = getComputedStyle(field);
  Object.assign(copy.style, { width: `${field.clientWidth}px`, font: style.font, lineHeight: style.lineHeight, padding: style.padding });
  copy.textContent = `${field.value.slice(0, field.selectionStart)}|`;
  document.body.append(copy);
  const bottom = copy.offsetHeight - field.scrollTop;
  copy.remove();
  return bottom > field.clientHeight - height;
}

function readLink() { // the words between [[ and the cursor
  const before = text.value.slice(0, text.selectionStart);
  return /\[\[([^\[\]\n]{0,100})$/.exec(before)?.[1] ?? null;
}

function insertLink({ insert }) {
  const words = readLink();
  if (words === null) return;
  const end = text.selectionStart;
  const after = text.value.startsWith("]]", end) ? 2 : 0;
  text.setRangeText(insert, end - words.length - 2, end + after, "end");
  text.dispatchEvent(new Event("input", { bubbles: true }));
}

if (text) {
  new Picker(text, form.dataset.from, readLink, insertLink);
  for (const element of document.querySelectorAll(".script-only")) element.hidden = false;
}
if (target) new Picker(target, target.dataset.from, () => target.value, ({ document: path }) => { target.value = path; });

if (form) {
  const preview = document.querySelector("#preview");
  const button = document.querySelector("#preview-button");
  const written = () => JSON.stringify([...new FormData(form)]);
  const before = form.dataset.changed ? "" : written(); // a form that was refused has changes
  let isSending = false;
  let reached = Date.now();
  const problem = document.createElement("p");
  Object.assign(problem, { className: "message error", hidden: true });
  problem.setAttribute("role", "alert");
  form.append(problem);

  async function reachServer() {
    reached = Date.now();
    try {
      return (await fetch(`${document.body.dataset.base}/pick?q=`)).status < 500;
    } catch {
      return false;
    }
  }

  button.addEventListener("click", async (event) => {
    event.preventDefault();
    const fields = new URLSearchParams([...new FormData(form), ["do", "preview"]]);
    try {
      const response = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const next = response.ok ? page.querySelector("#preview .prose") : page.querySelector("[role=alert]");
      preview.querySelector(".prose").replaceChildren(...(next ? [next] : []));
      if (response.ok && next) preview.querySelector(".prose").replaceWith(next);
    } catch {
      preview.querySelector(".prose").textContent = "The server does not answer. Start it again: waymeet open";
    }
    preview.hidden = false;
    preview.scrollIntoView({ block: "nearest" });
  });
  form.addEventListener("submit", async (event) => { // a server that has stopped must not cost the text
    if (isSending) return;
    event.preventDefault();
    const isAlive = await reachServer();
    problem.textContent = isAlive ? "" : "Nothing was saved: the server does not answer. Your text is still here. Run waymeet open, then save again.";
    problem.hidden = isAlive;
    if (!isAlive) { problem.scrollIntoView({ block: "nearest" }); return; }
    isSending = true;
    form.requestSubmit(event.submitter);
  });
  form.addEventListener("input", () => { // the server and the session do not end while someone writes
    if (Date.now() - reached > ALIVE) reachServer();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); form.requestSubmit(form.querySelector("[value=save]")); }
  });
  addEventListener("beforeunload", (event) => { if (!isSending && written() !== before) event.preventDefault(); });
  addEventListener("pageshow", () => { isSending = false; });
}
