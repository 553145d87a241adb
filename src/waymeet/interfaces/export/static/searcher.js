// Searches the index: BM25F with the numbers of `waymeet search --recipe classic --mode bm25_only`.
import { Analyzer } from "./analyzer.js";
import { makePasses, parseFilters, parseQuery } from "./query.js";
import { snippet } from "./snippet.js";

const ACRONYM = /[\p{L}\p{N}](?:[\p{L}\p{N}_&/.-]*[\p{L}\p{N}])/gu;
const MAX_ACRONYM_WORDS = 60;
const EXCLUSION_FIELDS = ["title", "headings", "body"];
const MAX_SIMILAR = 3;
const BATCH = 16; // sections whose texts are loaded at once

export class Searcher {
  constructor(files) {
    this.files = files;
    this.meta = files.meta;
    this.analyzer = new Analyzer(files.meta);
    this.properties = new Set(files.documents.flatMap((document) => Object.keys(document.properties).map((key) => key.toLowerCase())));
  }

  async search(text, limit = this.meta.limit) {
    const inline = parseFilters(text, this.meta, this.properties);
    const parsed = parseQuery(inline.text, this.analyzer);
    const notes = describe(inline, parsed);
    if (parsed.without.length && !this.analyzer.normalise(parsed.text) && !parsed.prefixes.length) {
      return { hits: [], total: 0, notes: ["The query only excludes words. Add a word to search for."], unknown: [] };
    }
    const stem = await this.stemsOf([parsed.text, ...parsed.prefixes, ...parsed.without]);
    let words = this.makeWords(parsed.text, stem);
    for (const prefix of parsed.prefixes) words.push(...await this.prefixWords(prefix, stem, notes));
    if (words.length > this.meta.query_words) {
      notes.push(`only the first ${this.meta.query_words} of ${words.length} distinct words were used`);
      words = words.slice(0, this.meta.query_words);
    }
    if (!words.length) return { hits: [], total: 0, notes: [...notes, "the query contains no searchable word"], unknown: [] };
    const typed = words;
    words = [...words, ...await this.expandAcronyms(parsed.text, words, notes)];
    for (const word of words) word.found = await this.wordPostings(word.terms);
    const scores = this.score(words);
    const passes = makePasses(inline.filters);
    const excluded = await this.excludedSections(parsed.without, stem);
    let ranking = this.rank(scores, (section) => passes(this.files.documents[this.files.sections[section].document]) && !excluded.has(section));
    ranking = await this.requirePhrases(ranking, parsed.phrases, limit, notes);
    const pool = this.cut(ranking, limit);
    return {
      hits: await Promise.all(pool.slice(0, limit).map((section) => this.hit(section, scores[section], words))),
      total: pool.length,
      isCut: pool.length < ranking.length,
      pageLines: this.meta.page_lines,
      notes,
      unknown: await this.findUnknown(typed),
    };
  }

  // --- words ---------------------------------------------------------------------------------------------------------

  async stemsOf(texts) {
    const forms = [...new Set(texts.flatMap((text) => this.analyzer.forms(text)))];
    const stems = new Map(await Promise.all(forms.map(async (form) => [form, await this.files.stem(form)])));
    return (form) => stems.get(form) ?? form;
  }

  // One word for each distinct term, weighted by its frequency in the query.
  makeWords(text, stem) {
    const words = new Map();
    for (const [token, terms] of this.analyzer.queryWords(text, stem)) {
      for (const term of terms) {
        const known = words.get(term);
        if (known) known.weight += 1;
        else words.set(term, { terms: [term], weight: 1, token });
      }
    }
    return [...words.values()];
  }

  async prefixWords(prefix, stem, notes) {
    if (this.analyzer.hasCjk(prefix)) {
      return this.analyzer.queryWords(prefix, stem).map(([token, terms]) => ({ terms, weight: 1, token }));
    }
    const known = await this.termsWithPrefix(this.analyzer.normalise(prefix).replaceAll(" ", "-"));
    const terms = [...new Set([...known, ...this.analyzer.listTerms(prefix, stem)])];
    notes.push(`${prefix}* matches ${terms.length} terms`);
    return [{ terms, weight: 1, token: `${prefix}*` }];
  }

