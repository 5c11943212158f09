/** A marked stretch of a text, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** A word as people see it, soft hyphens in it included. In scripts that do not part their words each character is one. */
const WORD = /[\p{L}\p{N}\p{M}\u00ad]+/gu;
/** The same characters as in sheaf_words, see the migrations. */
const ALONE =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/u;
const PIECE = new RegExp(`${ALONE.source}|(?:(?!${ALONE.source}).)+`, 'gsu');

export interface Word extends Mark {
  readonly text: string;
}

const piecesOf = ({ text, start }: Word): Word[] =>
  [...text.matchAll(PIECE)].map((piece) => ({
    text: piece[0],
    start: start + piece.index,
    end: start + piece.index + piece[0].length,
  }));

/** All words of a text, in order. */
export const wordsIn = (text: string): Word[] => {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = { text: match[0], start: match.index, end: match.index + match[0].length };
    if (ALONE.test(word.text)) words.push(...piecesOf(word));
    else words.push(word);
  }
  return words;
};

/** A character by itself says little in a script without spaces: it counts only beside another one. */
const isAlone = (word: Word): boolean => ALONE.test(word.text);

/** The words that `isWanted`, neighbours without anything between them as one mark. */
export const marksOf = (words: readonly Word[], isWanted: (word: string) => boolean): Mark[] => {
  const marks: { start: number; end: number; isAlone: boolean }[] = [];
  for (const word of words) {
    if (!isWanted(word.text)) continue;
    const last = marks.at(-1);
    if (last?.end === word.start) Object.assign(last, { end: word.end, isAlone: false });
    else marks.push({ start: word.start, end: word.end, isAlone: isAlone(word) });
  }
  const together = marks.filter((mark) => !mark.isAlone);
  return (together.length > 0 ? together : marks).map(({ start, end }) => ({ start, end }));
};
