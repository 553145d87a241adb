// Text to terms, by the rules of the index. Stems come from a table: a stem function is given by the caller.
const WORD = "\\p{L}\\p{N}_";
const MAX_TERM = 64;

function cut(text) {
  return text.length <= MAX_TERM ? text : [...text].slice(0, MAX_TERM).join("");
}

export class Analyzer {
  constructor(meta) {
    const letter = `[${WORD}${meta.marks}]`;
    const cjk = `[${meta.cjk}]`;
    this.stopWords = new Set(meta.stop_words);
    this.token = new RegExp(`${letter}+(?:-${letter}+)*(?:['’](?:s|t|d|m|re|ve|ll)(?![${WORD}]))?`, "gu");
    this.part = new RegExp(`(?<run>${cjk}+)|(?:(?!${cjk})${letter}|-)+`, "gu");
    this.run = new RegExp(`${cjk}+`, "gu");
    this.cjk = new RegExp(cjk, "u");
    this.separators = new RegExp(`[^${WORD}${meta.marks}]+`, "gu");
  }

  hasCjk(text) { return this.cjk.test(text); }

  tokens(text) { return text.normalize("NFKC").match(this.token) ?? []; }

  normalise(text) { return text.normalize("NFKC").toLowerCase().replace(this.separators, " ").trim(); }

  // The words of a token of which terms are made, and its runs of Chinese, Japanese or Korean characters.
  split(token) {
    if (!this.hasCjk(token)) return { runs: [], words: [token] };
    return { runs: token.match(this.run), words: token.replace(this.run, " ").split(/\s+/u).filter(Boolean) };
  }

  // The parts of a word before stemming, and what is indexed as it is.
  parts(word) {
    const plain = word.replace(/['’][\p{L}\p{N}_]+$/u, "");
    const pieces = splitIdentifier(plain);
    const forms = pieces.map((piece) => cut(piece.toLowerCase())).filter((form) => !this.stopWords.has(form));
    const whole = [];
    if (pieces.length !== 1 || pieces[0] !== plain) whole.push(cut(plain.toLowerCase()));
    if (plain.includes("-")) {
      for (const part of plain.split("-")) if (part && !pieces.includes(part)) whole.push(cut(part.toLowerCase()));
    }
    return { forms, whole };
  }

  // All forms of a text that need a stem.
  forms(text) {
    return this.tokens(text).flatMap((token) => this.split(token).words).flatMap((word) => this.parts(word).forms);
  }

  expandWord(word, stem) {
    const { forms, whole } = this.parts(word);
    return [...forms.map(stem).filter((term) => term !== null), ...whole];
  }

  listTerms(text, stem) {
    return this.tokens(text).flatMap((token) => {
      const { runs, words } = this.split(token);
      return [...runs.flatMap((run) => [...run, ...pairs(run)]), ...words.flatMap((word) => this.expandWord(word, stem))];
    });
  }

  // The words of a query with the terms to look up: pairs of characters, or terms and the unstemmed word.
  queryWords(text, stem) {
    return this.tokens(text).flatMap((token) => {
      const { runs, words } = this.split(token);
      const grams = runs.flatMap((run) => { const found = pairs(run); return found.length ? found : [...run]; });
      return [...grams.map((gram) => [gram, [gram]]), ...words.map((word) => [word, this.queryTerms(word, stem)])];
    });
  }

  queryTerms(word, stem) {
    const terms = this.expandWord(word, stem);
    const unstemmed = cut(word.toLowerCase());
    return terms.length && !terms.includes(unstemmed) ? [...terms, unstemmed] : terms;
  }

  // The start, end and terms of each token of a text; in CJK text those of each pair of characters.
  *spans(text, stem) {
    for (const match of text.matchAll(this.token)) {
      const token = match[0];
      if (!this.hasCjk(token)) {
        yield [match.index, match.index + token.length, this.expandWord(token.normalize("NFKC"), stem)];
        continue;
      }
      for (const part of token.matchAll(this.part)) {
        const start = match.index + part.index;
        if (part.groups.run === undefined) {
          yield [start, start + part[0].length, this.expandWord(part[0].normalize("NFKC"), stem)];
          continue;
        }
        const letters = [...part[0]];
        let position = start;
        for (let i = 0; i < letters.length; i++) {
          const pair = letters[i] + (letters[i + 1] ?? "");
          yield [position, position + pair.length, pair === letters[i] ? [pair] : [letters[i], pair]];
          position += letters[i].length;
        }
      }
    }
  }

  // Whether a normalised text has a normalised phrase at the borders of words; CJK text has no such borders.
  hasPhrase(text, phrase) {
    if (!phrase) return true;
    for (let start = text.indexOf(phrase); start >= 0; start = text.indexOf(phrase, start + 1)) {
      const end = start + phrase.length;
      const starts = start === 0 || text[start - 1] === " " || this.hasCjk([...phrase][0]);
      const ends = end === text.length || text[end] === " " || this.hasCjk([...phrase].at(-1));
      if (starts && ends) return true;
    }
    return false;
  }
}

function pairs(run) {
  const letters = [...run];
  return letters.slice(1).map((letter, i) => letters[i] + letter);
}

// Split an identifier at case changes, digits, underscores and hyphens.
export function splitIdentifier(token) {
  return token.split(/[_-]+/).filter(Boolean).flatMap(splitPart);
}

function splitPart(part) {
  if (/^[\x00-\x7f]*$/.test(part)) {
    const pieces = part.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g) ?? [];
    return pieces.filter((piece) => /^[0-9]+$/.test(piece)).length > 2 ? [part] : pieces;
  }
  return (part.match(/[0-9]+|[^0-9]+/gu) ?? []).flatMap((word) => word.split(/(?<=\p{Lowercase})(?=\p{Uppercase})/u));
}
