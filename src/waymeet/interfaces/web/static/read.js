// Copy the citation, and bring the marked lines into view.
const button = document.querySelector("#copy");
const field = document.querySelector("#citation");
const copied = document.querySelector("#copied");

if (navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      copied.textContent = "Copied";
    } catch {
      field.select(); // the browser does not allow it: the person can copy the selection
      copied.textContent = "Press Ctrl-C";
    }
  });
}
field.addEventListener("focus", () => field.select());

function openAround(element) { // show what a closed <details> hides
  for (let details = element?.closest("details"); details; details = details.parentElement.closest("details")) details.open = true;
}
function openTarget() {
  if (!location.hash) return;
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  openAround(target);
  target?.scrollIntoView();
}
for (const details of document.querySelectorAll(".marked details")) details.open = true;
if (document.querySelector(".prose details")) openTarget();
addEventListener("hashchange", openTarget);
if (!location.hash) document.querySelector(".marked")?.scrollIntoView({ block: "center" });
