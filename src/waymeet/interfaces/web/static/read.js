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
if (!location.hash) document.querySelector(".marked")?.scrollIntoView({ block: "center" });
