// Keys of every page: / goes to the search box, ? lists the keys. Results add j, k, Enter and e.
const box = document.querySelector("#q");
const dialog = document.querySelector("#keys");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(input|select|textarea)$/i.test(target.tagName));
}

// The suggestions above the results: arrows go through them, and back to the search box.
function moveSuggestion(key) {
  const links = [...document.querySelectorAll(".suggest a")];
  const current = links.indexOf(document.activeElement);
  const next = current + (key === "ArrowDown" || key === "ArrowRight" ? 1 : -1);
  (links[next] ?? (next < 0 ? box : links[current]))?.focus();
}

function moveSelection(step) {
  const hits = [...document.querySelectorAll(".hit")];
  if (!hits.length) return;
  const current = hits.findIndex((hit) => hit.contains(document.activeElement));
  const next = hits[Math.max(0, Math.min(hits.length - 1, current < 0 ? (step > 0 ? 0 : hits.length - 1) : current + step))];
  select(next);
}

function select(hit) {
  for (const other of document.querySelectorAll(".hit.selected")) other.classList.remove("selected");
  hit.classList.add("selected");
  hit.querySelector(".open").focus({ preventScroll: true });
  hit.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
}

const actions = {
  "/": () => { box.focus(); box.select(); },
  "?": () => dialog.showModal(),
  j: () => moveSelection(1),
  k: () => moveSelection(-1),
  e: () => {
    const why = document.activeElement?.closest(".hit")?.querySelector(".why");
    if (why) why.open = !why.open;
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
  if (isTyping(event.target)) {
    if (event.target === box && event.key === "ArrowDown") {
      event.preventDefault();
      if (document.querySelector(".suggest a")) moveSuggestion(event.key);
      else moveSelection(1);
    }
    if (event.target === box && event.key === "Escape") box.blur();
    return;
  }
  if (event.target.closest?.(".suggest") && event.key.startsWith("Arrow")) {
    event.preventDefault();
    moveSuggestion(event.key);
    return;
  }
  const action = actions[event.key];
  if (action) { event.preventDefault(); action(); }
});

// The list of projects closes like a menu.
const projects = document.querySelector("#switch");
function closeProjects(event) {
  if (!projects?.open || projects.contains(event.target)) return;
  projects.open = false;
}
document.addEventListener("click", closeProjects);
document.addEventListener("focusin", closeProjects);
projects?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !projects.open) return;
  projects.open = false;
  projects.querySelector("summary").focus();
});

document.addEventListener("focusin", (event) => {
  const hit = event.target.closest?.(".hit");
  for (const other of document.querySelectorAll(".hit.selected")) if (other !== hit) other.classList.remove("selected");
});
