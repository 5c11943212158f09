import { splitIntoAtoms } from './atoms.ts';

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
