// Follow the progress of the index, and load the problems, which take longer to find.
const numbers = new Intl.NumberFormat("en");
const progress = document.querySelector("#progress");
const left = document.querySelector("#left");

function set(id, text) {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
}

function describeLeft(state) {
  if (!state.running) return "";
  if (state.seconds_left === null) return "A job is running.";
  const minutes = Math.ceil(state.seconds_left / 60);
  return state.seconds_left < 60 ? "A job is running, less than a minute left." : `A job is running, about ${minutes} min left.`;
}

const events = new EventSource(`${document.body.dataset.base}/status/events`);
events.addEventListener("progress", (event) => {
  const state = JSON.parse(event.data);
  if (!document.getElementById("documents") && state.documents) { location.reload(); return; }
  set("documents", numbers.format(state.documents));
  set("sections", numbers.format(state.sections));
  set("embedded", `${numbers.format(state.embedded)} of ${numbers.format(state.sections)}`);
  if (progress) { progress.max = Math.max(state.sections, 1); progress.value = state.embedded; }
  if (left) left.textContent = describeLeft(state);
});
addEventListener("pagehide", () => events.close());

const problems = document.querySelector("#problems");
if (problems) {
  const link = problems.querySelector("p a");
  const label = link.textContent;
  link.textContent = "Checking …";
  const response = await fetch(link.href);
  if (response.ok) {
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    problems.querySelector("p").replaceWith(...page.querySelector("#found").childNodes);
  } else {
    link.textContent = label;
  }
}
