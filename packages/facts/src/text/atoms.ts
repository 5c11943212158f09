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
