type AtomKind = 'digits' | 'letters' | 'sign';

/** A run of digits, a run of letters, or any other single character but white space. */
export interface Atom {
  readonly kind: AtomKind;
  readonly text: string;
  /** Lower case without accents. */
  readonly folded: string;
  /** Offsets in the line. */
  readonly start: number;
  readonly end: number;
  /** Whether white space or the beginning of the line is before it. */
  readonly isSpaced: boolean;
}

const LETTER = /[\p{L}\p{M}]/u;
const SPACE = /\s/u;

const isDigit = (char: string): boolean => char >= '0' && char <= '9';

const isAsciiLetter = (char: string): boolean => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z');

const kindOf = (char: string): AtomKind | 'space' => {
  if (isDigit(char)) return 'digits';
  if (isAsciiLetter(char)) return 'letters';
  if (char === ' ' || SPACE.test(char)) return 'space';
  return LETTER.test(char) ? 'letters' : 'sign';
};

/** The atoms of a line, in one pass. */
export const splitIntoAtoms = (text: string): Atom[] => {
  const atoms: Atom[] = [];
  let isSpaced = true;
  for (let start = 0; start < text.length; ) {
    const kind = kindOf(text.charAt(start));
    let end = start + 1;
    if (kind !== 'sign') while (end < text.length && kindOf(text.charAt(end)) === kind) end += 1;
    if (kind !== 'space') {
      const part = text.slice(start, end);
      atoms.push({ kind, text: part, folded: kind === 'letters' ? fold(part) : part, start, end, isSpaced });
    }
    isSpaced = kind === 'space';
    start = end;
  }
  return atoms;
};

const MARKS = /\p{M}/gu;
/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i', º: 'o', ª: 'a' };
const SPECIAL = /[łßøæœđıºª]/gu;
const ASCII = /^[\0-\u007f]*$/u;

/** Lower case without accents, so that words can be compared: "Août" is "aout", "Größe" is "grosse". */
export const fold = (text: string): string => {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
};

/** The words and numbers of `text`, folded; signs only part them, but for % and #. */
export const wordsOf = (text: string): string[] =>
  splitIntoAtoms(text)
    .filter(({ kind, text: sign }) => kind !== 'sign' || sign === '%' || sign === '#')
    .map(({ folded }) => folded);

/** Phrases of one meaning, looked for as whole words: "sub total" is found in "Sub-Total (RM)". */
export class Phrases {
  readonly #byFirst = new Map<string, string[][]>();

  /** One phrase a line or between commas. */
  constructor(list: string) {
    for (const phrase of list.split(/[,\n]/u)) {
      const words = wordsOf(phrase);
      const [first] = words;
      if (first === undefined) continue;
      const others = this.#byFirst.get(first);
      if (others === undefined) this.#byFirst.set(first, [words]);
      else others.push(words);
    }
  }

  /** Where the last of them ends, counted in words; -1 without one. */
  endIn(words: readonly string[]): number {
    for (let at = words.length - 1; at >= 0; at -= 1) {
      const length = this.lengthAt(words, at);
      if (length > 0) return at + length;
    }
    return -1;
  }

  /** How many words the longest has that begins at `at`; 0 without one. */
  lengthAt(words: readonly string[], at: number): number {
    let longest = 0;
    for (const phrase of this.#byFirst.get(words[at] ?? '') ?? []) {
      if (phrase.length > longest && phrase.every((word, n) => words[at + n] === word)) longest = phrase.length;
    }
    return longest;
  }

  isIn(words: readonly string[]): boolean {
    return words.some((_, at) => this.lengthAt(words, at) > 0);
  }
}