  async termsWithPrefix(prefix) {
    const terms = (await this.files.wordsWithPrefix(prefix)).filter(([, entry]) => entry.chunks);
    terms.sort(([one, a], [other, b]) => b.chunks - a.chunks || (one < other ? -1 : 1));
    return terms.slice(0, this.meta.prefix_terms).map(([term]) => term);
  }

  async expandAcronyms(text, words, notes) {
    if (!this.meta.acronym_weight) return [];
    const expansions = this.findExpansions(text);
    const stem = await this.stemsOf([...expansions.values()]);
    const present = new Set(words.flatMap((word) => word.terms));
    const added = new Map();
    for (const expansion of expansions.values()) {
      const terms = [...new Set(this.analyzer.listTerms(expansion, stem))].filter((term) => !present.has(term));
      for (const term of terms) {
        if (!added.has(term)) added.set(term, { terms: [term], weight: this.meta.acronym_weight / terms.length, token: expansion });
      }
    }
    if (added.size) for (const [written, expansion] of expansions) notes.push(`${written} → ${expansion}`);
    return [...added.values()];
  }

  findExpansions(text) {
    const { acronyms, long_forms: longForms, custom_acronyms: custom } = this.meta;
    const short = (token) => this.analyzer.normalise(token).replaceAll(" ", "");
    const own = (table, key) => (Object.hasOwn(table, key) ? table[key] : "");
    const customLong = Object.fromEntries(Object.entries(custom).map(([key, long]) => [short(key), long]));
    const customShort = Object.fromEntries(Object.entries(custom).map(([key, long]) => [this.analyzer.normalise(long), key]));
    const found = new Map();
    for (const token of (text.match(ACRONYM) ?? []).slice(0, MAX_ACRONYM_WORDS)) {
      const letters = [...token];
      if (letters.length < 2 || letters.length > 10) continue;
      const looksRight = letters.filter((letter) => /\p{Uppercase}/u.test(letter)).length > 1 || !/[aeiouy]/.test(token.toLowerCase());
      const long = own(customLong, short(token)) || (looksRight ? own(acronyms, short(token)) : "");
      if (long) found.set(token, long);
    }
    const parts = this.analyzer.normalise(text).split(" ").slice(0, MAX_ACRONYM_WORDS);
    const spans = new Set();
    for (let n = 2; n <= 8; n++) for (let i = 0; i + n <= parts.length; i++) spans.add(parts.slice(i, i + n).join(" "));
    for (const span of [...spans].reverse()) {
      const acronym = own(customShort, span) || own(longForms, span);
      if (acronym) found.set(span, acronym);
    }
    return found;
  }

  // --- scores --------------------------------------------------------------------------------------------------------

  async wordPostings(terms) {
    const all = await Promise.all([...new Set(terms)].map((term) => this.termPostings(term)));
    const merge = (level) => {
      const merged = new Map();
      for (const postings of all) {
        for (const [owner, frequencies] of postings[level]) {
          const known = merged.get(owner);
          merged.set(owner, known ? known.map((frequency, i) => frequency + frequencies[i]) : frequencies);
        }
      }
      return merged;
    };
    return { documents: merge("documents"), sections: merge("sections"), forms: all.map((postings, i) => [terms[i], postings.forms]) };
  }

  // Most unstemmed words are no terms: the table of words says so without loading postings.
  async termPostings(term) {
    const isKnown = this.analyzer.hasCjk(term) || (await this.files.word(term))?.chunks;
    return isKnown ? this.files.postings(term) : { documents: [], sections: [], forms: [] };
  }

