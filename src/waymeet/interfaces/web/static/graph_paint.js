// Paint a graph on a canvas: links, nodes by kind, and the names that have room.
const KINDS = ["docs", "code", "notes", "tasks", "skills", "files", "folders", "section", "symbol"];
const SQUARE = new Set(["code", "symbol"]);
const BATCH = 400; // lines per path: a path of thousands of lines is slow
const LABEL = 12; // pixels
const MAX_LABELS = 70;
const ALWAYS = 12; // names that are shown also where they hide nodes
const NEAR = 25; // scale from which nodes without links have names

export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  const families = {};
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  for (const lang of ["", "ja", "zh", "ko"]) {
    probe.lang = lang || "en";
    families[lang] = getComputedStyle(probe).fontFamily;
  }
  probe.remove();
  return {
    ground: read("--ground"), text: read("--text"), quiet: read("--quiet"), edge: read("--edge"), accent: read("--accent"),
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, read(`--kind-${kind}`)])), families,
  };
}

// Radius of a node in pixels: larger with more links, smaller when much is in view.
export function makeRadius(graph, scale) {
  const unit = Math.min(Math.max(scale * 0.11, 0.35), 2.2);
  return (node) => unit * Math.min(1.6 + 1.1 * graph.weight[node], 9);
}

export function paint(context, graph, camera, width, height, theme) {
  context.fillStyle = theme.ground;
  context.fillRect(0, 0, width, height);
  const radius = makeRadius(graph, camera.scale);
  paintEdges(context, graph, camera, width, height, theme);
  paintNodes(context, graph, camera, width, height, theme, radius);
  if (graph.center >= 0) paintRing(context, graph, camera, theme, radius);
  paintLabels(context, graph, camera, width, height, theme, radius);
}

function paintEdges(context, graph, { scale, x, y }, width, height, theme) {
  const { ends } = graph;
  const many = ends.length / 2;
  context.lineWidth = many > 3000 && scale < 12 ? 0.6 : 1;
  context.strokeStyle = theme.edge;
  context.globalAlpha = (many > 3000 && scale < 12 ? 0.3 : 0.5) * (graph.matching ? 0.5 : 1);
  let batched = 0;
  context.beginPath();
  for (let place = 0; place < ends.length; place += 2) {
    const x1 = graph.x[ends[place]] * scale + x;
    const x2 = graph.x[ends[place + 1]] * scale + x;
    if ((x1 < 0 && x2 < 0) || (x1 > width && x2 > width)) continue;
    const y1 = graph.y[ends[place]] * scale + y;
    const y2 = graph.y[ends[place + 1]] * scale + y;
    if ((y1 < 0 && y2 < 0) || (y1 > height && y2 > height)) continue;
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    if (++batched === BATCH) {
      context.stroke();
      context.beginPath();
      batched = 0;
    }
  }
  context.stroke();
  context.globalAlpha = 1;
}

