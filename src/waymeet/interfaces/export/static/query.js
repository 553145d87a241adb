// Parses a query: words, phrases, exclusions, prefixes and filters.
const QUOTES = '"“”„';
const PHRASE = new RegExp(`(?<not>(?<!\\S)[-−])?[${QUOTES}](?<text>[^${QUOTES}]+)[${QUOTES}]`, "gu");
const EXCLUSION = /(?<!\S)[-−](?<text>\p{L}[\p{L}\p{N}_-]+)(?<star>\*)?(?!\S)/gu;
const PREFIX = /(?<!\S)(?<text>[\p{L}\p{N}_][\p{L}\p{N}_-]*)\*(?!\S)/gu;
const FILTER = /(?<!\S)(?<not>-)?(?<key>\p{L}[\p{L}\p{N}_-]+):(?:"(?<quoted>[^"]+)"|(?<value>[^\s":\\][^\s"]*))(?!\S)/gu;
const FIELDS = { kind: "kinds", tag: "tags", type: "types", lang: "languages", ns: "namespaces" };
const QUESTION_WORDS = 3, SENTENCE_WORDS = 8; // words outside of quotes that make a full question, or a full sentence
const LABEL = /[\p{L}\p{N}_]: $/u; // the end of the text before a quoted value
const MESSAGE = /\b(?:unable|can(?:not|['’]t)|could(?: not|n['’]t)|unknown|unrecogni[sz]ed|unexpected|unsupported|undefined|invalid|failed|not found|no such|is missing|already exists|denied)\b/iu;
const LABEL_WORDS = 2, MESSAGE_WORDS = 3; // likewise of an error message, with a colon before the quotes or a word of such messages

export function parseQuery(text, analyzer) {
  const matches = [...text.matchAll(PHRASE)];
  const quoted = matches.map((match) => [Boolean(match.groups.not), analyzer.normalise(match.groups.text)]);
  const unquoted = text.replace(PHRASE, " ");
  const hasLabel = matches.some((match) => LABEL.test(text.slice(0, match.index)));
  const isSentence = analyzer.normalise(unquoted).split(" ").filter(Boolean).length >= minWords(text, unquoted, hasLabel);
  const required = quoted.filter(([isExcluded, phrase]) => phrase && !isExcluded).map(([, phrase]) => phrase);
  const without = quoted.filter(([isExcluded, phrase]) => phrase && isExcluded).map(([, phrase]) => phrase);
  for (const match of unquoted.matchAll(EXCLUSION)) without.push(match.groups.text + (match.groups.star ?? ""));
  return {
    text: stripOperators(text),
    phrases: isSentence ? [] : required,
    names: isSentence ? required : [],
    without,
    prefixes: [...unquoted.matchAll(PREFIX)].map((match) => match.groups.text),
  };
}

// How many words outside of quotes make a query a sentence or an error message, in which quotes mark names or values.
function minWords(text, unquoted, hasLabel) {
  if (/[?？]\s*$/u.test(text)) return QUESTION_WORDS;
  if (hasLabel) return LABEL_WORDS;
  return MESSAGE.test(unquoted) ? MESSAGE_WORDS : SENTENCE_WORDS;
}

function stripOperators(text) {
  const pieces = [];
  let end = 0;
  const strip = (part) => part.replace(EXCLUSION, " ").replace(PREFIX, " ");
  for (const match of text.matchAll(PHRASE)) {
    pieces.push(strip(text.slice(end, match.index)), match.groups.not ? "" : match.groups.text);
    end = match.index + match[0].length;
  }
  pieces.push(strip(text.slice(end)));
  return pieces.join(" ").split(/\s+/u).filter(Boolean).join(" ");
}

export function parseFilters(text, meta, properties) {
  const filters = { paths: [], kinds: [], tags: [], types: [], languages: [], namespaces: [], properties: [], withoutKinds: [], from: 0, before: 0 };
  const written = [], pieces = [];
  let end = 0;
  for (const match of text.matchAll(FILTER)) {
    const { key, quoted, not } = match.groups;
    const value = quoted ?? match.groups.value;
    if (value.startsWith("//") || !readFilter(filters, key, value, Boolean(not), meta, properties)) continue;
    written.push(match[0]);
    pieces.push(text.slice(end, match.index));
    end = match.index + match[0].length;
  }
  if (!written.length) return { text, filters, written };
  return { text: [...pieces, text.slice(end)].join("").split(/\s+/u).filter(Boolean).join(" "), filters, written };
}

function readFilter(filters, key, value, isNegated, meta, properties) {
  const values = value.split(",").map((each) => each.trim()).filter(Boolean);
  if (!values.length) values.push(value);
  if (isNegated) {
    if (key === "kind") filters.withoutKinds.push(...values.map((each) => readKind(each, meta)));
    return key === "kind";
  }
  if (key === "before" || key === "after") return readDate(filters, key, value);
  if (key === "path") { filters.paths.push(value.replace(/^\/+/, "") || "."); return true; }
  const language = key === "lang" ? readLanguage(value, meta) : "";
  if (language && properties.has("lang")) { filters.properties.push(["lang", language]); return true; }
  if (key in FIELDS) {
    const read = { kind: (each) => readKind(each, meta), type: (each) => readType(each, meta), lang: (each) => each.toLowerCase() }[key];
    filters[FIELDS[key]].push(...values.map(read ?? ((each) => each)));
    return true;
  }
  if (!properties.has(key.toLowerCase())) return false;
  filters.properties.push(...values.map((each) => [key, each]));
  return true;
}

function readKind(value, meta) {
  const lower = value.toLowerCase();
  return meta.kinds.includes(`${lower}s`) ? `${lower}s` : lower;
}

function readType(value, meta) {
  const written = value.trim().toLowerCase();
  return meta.doc_types[written.replace(/[^\p{L}\p{N}]+/gu, "-")] ?? written;
}

function readLanguage(value, meta) {
  const written = value.trim().toLowerCase().replaceAll("_", "-");
  const match = /^([a-z]{2})(?:-(?:hans|hant|[a-z]{2}))?$/.exec(written);
  if (!match) return "";
  const known = meta.country_codes[written] ?? (meta.language_codes.includes(match[1]) ? written : "");
  return known.replace("zh-hans", "zh-cn").replace("zh-hant", "zh-tw");
}

// A day as the number of days since 1970.
function readDate(filters, key, value) {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(value);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2] ?? 1), Number(match[3] ?? 1)];
  const time = new Date(0).setUTCFullYear(year, month - 1, day);
  if (year < 1 || new Date(time).getUTCMonth() !== month - 1 || new Date(time).getUTCDate() !== day) return false;
  const number = Math.floor(time / 86400000);
  if (key === "after") filters.from = Math.max(filters.from, number);
  else filters.before = filters.before ? Math.min(filters.before, number) : number;
  return true;
}