  score(words) {
    const { sections, documents } = this.files;
    const scores = new Float64Array(sections.length);
    for (const word of words) {
      const frequencies = new Map();
      for (const [number, counts] of word.found.documents) {
        const document = documents[number];
        const sum = addFields(0, counts, document.lengths, this.files.documentFields);
        for (let section = document.first; section < document.last; section++) frequencies.set(section, sum);
      }
      for (const [section, counts] of word.found.sections) {
        frequencies.set(section, addFields(frequencies.get(section) ?? 0, counts, sections[section].lengths, this.files.sectionFields));
      }
      const containing = frequencies.size;
      const idf = Math.log((this.meta.chunks - containing + 0.5) / (containing + 0.5) + 1);
      const { k1 } = this.meta;
      for (const [section, frequency] of frequencies) {
        scores[section] += word.weight * idf * (frequency * (k1 + 1) / (frequency + k1));
      }
    }
    return scores;
  }

  // Sections with a score, best first, equal ones in the order of documents and positions.
  rank(scores, passes) {
    const found = [];
    for (let section = 0; section < scores.length; section++) if (scores[section] > 0 && passes(section)) found.push(section);
    this.scores = scores;
    return found.sort((one, other) => scores[other] - scores[one] || one - other);
  }

  // The pool of candidates, with ties in the order of their ids.
  cut(ranking, limit) {
    const [factor, least] = this.meta.pool;
    const { sections } = this.files, { scores } = this;
    const id = (section) => `#L${sections[section].start}-L${sections[section].end}`;
    return ranking.slice(0, Math.max(limit * factor, least)).sort((one, other) =>
      scores[other] - scores[one] || sections[one].document - sections[other].document || (id(one) < id(other) ? -1 : 1));
  }

  async excludedSections(without, stem) {
    const excluded = new Set();
    for (const word of without) {
      const groups = [[...new Set(this.analyzer.listTerms(word, stem))]];
      if (word.endsWith("*")) groups.push(...(await this.termsWithPrefix(this.analyzer.normalise(word))).map((term) => [term]));
      for (const group of groups.filter((terms) => terms.length)) {
        const sets = await Promise.all(group.map((term) => this.sectionsWith([term])));
        for (const section of sets[0]) if (sets.every((set) => set.has(section))) excluded.add(section);
      }
    }
    return excluded;
  }

  // Sections with any of the terms in the title, the headings or the text.
  async sectionsWith(terms) {
    const found = new Set();
    const { documents } = this.files;
    const counts = (fields, frequencies) => fields.some((field, i) => frequencies[i] && EXCLUSION_FIELDS.includes(field.name));
    for (const term of terms) {
      const postings = await this.termPostings(term);
      for (const [number, frequencies] of postings.documents) {
        if (!counts(this.files.documentFields, frequencies)) continue;
        for (let section = documents[number].first; section < documents[number].last; section++) found.add(section);
      }
      for (const [section, frequencies] of postings.sections) if (counts(this.files.sectionFields, frequencies)) found.add(section);
    }
    return found;
  }

  // --- phrases -------------------------------------------------------------------------------------------------------

  // Keep the sections with all phrases, as many as can be shown; if there is none, the phrases need not occur.
  async requirePhrases(ranking, phrases, limit, notes) {
    if (!phrases.length) return ranking;
    const [factor, least] = this.meta.pool;
    const wanted = Math.max(limit * factor, least);
    const possible = await this.withWordsOf(ranking, phrases);
    const found = [];
    for (let at = 0; at < possible.length && found.length < wanted; at += BATCH) {
      const batch = possible.slice(at, at + BATCH);
      const have = await Promise.all(batch.map((section) => this.hasPhrases(section, phrases)));
      found.push(...batch.filter((_, i) => have[i]));
    }
    if (found.length) return found;
    const quoted = phrases.map((phrase) => `"${phrase}"`);
    for (const phrase of phrases) notes.splice(notes.indexOf(`must contain "${phrase}"`), 1);
    notes.push(`no section contains ${quoted.join(", ")}; its words were searched individually`);
    return ranking;
  }

  // Only sections with all plain words of a phrase can have it, so that few texts are loaded.
  async withWordsOf(ranking, phrases) {
    const stem = await this.stemsOf(phrases);
    const words = phrases.flatMap((phrase) => this.analyzer.queryWords(phrase, stem))
      .filter(([word, terms]) => terms.length && (/^[a-z]{3,}$/.test(word) || this.analyzer.hasCjk(word)));
    const sets = await Promise.all(words.map(([, terms]) => this.sectionsWith(terms)));
    return ranking.filter((section) => sets.every((set) => set.has(section)));
  }

