// Loads the files of the search on demand and decodes them (see encoding.py in Waymeet).
const VERSION = 1; // of the encoding
const decoder = new TextDecoder();

class Reader {
  constructor(buffer) { this.bytes = new Uint8Array(buffer); this.at = 0; }

  get isDone() { return this.at >= this.bytes.length; }

  number() {
    let value = 0, factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return decoder.decode(this.bytes.subarray(this.at - length, this.at));
  }

  // A text that shares its beginning with another one; characters are counted as Python does.
  after(previous) {
    const shared = this.number();
    return take(previous, shared) + this.text();
  }

  postings(fields) {
    const found = [];
    const unit = 2 ** (fields + 1);
    let owner = 0;
    for (let count = this.number(); count > 0; count--) {
      const code = this.number();
      owner += Math.floor(code / unit);
      const mask = code % unit, isSingle = (mask >> fields) & 1;
      const frequencies = new Array(fields).fill(0);
      for (let field = 0; field < fields; field++) if ((mask >> field) & 1) frequencies[field] = isSingle ? 1 : this.number();
      found.push([owner, frequencies]);
    }
    return found;
  }
}

function take(text, count) {
  const head = text.slice(0, count);
  return /[\ud800-\udfff]/.test(text) ? [...text].slice(0, count).join("") : head;
}

function hashTerm(term) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(term)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

export class IndexFiles {
  constructor(folder) {
    this.folder = folder;
    this.loaded = new Map();
  }

  // Each file is loaded and decoded once; after a failure the next call tries again.
  once(name, decode) {
    if (!this.loaded.has(name)) {
      const loading = this.fetch(name).then(decode);
      loading.catch(() => this.loaded.delete(name));
      this.loaded.set(name, loading);
    }
    return this.loaded.get(name);
  }

  async fetch(name) {
    const response = await fetch(new URL(name, this.folder));
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
    return response;
  }

  async open() {
    const [meta, documents] = await Promise.all([this.json("meta.json"), this.json("documents.json")]);
    if (meta.version !== VERSION) throw new Error("The scripts in the browser's cache do not fit this index");
    this.meta = meta;
    this.documentFields = meta.fields.filter((field) => field.level === "document");
    this.sectionFields = meta.fields.filter((field) => field.level === "section");
    this.documents = documents.map(([path, title, page, kind, type, language, namespace, day, tags, properties]) =>
      ({ path, title, page, kind, type, language, namespace, day, tags, properties }));
    await this.once("lengths.bin", async (response) => this.readLengths(new Reader(await response.arrayBuffer())));
    return this;
  }

  json(name) { return this.once(name, (response) => response.json()); }

  readLengths(reader) {
    this.sections = [];
    this.documents.forEach((document, number) => {
      document.lengths = this.documentFields.map(() => reader.number());
      document.first = this.sections.length;
      for (let count = reader.number(); count > 0; count--) {
        const start = reader.number();
        const end = start + reader.number();
        this.sections.push({ document: number, start, end, lengths: this.sectionFields.map(() => reader.number()) });
      }
      document.last = this.sections.length;
    });
  }

  // --- words -------------------------------------------------------------------------------------------------------

  async words(block) {
    return this.once(`words-${block}.bin`, async (response) => {
      const reader = new Reader(await response.arrayBuffer());
      const entries = new Map();
      let word = "";
      while (!reader.isDone) {
        word = reader.after(word);
        const drop = reader.number();
        const stem = drop === 0 ? null : drop === 1 ? word : take(word, [...word].length - (drop - 2)) + reader.text();
        entries.set(word, { stem, chunks: reader.number(), endings: reader.number() });
      }
      return entries;
    });
  }

  blockOf(word) {
    const firsts = this.meta.words;
    let low = 0, high = firsts.length;
    while (low < high) { const middle = (low + high) >> 1; if (firsts[middle] <= word) low = middle + 1; else high = middle; }
    return Math.max(low - 1, 0);
  }

  async word(word) { return this.meta.words.length ? (await this.words(this.blockOf(word))).get(word) : undefined; }

  // All words with a prefix, as pairs of word and entry.
  async wordsWithPrefix(prefix) {
    const last = this.blockOf(prefix + "\uffff");
    const found = [];
    for (let block = this.blockOf(prefix); block <= last && this.meta.words.length; block++) {
      for (const pair of await this.words(block)) if (pair[0].startsWith(prefix)) found.push(pair);
    }
    return found;
  }

  // The stem of a word: by the table, else by a stem with one of its endings, else the word itself.
  async stem(form) {
    const entry = await this.word(form);
    if (entry?.stem != null) return entry.stem;
    if (/^[a-z]+$/.test(form)) {
      for (const [bit, ending] of this.meta.endings.entries()) {
        const base = removeEnding(form, ending);
        if (base && ((await this.word(base))?.endings >> bit) & 1) return base;
      }
    }
    return form;
  }

  // --- postings ----------------------------------------------------------------------------------------------------

  // The postings of a term by document and by section, with the words of this stem.
  async postings(term) {
    const shard = hashTerm(term) % this.meta.postings;
    const records = await this.once(`postings-${shard}.bin`, async (response) => {
      const reader = new Reader(await response.arrayBuffer());
      const found = new Map();
      let name = "";
      while (!reader.isDone) {
        name = reader.after(name);
        const length = reader.number();
        found.set(name, [reader.at, length]);
        reader.at += length;
      }
      return { bytes: reader.bytes, found };
    });
    const place = records.found.get(term);
    if (!place) return { documents: [], sections: [], forms: [] };
    const reader = new Reader(records.bytes.subarray(place[0], place[0] + place[1]));
    return {
      documents: reader.postings(this.documentFields.length),
      sections: reader.postings(this.sectionFields.length),
      forms: Array.from({ length: reader.number() }, () => reader.after(term)),
    };
  }

  // --- texts -------------------------------------------------------------------------------------------------------

  async text(section) {
    const starts = this.meta.sections;
    let block = starts.length - 1;
    while (block > 0 && starts[block] > section) block--;
    const [text, headings, symbols = []] = (await this.json(`sections-${block}.json`))[section - starts[block]];
    return { text, headings, symbols };
  }
}

function removeEnding(form, ending) {
  const mark = /^[+-]/.test(ending) ? ending[0] : "";
  const added = ending.slice(mark.length);
  if (!form.endsWith(added)) return "";
  const base = form.slice(0, form.length - added.length);
  if (mark === "-") return `${base}i`;
  if (mark !== "+") return base;
  return base.length > 1 && base.at(-1) === base.at(-2) ? base.slice(0, -1) : "";
}
