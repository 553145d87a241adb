// Cuts out the part of a text with the most different words of the query, as `waymeet search` does.
export function snippet(text, weights, chars, spans) {
  const matches = [];
  for (const [start, end, terms] of spans(text)) {
    const term = bestTerm(terms, weights);
    if (term !== null) matches.push([start, end, term]);
  }
  const [begin, finish] = findWindow(text, matches, weights, chars);
  const lead = begin > 0 && text[begin - 1] !== "\n" ? "…" : "";
  const tail = finish < text.length && text[finish] !== "\n" ? "…" : "";
  const shift = lead.length - begin;
  const ranges = matches.filter(([start, end]) => begin <= start && end <= finish).map(([start, end]) => [start + shift, end + shift]);
  return { snippet: lead + text.slice(begin, finish) + tail, highlights: mergeRanges(ranges) };
}

function bestTerm(terms, weights) {
  let best = null;
  for (const term of terms) {
    if (!weights.has(term)) continue;
    if (best === null || weights.get(term) > weights.get(best) || (weights.get(term) === weights.get(best) && term > best)) best = term;
  }
  return best;
}

const ROUNDING = 1e-9; // differences of weights below it are none: the first window is taken

function findWindow(text, matches, weights, chars) {
  if (text.length <= chars) return trim(text, 0, text.length);
  let best = -1, begin = 0, finish = 0;
  matches.forEach(([start], i) => {
    const inside = [];
    for (let j = i; j < matches.length; j++) if (matches[j][1] <= start + chars) inside.push(matches[j]);
    const different = new Set(inside.map((match) => match[2]));
    let weight = 0;
    for (const term of different) weight += weights.get(term);
    weight += 0.01 * inside.length;
    if (weight > best + ROUNDING) [best, begin, finish] = [weight, start, inside.length ? inside.at(-1)[1] : start];
  });
  begin = extendStart(text, begin, Math.max(chars - (finish - begin), 0));
  return trim(text, begin, extendEnd(text, finish, begin + chars));
}

function extendStart(text, start, spare) {
  const line = start > 0 ? text.lastIndexOf("\n", start - 1) + 1 : 0;
  if (start - line <= spare) return line;
  const earliest = start - Math.floor(spare / 3);
  const space = text.slice(earliest, start).indexOf(" ");
  return space >= 0 ? earliest + space + 1 : earliest;
}

function extendEnd(text, finish, latest) {
  if (latest >= text.length) return text.length;
  for (const border of ["\n", " "]) {
    const position = text.lastIndexOf(border, latest);
    if (position >= finish && position > 0) return position;
  }
  return latest;
}

function trim(text, begin, finish) {
  for (;;) {
    const end = text.indexOf("\n", begin);
    if (end < 0 || end >= finish || text.slice(begin, end).trim()) break;
    begin = end + 1;
  }
  return [begin, begin + text.slice(begin, finish).trimEnd().length];
}

function mergeRanges(ranges) {
  const merged = [];
  for (const [start, end] of ranges) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(end, last[1]);
    else merged.push([start, end]);
  }
  return merged;
}

const FENCE = /^(`{3,}|~{3,})\s*[\w+.#-]*$/; // the line before or after a block of code in Markdown
const MARKS = /^#{1,6} +|!?\[(?<text>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+["'][^"']*["'])?\)|<a\s+(?:id|name)=[^<>]*>\s*<\/a>/gi; // of headings, links and anchors

// Split a snippet into lines of [text, isMatch] parts. Rules and lines that only repeat a heading are left out.
export function splitSnippet(text, highlights, headings) {
  const lines = [];
  let at = 0;
  for (const line of text.split("\n")) { lines.push([at, at + line.length]); at += line.length + 1; }
  const kept = lines.filter(([first, last]) => isText(text.slice(first, last), headings));
  return (kept.length ? kept : lines).map(([first, last]) => {
    const shown = headings.length ? visible(text.slice(first, last)) : [[0, last - first]];
    return shown.flatMap(([start, end]) => splitRange(text, highlights, first + start, first + end));
  });
}

function splitRange(text, highlights, position, last) {
  const parts = [];
  for (const [from, to] of highlights) {
    const [start, end] = [Math.max(from, position), Math.min(to, last)];
    if (start >= end) continue;
    if (start > position) parts.push([text.slice(position, start), false]);
    parts.push([text.slice(start, end), true]);
    position = end;
  }
  if (position < last) parts.push([text.slice(position, last), false]);
  return parts;
}

// The ranges of a line of Markdown without the marks of a heading and the addresses of links.
function visible(line) {
  const ranges = [];
  let start = 0;
  for (const mark of line.matchAll(MARKS)) {
    ranges.push([start, mark.index]);
    const inside = mark.groups.text ? mark.index + mark[0].indexOf("[") + 1 : 0;
    if (inside) ranges.push([inside, inside + mark.groups.text.length]);
    start = mark.index + mark[0].length;
  }
  return [...ranges, [start, line.length]].filter(([first, last]) => last > first);
}

function isText(line, headings) {
  if (headings.length && (isRule(line.trim()) || !visible(line).some(([first, last]) => line.slice(first, last).trim()))) return false;
  const text = line.trim().replace(/^[…#]+/, "").replace(/[#…]+$/, "").trim();
  return Boolean(text) && !(/^[ …]*#/.test(line) && headings.includes(text));
}

// Whether a line of Markdown is the border of a block of code, or below the head of a table.
function isRule(line) {
  return FENCE.test(line) || (line.includes("---") && /^[|: -]+$/.test(line));
}
