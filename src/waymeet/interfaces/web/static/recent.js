// Recent searches of this browser in this project.
const base = document.querySelector("#search")?.getAttribute("action") ?? "/";
const PREFIX = "waymeet.recent";
const KEY = base === "/" ? PREFIX : `${PREFIX} ${base}`; // each project has its own
const MOST = 8;

export function readRecent() {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string").slice(0, MOST) : [];
  } catch {
    return []; // storage is off or was changed: there are no recent searches
  }
}

export function addRecent(query) {
  const text = query.trim();
  if (text) write([text, ...readRecent().filter((entry) => entry !== text)].slice(0, MOST));
}

export function forgetRecent() {
  write([]);
}

// Forget the searches in all projects, or in all but the one of a server of its own.
export function forgetAllRecent({ keepOwn = false } = {}) {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(`${PREFIX} `) || (key === PREFIX && !keepOwn)) localStorage.removeItem(key);
    }
  } catch {
    return; // storage is off: there are no recent searches
  }
}

function write(entries) {
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    return; // storage is off or full: searches are not kept
  }
}

export function showRecent() {
  const section = document.querySelector("#recent");
  if (!section) return;
  const entries = readRecent();
  section.hidden = !entries.length;
  section.querySelector("ul").replaceChildren(...entries.map((entry) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${base}?${new URLSearchParams({ q: entry })}`;
    link.textContent = entry;
    item.append(link);
    return item;
  }));
}
