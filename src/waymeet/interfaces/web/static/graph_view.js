// The view of a graph: what part is shown, and how mouse, touch and keys change it.
import { makeRadius, paint, paintChosen, readTheme } from "./graph_paint.js";

const MARGIN = 0.5; // the picture that is moved while the view changes is larger than the view by this share on each side
const QUIET = 90; // milliseconds without a change before the picture is painted again
const STEP = 60; // pixels per arrow key
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

export class View {
  constructor(canvas, { onPoint, onOpen, onChoose }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.picture = document.createElement("canvas");
    this.calls = { onPoint, onOpen, onChoose };
    this.graph = null;
    this.camera = { scale: 1, x: 0, y: 0 };
    this.pointed = -1;
    this.pointers = new Map();
    this.travelled = 0;
    this.changed = 0;
    this.painting = 0; // milliseconds that the last picture took
    this.frames = null; // times of frames while they are measured
    this.theme = readTheme();
    this.listen();
  }

  show(graph) {
    this.graph = graph;
    this.pointed = -1;
    this.fit(false);
  }

  fit(animated = true) {
    if (!this.graph) return;
    const box = this.graph.bounds();
    const margin = Math.min(48, this.width / 8);
    const wide = (this.width - 2 * margin) / Math.max(box.right - box.left, 1e-6);
    const high = (this.height - 2 * margin) / Math.max(box.bottom - box.top, 1e-6);
    const scale = Math.min(wide, high, 90);
    const x = this.width / 2 - ((box.left + box.right) / 2) * scale;
    const y = this.height / 2 - ((box.top + box.bottom) / 2) * scale;
    this.smallest = scale / 4;
    this.go({ scale, x, y }, animated);
  }

  reveal(node) { // bring a node into the view, if it is outside
    const [left, top] = [this.graph.x[node] * this.camera.scale + this.camera.x, this.graph.y[node] * this.camera.scale + this.camera.y];
    if (left > 20 && top > 20 && left < this.width - 20 && top < this.height - 20) return;
    this.go({ ...this.camera, x: this.camera.x + this.width / 2 - left, y: this.camera.y + this.height / 2 - top });
  }

  zoom(factor, left = this.width / 2, top = this.height / 2, animated = false) {
    const scale = Math.min(Math.max(this.camera.scale * factor, this.smallest), 200);
    const ratio = scale / this.camera.scale;
    this.go({ scale, x: left - (left - this.camera.x) * ratio, y: top - (top - this.camera.y) * ratio }, animated);
  }

  move(right, down) {
    this.go({ ...this.camera, x: this.camera.x + right, y: this.camera.y + down }, false);
  }

  go(target, animated = true) {
    cancelAnimationFrame(this.animation);
    if (!animated || calm.matches) {
      this.camera = target;
      this.touch();
      return;
    }
    const from = this.camera;
    const start = performance.now();
    const step = (now) => {
      const part = Math.min(Math.max((now - start) / 160, 0), 1);
      const eased = part * (2 - part);
      this.camera = Object.fromEntries(["scale", "x", "y"].map((key) => [key, from[key] + (target[key] - from[key]) * eased]));
      this.touch();
      if (part < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }

  touch() { // the camera has changed
    this.changed = performance.now();
    this.schedule();
  }

  repaint() { // the content has changed
    this.painted = null;
    this.schedule();
  }

  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    this.schedule();
  }

  schedule() {
    this.frame ??= requestAnimationFrame((now) => this.draw(now));
  }

  draw(now) {
    this.frame = null;
    if (!this.graph || !this.width) return;
    this.frames?.push(now);
    const isMoved = !this.painted || ["scale", "x", "y"].some((key) => this.painted[key] !== this.camera[key]);
    const isQuiet = performance.now() - this.changed > QUIET;
    if (!this.painted || (isMoved && (isQuiet || this.painting < 6))) this.paintPicture();
    else if (isMoved) this.schedule(); // paint when the view is at rest
    const { context } = this;
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.fillStyle = this.theme.ground;
    context.fillRect(0, 0, this.width, this.height);
    const ratio = this.camera.scale / this.painted.scale;
    const left = this.camera.x - (this.painted.x + this.margins[0]) * ratio;
    const top = this.camera.y - (this.painted.y + this.margins[1]) * ratio;
    context.drawImage(this.picture, left, top, (this.picture.width / this.density) * ratio, (this.picture.height / this.density) * ratio);
    if (this.pointed >= 0) paintChosen(context, this.graph, this.pointed, this.camera, this.theme);
  }

  paintPicture() {
    const start = performance.now();
    this.painted = { ...this.camera };
    const [wide, high] = [this.width + 2 * this.margins[0], this.height + 2 * this.margins[1]];
    const context = this.picture.getContext("2d", { alpha: false });
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    const camera = { scale: this.camera.scale, x: this.camera.x + this.margins[0], y: this.camera.y + this.margins[1] };
    paint(context, this.graph, camera, wide, high, this.theme);
    this.painting = performance.now() - start;
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width || (width === this.width && height === this.height)) return;
    const isFirst = !this.width;
    [this.width, this.height] = [width, height];
    this.density = Math.min(devicePixelRatio || 1, 2);
    this.margins = [Math.round(width * MARGIN), Math.round(height * MARGIN)];
    this.canvas.width = Math.round(width * this.density);
    this.canvas.height = Math.round(height * this.density);
    this.picture.width = Math.round((width + 2 * this.margins[0]) * this.density);
    this.picture.height = Math.round((height + 2 * this.margins[1]) * this.density);
    this.repaint();
    if (isFirst) this.fit(false);
  }

  nodeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { scale, x, y } = this.camera;
    const radius = makeRadius(this.graph, scale);
    const slack = event.pointerType === "touch" ? 16 : 5;
    return this.graph.find((event.clientX - box.left - x) / scale, (event.clientY - box.top - y) / scale, (node) => radius(node) / scale, slack / scale);
  }

  listen() {
    const { canvas } = this;
    new ResizeObserver(() => this.resize()).observe(canvas);
    dark.addEventListener("change", () => { this.theme = readTheme(); this.repaint(); });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.release(event));
    canvas.addEventListener("keydown", (event) => this.pressKey(event));
  }

  press(event) {
    if (event.button || !this.graph) return;
    this.canvas.setPointerCapture(event.pointerId);
    if (!this.pointers.size) this.travelled = 0;
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  drag(event) {
    if (!this.graph) return;
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const node = this.nodeAt(event);
      this.canvas.classList.toggle("pointing", node >= 0);
      if (node >= 0) this.calls.onPoint(node); // the last one stays chosen, so that its links below can be reached
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    const now = [event.clientX, event.clientY];
    this.travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    this.pointers.set(event.pointerId, now);
    if (this.travelled < 4) return;
    this.canvas.classList.add("moving");
    if (!other) {
      this.move(now[0] - before[0], now[1] - before[1]);
      return;
    }
    const box = this.canvas.getBoundingClientRect();
    const spread = (point) => Math.max(Math.hypot(point[0] - other[0], point[1] - other[1]), 1);
    this.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    this.zoom(spread(now) / spread(before), (now[0] + other[0]) / 2 - box.left, (now[1] + other[1]) / 2 - box.top);
  }

  release(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    this.canvas.classList.remove("moving");
    if (event.type === "pointercancel" || this.travelled >= 4 || this.pointers.size) return;
    const node = this.nodeAt(event);
    if (event.pointerType === "touch" || node < 0) this.calls.onChoose(node);
    else this.calls.onOpen(node, event.ctrlKey || event.metaKey);
  }

  pressKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      ArrowLeft: () => this.move(STEP, 0), ArrowRight: () => this.move(-STEP, 0),
      ArrowUp: () => this.move(0, STEP), ArrowDown: () => this.move(0, -STEP),
      "+": () => this.zoom(1.3), "=": () => this.zoom(1.3), "-": () => this.zoom(1 / 1.3), 0: () => this.fit(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  // Move and zoom for a number of frames, and give the time between each two of them.
  async measure(frames = 120) {
    const times = [];
    const home = this.camera;
    await new Promise((done) => {
      const step = (now) => {
        times.push(now);
        if (times.length > frames) { done(); return; }
        const turn = (times.length / frames) * 2 * Math.PI;
        const scale = home.scale * (1.6 - 0.6 * Math.cos(turn));
        this.go({ scale, x: home.x + 80 * Math.sin(turn), y: home.y + 80 * Math.sin(2 * turn) }, false);
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    this.go(home, false);
    return times.slice(1).map((time, number) => time - times[number]);
  }
}
