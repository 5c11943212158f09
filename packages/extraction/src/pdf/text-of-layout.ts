/** Of the height of a word: nearer than this is no space between words, farther than that is one. */
const GAP = { none: 0.015, least: 0.08 };
/** Words that lie over each other stand one below the other: the line is turned. */
const MOST_OVERLAP = 0.12;
/** Written from the right, or with signs of the direction, which pdftotext adds to its text. */
const FROM_RIGHT = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;
const ONE_SIGN = /^.$/u;
const HYPHEN = '-';

/**
 * What pdftotext prints of the pages as text, made of what it has written of them with `-bbox-layout`; undefined where that does not tell, as the
 * spaces between words are not in it.
 */
export const textOfLayout = (layout: string): string | undefined => {
  if (FROM_RIGHT.test(layout)) return undefined;
  const pieces: string[] = [];
  /** The line is known, but not yet what is behind it. */
  let held: string | undefined;
  let words: string[] = [];
  const flush = (isLastOfFlow: boolean): void => {
    if (held === undefined) return;
    pieces.push(!isLastOfFlow && held.endsWith(HYPHEN) ? held.slice(0, -HYPHEN.length) : `${held}\n`);
    held = undefined;
  };
  for (const element of layout.split('\n')) {
    if (element.includes(WORD_BEGIN)) words.push(element);
    else if (element.includes('</line>')) {
      flush(false);
      held = lineOf(words);
      if (held === undefined) return undefined;
      words = [];
    } else if (element.includes('</flow>')) {
      flush(true);
      pieces.push('\n');
    } else if (element.includes('</page>')) pieces.push('\f');
  }
  return pieces.join('');
};

const lineOf = (elements: readonly string[]): string | undefined => {
  const words = elements.map(wordIn);
  let line = '';
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (word === undefined) return undefined;
    if (before !== undefined) {
      const gap = (word.left - before.right) / Math.max(before.bottom - before.top, Number.EPSILON);
      const isNear = gap <= GAP.none;
      if (gap < -MOST_OVERLAP || (!isNear && gap < GAP.least)) return undefined;
      // between single letters a space is wider, and how wide depends on all of them
      if (!isNear && words.every((one) => one !== undefined && ONE_SIGN.test(one.text))) return undefined;
      if (!isNear) line += ' ';
    }
    line += word.text;
  }
  return line;
};

// Without imports: it is read in a sandbox as well, which sees this package alone.

/** What a word begins with in what `pdftotext -bbox-layout` writes, each on a line of its own. */
export const WORD_BEGIN = '<word ';
const WORD_END = '</word>';
/** Of the pieces of a word between quotes: its sides stand in every second one, its text in the last. */
const WORD_PIECES = 9;
const ENTITY = /&(amp|lt|gt|quot|apos);/g;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A word with its sides in points. */
interface PlacedWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The word in a line of what the program writes. */
export const wordIn = (line: string): PlacedWord | undefined => {
  const pieces = line.split('"', WORD_PIECES);
  const [left, top, right, bottom] = [Number(pieces[1]), Number(pieces[3]), Number(pieces[5]), Number(pieces[7])];
  if (pieces.length < WORD_PIECES || !Number.isFinite(left + top + right + bottom)) return undefined;
  const rest = pieces[WORD_PIECES - 1] ?? '';
  const end = rest.lastIndexOf(WORD_END);
  if (end === -1) return undefined;
  const escaped = rest.slice(1, end);
  const text = escaped.includes('&') ? escaped.replaceAll(ENTITY, (_, name: string) => SIGNS[name] ?? '') : escaped;
  return { text, left, top, right, bottom };
};
