/** What a query consists of; `at` is where it stands, for messages. */
export type Token =
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'and-not'; readonly text: string }
  /** A field that what follows is about. */
  | { readonly kind: 'field'; readonly text: string; readonly name: string }
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string; readonly phrase: string }
  | { readonly kind: 'range'; readonly text: string; readonly range: RangeText };

/** `[from to to]`; a bound that is missing is open. */
export interface RangeText {
  readonly from: string;
  readonly to: string;
  /** In braces instead of brackets. */
  readonly isFromExcluded: boolean;
  readonly isToExcluded: boolean;
}

/** What of a query is not understood, in words for people. */
export class NotUnderstood extends Error {}

const OPERATORS: ReadonlyMap<string, 'and' | 'or' | 'not' | 'and-not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
  ['ANDNOT', 'and-not'],
]);
/** Operators of Whoosh that only rank, or that nothing here is like. */
const OTHER_OPERATORS: ReadonlySet<string> = new Set(['ANDMAYBE', 'REQUIRE']);

/** Quoted words in apostrophes are short, as an apostrophe may be one. An address such as http://x is no field. */
const PART =
  /\s+|(?<bracket>[()])|(?<minus>[-+])(?=[^\s\d()])|field\.(?:"(?<quoted>[^"]{1,200})"|(?<bare>[^\s":()[\]{}]{1,200})):|(?<name>\p{L}[\p{L}\p{N}_.]{0,49}):(?![/:\\])|'(?<single>[^']{1,200})'|(?<word>[^\s()"[\]{}]+)|(?<rest>["[\]{}])/gu;

/** The end of what begins with a sign at `from` and ends with one of `ends`. */
const endOf = (text: string, from: number, ends: string): number => {
  for (let at = from + 1; at < text.length; at += 1) if (ends.includes(text[at] ?? '')) return at;
  throw new NotUnderstood(`"${text.slice(from, from + 50)}" has no end.`);
};

const readRange = (text: string, from: number, to: number): RangeText => {
  const words = text.slice(from + 1, to).split(/\s+/u);
  const at = words.findIndex((word) => word.toLowerCase() === 'to');
  if (at < 0) throw new NotUnderstood(`"${text.slice(from, to + 1)}" is no range such as [2024-01-01 to 2024-12-31].`);
  const bound = (part: readonly string[]): string => part.join(' ').replaceAll(/["']/g, '').trim();
  return {
    from: bound(words.slice(0, at)),
    to: bound(words.slice(at + 1)),
    isFromExcluded: text[from] === '{',
    isToExcluded: text[to] === '}',
  };
};

/** Splits a query; stateful, as what stands in quotes and brackets ends where they do. */
class Tokens {
  readonly #text: string;
  readonly #found: Token[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly Token[] {
    const parts = new RegExp(PART);
    for (let match = parts.exec(this.#text); match !== null; match = parts.exec(this.#text)) {
      const { bracket, minus, quoted, bare, name, single, word, rest } = match.groups ?? {};
      const [text] = match;
      if (bracket !== undefined) this.#found.push({ kind: bracket === '(' ? 'open' : 'close', text });
      else if (minus === '-') this.#found.push({ kind: 'not', text });
      else if ((quoted ?? bare) !== undefined) this.#found.push({ kind: 'field', text, name: `field.${quoted ?? bare ?? ''}` });
      else if (name !== undefined) this.#found.push({ kind: 'field', text, name: name.toLowerCase() });
      else if (single !== undefined) this.#found.push({ kind: 'phrase', text, phrase: single });
      else if (word !== undefined) this.#word(word);
      else if (rest !== undefined) parts.lastIndex = this.#quoted(match.index);
    }
    return this.#found;
  }

  #word(word: string): void {
    if (OTHER_OPERATORS.has(word)) throw new NotUnderstood(`The operator ${word} is not supported.`);
    const operator = OPERATORS.get(word);
    this.#found.push(operator === undefined ? { kind: 'word', text: word } : { kind: operator, text: word });
  }

  /** Where the text goes on. */
  #quoted(at: number): number {
    const text = this.#text;
    const sign = text[at] ?? '';
    if (sign === ']' || sign === '}') throw new NotUnderstood(`"${sign}" closes nothing.`);
    const end = endOf(text, at, sign === '"' ? '"' : ']}');
    const whole = text.slice(at, end + 1);
    if (sign === '"') this.#found.push({ kind: 'phrase', text: whole, phrase: text.slice(at + 1, end) });
    else this.#found.push({ kind: 'range', text: whole, range: readRange(text, at, end) });
    return end + 1;
  }
}

/** The parts of a query in the syntax of Paperless-ngx. Throws NotUnderstood. */
export const readTokens = (text: string): readonly Token[] => new Tokens(text).read();
