// A drawn graph: columns of the server as typed arrays, the neighbours of each node, and what is near a point.
export class Graph {
  constructor(data, center = "") {
    this.id = data.id;
    this.title = data.title;
    this.kind = data.kind;
    this.lang = data.lang;
    this.links = data.links;
    this.count = data.id.length;
    this.x = Float32Array.from(data.x);
    this.y = Float32Array.from(data.y);
    this.ends = Uint32Array.from(data.ends);
    this.weight = Float32Array.from(data.links, (links) => Math.sqrt(links));
    this.numbers = new Map(data.id.map((id, number) => [id, number]));
    this.center = this.numbers.get(center) ?? -1;
    this.byLinks = Uint32Array.from(data.id.keys()).sort((one, other) => this.links[other] - this.links[one] || one - other);
    this.matching = null; // a Uint8Array while a search inside runs
    this.label = this.chooseLabels();
    this.connect();
  }

  // Titles, but the names of files where several have the same title.
  chooseLabels() {
    const counts = new Map();
    for (const title of this.title) counts.set(title, (counts.get(title) ?? 0) + 1);
    return this.title.map((title, node) => {
      const id = this.id[node];
      return title && (counts.get(title) === 1 || id.includes("#")) ? title : id.replace(/\/$/, "").split("/").at(-1);
    });
  }

  connect() {
    this.starts = new Uint32Array(this.count + 1);
    for (const node of this.ends) this.starts[node + 1] += 1;
    for (let node = 0; node < this.count; node += 1) this.starts[node + 1] += this.starts[node];
    const next = this.starts.slice();
    this.others = new Uint32Array(this.ends.length);
    for (let place = 0; place < this.ends.length; place += 2) {
      const [one, other] = [this.ends[place], this.ends[place + 1]];
      this.others[next[one]++] = other;
      this.others[next[other]++] = one;
    }
  }

  neighbours(node) {
    return this.others.subarray(this.starts[node], this.starts[node + 1]);
  }

  bounds() {
    if (!this.count) return { left: -1, top: -1, right: 1, bottom: 1 };
    const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    for (let node = 0; node < this.count; node += 1) {
      box.left = Math.min(box.left, this.x[node]);
      box.right = Math.max(box.right, this.x[node]);
      box.top = Math.min(box.top, this.y[node]);
      box.bottom = Math.max(box.bottom, this.y[node]);
    }
    return box;
  }

  // The node at a point in units of the graph, or -1. `slack` is added to the radius of a node.
  find(x, y, radius, slack) {
    let best = -1;
    let least = Infinity;
    for (let node = 0; node < this.count; node += 1) {
      const distance = Math.hypot(this.x[node] - x, this.y[node] - y) - radius(node);
      if (distance < slack && distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    this.matching = null;
    if (!wanted) return null;
    this.matching = new Uint8Array(this.count);
    const found = [];
    for (const node of this.byLinks) {
      if (this.title[node].toLowerCase().includes(wanted) || this.id[node].toLowerCase().includes(wanted)) {
        this.matching[node] = 1;
        found.push(node);
      }
    }
    return found;
  }
}
