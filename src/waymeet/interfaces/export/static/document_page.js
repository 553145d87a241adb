// Marks the lines that the address names: ?lines=3-9
const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(new URLSearchParams(location.search).get("lines") ?? "");
if (match) {
  const first = Number(match[1]);
  const last = Math.max(first, Number(match[2] ?? first));
  const places = [...document.querySelectorAll(".block[id], .source > li[id]")];
  const starts = places.map((place) => Number(place.id.slice(1)));
  const marked = places.filter((_, i) => starts[i] <= last && (starts[i + 1] ?? Infinity) > first);
  for (const place of marked) place.classList.add("marked");
  if (!document.getElementById(location.hash.slice(1))) marked[0]?.scrollIntoView();
}