export function makePasses(filters) {
  const paths = filters.paths.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  const isAnywhere = !paths.length || paths.some((path) => path === "" || path === ".");
  const tags = new Set(filters.tags.map((tag) => tag.toLowerCase()));
  const without = new Set(["proxies", ...filters.withoutKinds, ...(filters.kinds.length ? [] : ["folders"])]);
  const allows = (values, value) => !values.length || values.includes(value);
  const wanted = new Map();
  for (const [key, value] of filters.properties) wanted.set(key.toLowerCase(), [...(wanted.get(key.toLowerCase()) ?? []), value.toLowerCase()]);
  return (document) =>
    !without.has(document.kind) &&
    (isAnywhere || paths.some((path) => document.path === path || document.path.startsWith(`${path}/`))) &&
    allows(filters.kinds, document.kind) && allows(filters.types, document.type) &&
    allows(filters.languages, document.language) && allows(filters.namespaces, document.namespace) &&
    (!filters.from || document.day >= filters.from) && (!filters.before || document.day < filters.before) &&
    (!tags.size || document.tags.some((tag) => tags.has(tag.toLowerCase()))) &&
    hasProperties(document.properties, wanted);
}

function hasProperties(properties, wanted) {
  if (!wanted.size) return true;
  const values = new Map(Object.entries(properties).map(([key, text]) => [key.toLowerCase(), text.toLowerCase()]));
  return [...wanted].every(([key, choices]) =>
    values.has(key) && choices.some((choice) => values.get(key) === choice || values.get(key).split(", ").includes(choice)));
}