  async hasPhrases(section, phrases) {
    const { text, headings } = await this.files.text(section);
    const document = this.files.documents[this.files.sections[section].document];
    const texts = [text, headings.join(" "), document.title].map((each) => this.analyzer.normalise(each));
    return phrases.every((phrase) => texts.some((each) => this.analyzer.hasPhrase(each, phrase)));
  }

  // --- hits ----------------------------------------------------------------------------------------------------------

  async hit(section, score, words) {
    const { document: number, start, end } = this.files.sections[section];
    const document = this.files.documents[number];
    const { text, headings, symbols } = await this.files.text(section);
    const weights = new Map(words.flatMap((word) => word.terms.map((term) => [term, word.weight])));
    const stems = new Map(words.flatMap((word) => word.found.forms).flatMap(([term, forms]) => forms.map((form) => [form, term])));
    const stem = (form) => stems.get(form) ?? null;
    return {
      document, start, end, score,
      headings: this.chooseHeadings(headings, symbols, weights, stem),
      ...snippet(text, weights, this.meta.snippet_chars, (each) => this.analyzer.spans(each, stem)),
    };
  }

  // The headings, or of the symbols the one that matches the query better.
  chooseHeadings(headings, symbols, weights, stem) {
    const weigh = (name) => this.analyzer.listTerms(name, stem).reduce((sum, term) => sum + (weights.get(term) ?? 0), 0);
    let best = "", most = weigh(headings.join("."));
    for (const symbol of symbols) if (weigh(symbol) > most) { best = symbol; most = weigh(symbol); }
    return best ? best.split("~")[0].split(".") : headings;
  }

  // --- words that do not occur ---------------------------------------------------------------------------------------

  async findUnknown(words) {
    const byToken = new Map();
    for (const word of words) {
      const occurs = word.found.documents.size > 0 || word.found.sections.size > 0;
      byToken.set(word.token, (byToken.get(word.token) ?? false) || occurs);
    }
    const unknown = [...byToken].filter(([token, occurs]) => !occurs && !token.endsWith("*") && !this.analyzer.hasCjk(token)).map(([token]) => token);
    return Promise.all(unknown.map(async (token) => ({ token, similar: await this.findSimilar(token.toLowerCase()) })));
  }

  async findSimilar(token) {
    if (!/^[a-z]{4,30}$/.test(token)) return [];
    const near = [];
    for (const [word, entry] of await this.files.wordsWithPrefix(token.slice(0, 2))) {
      if (entry.stem === null || !/^[a-z]+$/.test(word)) continue;
      const distance = editDistance(token, word, token.length >= 8 ? 2 : 1);
      if (distance) near.push([distance, -(await this.files.word(entry.stem))?.chunks || 0, word]);
    }
    near.sort((one, other) => one[0] - other[0] || one[1] - other[1] || (one[2] < other[2] ? -1 : 1));
    return near.slice(0, MAX_SIMILAR).map(([, , word]) => word);
  }
}

function addFields(sum, counts, lengths, fields) {
  fields.forEach(({ weight, b, average }, i) => {
    if (counts[i]) sum += weight * (counts[i] / (average ? 1 - b + b * lengths[i] / average : 1));
  });
  return sum;
}

function describe(inline, parsed) {
  return [
    ...inline.written.map((text) => (text[0] === "-" ? `without ${text.slice(1)}` : `only ${text}`)),
    ...parsed.phrases.map((phrase) => `must contain "${phrase}"`),
    ...parsed.without.map((word) => `without ${word}`),
    ...parsed.names.map((name) => `"${name}" need not occur: quotes in a sentence or an error message mark a name or a value`),
  ];
}

// The number of edits between two words (a swap is one), or 0 if there are more than the limit.
function editDistance(one, other, limit) {
  if (Math.abs(one.length - other.length) > limit) return 0;
  let before = [], last = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[other.length] <= limit ? last[other.length] : 0;
}