function paintNodes(context, graph, { scale, x, y }, width, height, theme, radius) {
  const groups = new Map(); // by kind and by whether the search inside leaves it out
  for (let node = 0; node < graph.count; node += 1) {
    const left = graph.x[node] * scale + x;
    const top = graph.y[node] * scale + y;
    if (left < -20 || top < -20 || left > width + 20 || top > height + 20) continue;
    const key = `${graph.kind[node]}${graph.matching && !graph.matching[node] ? "-" : ""}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(node);
  }
  for (const [key, nodes] of groups) {
    const kind = key.replace("-", "");
    context.fillStyle = theme.kinds[kind] || theme.kinds.files;
    context.globalAlpha = key.endsWith("-") ? 0.18 : 1;
    context.beginPath();
    for (const node of nodes) addShape(context, kind, graph.x[node] * scale + x, graph.y[node] * scale + y, radius(node));
    context.fill();
  }
  context.globalAlpha = 1;
}

function paintRing(context, graph, { scale, x, y }, theme, radius) {
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(graph.x[graph.center] * scale + x, graph.y[graph.center] * scale + y, radius(graph.center) + 4, 0, 2 * Math.PI);
  context.stroke();
}

function addShape(context, kind, left, top, size) {
  if (SQUARE.has(kind) || size < 1.2) {
    context.rect(left - size * 0.9, top - size * 0.9, size * 1.8, size * 1.8);
  } else {
    context.moveTo(left + size, top);
    context.arc(left, top, size, 0, 2 * Math.PI);
  }
}

function paintLabels(context, graph, { scale, x, y }, width, height, theme, radius) {
  const taken = []; // rectangles of the names so far
  const places = listPlaces(graph, { scale, x, y }, width, height);
  for (const node of graph.byLinks) {
    if (taken.length >= MAX_LABELS) break;
    if (graph.matching ? !graph.matching[node] : !graph.links[node] && scale < NEAR) continue;
    const left = graph.x[node] * scale + x;
    const middle = graph.y[node] * scale + y;
    if (left < 0 || middle < 0 || left > width || middle > height) continue;
    const text = shorten(graph.label[node]);
    const half = measure(text) / 2;
    for (const top of [middle + radius(node) + 2, middle - radius(node) - LABEL - 2]) { // below, else above
      const box = { left: left - half, right: left + half, top, bottom: top + LABEL };
      if (taken.some((other) => overlaps(box, other))) continue;
      if (taken.length >= ALWAYS && hidesNode(places, box)) continue;
      taken.push(box);
      paintLabel(context, text, left, top, theme, graph.lang[node], theme.text);
      break;
    }
  }
}

function overlaps(one, other) {
  return one.left < other.right + 4 && other.left < one.right + 4 && one.top < other.bottom + 2 && other.top < one.bottom + 2;
}

export function paintLabel(context, text, left, top, theme, lang, colour) {
  context.font = `${LABEL}px ${theme.families[lang] ?? theme.families[""]}`;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = theme.ground;
  context.strokeText(text, left, top);
  context.fillStyle = colour;
  context.fillText(text, left, top);
}

export function shorten(text) {
  const letters = [...text];
  return letters.length > 32 ? `${letters.slice(0, 31).join("")}…` : text;
}

function measure(text) {
  let length = 0;
  for (const letter of text) length += letter > "\u2e7f" ? LABEL : LABEL * 0.55;
  return length;
}

function listPlaces(graph, { scale, x, y }, width, height) {
  const places = new Map(); // the nodes in each cell of a coarse grid
  for (let node = 0; node < graph.count; node += 1) {
    const left = graph.x[node] * scale + x;
    const top = graph.y[node] * scale + y;
    if (left < 0 || top < 0 || left > width || top > height) continue;
    const cell = `${Math.floor(left / 32)},${Math.floor(top / 32)}`;
    if (!places.has(cell)) places.set(cell, []);
    places.get(cell).push([left, top]);
  }
  return places;
}

function hidesNode(places, box) {
  for (let column = Math.floor(box.left / 32); column <= Math.floor(box.right / 32); column += 1) {
    for (let row = Math.floor((box.top - 3) / 32); row <= Math.floor((box.bottom + 3) / 32); row += 1) {
      const inside = ([left, top]) => left > box.left && left < box.right && top > box.top - 3 && top < box.bottom + 3;
      if (places.get(`${column},${row}`)?.some(inside)) return true;
    }
  }
  return false;
}

// The node under the pointer, or chosen in the list, with its links.
export function paintChosen(context, graph, node, { scale, x, y }, theme) {
  const radius = makeRadius(graph, scale);
  const place = (other) => [graph.x[other] * scale + x, graph.y[other] * scale + y];
  const [left, top] = place(node);
  const near = graph.neighbours(node);
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const other of near) {
    context.moveTo(left, top);
    context.lineTo(...place(other));
  }
  context.stroke();
  for (const other of near) {
    context.fillStyle = theme.kinds[graph.kind[other]] || theme.kinds.files;
    context.beginPath();
    addShape(context, graph.kind[other], ...place(other), Math.max(radius(other), 2.5));
    context.fill();
  }
  context.beginPath();
  context.fillStyle = theme.kinds[graph.kind[node]] || theme.kinds.files;
  addShape(context, graph.kind[node], left, top, Math.max(radius(node), 4));
  context.fill();
  context.strokeStyle = theme.text;
  context.lineWidth = 2;
  context.stroke();
  paintLabel(context, shorten(graph.label[node]), left, top + Math.max(radius(node), 4) + 3, theme, graph.lang[node], theme.text);
}
