/** A marked stretch of a text, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

export interface Word extends Mark {
  readonly text: string;
}

/** What a word is made of as people see it, soft hyphens in it included. */
const OF_WORDS = /[\p{L}\p{N}\p{M}\u00ad]/u;
/** In scripts that do not part their words each character is one. The same characters as in sheaf_words, see the migrations. */
const ALONE =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/u;

const [UNKNOWN, BETWEEN, IN_WORD, WORD_BY_ITSELF] = [0, 1, 2, 3];

const classify = (character: string): number => {
  if (!OF_WORDS.test(character)) return BETWEEN;
  return ALONE.test(character) ? WORD_BY_ITSELF : IN_WORD;
};

/** What each UTF-16 unit is, filled as texts are read: a table is five times as fast as an expression over the text. */
const classes = new Uint8Array(0x1_00_00);

const classAt = (text: string, at: number): number => {
  const unit = text.charCodeAt(at);
  if (unit >= 0xd800 && unit <= 0xdfff) return classify(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const known = classes[unit] ?? UNKNOWN;
  return known === UNKNOWN ? (classes[unit] = classify(String.fromCharCode(unit))) : known;
};

/** 2 for a character of two UTF-16 units. */
const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1);

/** All words of a text, in order. */
export const wordsIn = (text: string): Word[] => {
  const words: Word[] = [];
  let start = -1;
  const close = (end: number): void => {
    if (start >= 0) words.push({ text: text.slice(start, end), start, end });
    start = -1;
  };
  for (let at = 0; at < text.length; ) {
    const kind = classAt(text, at);
    const end = at + unitsAt(text, at);
    if (kind === IN_WORD) {
      if (start < 0) start = at;
    } else {
      close(at);
      if (kind === WORD_BY_ITSELF) words.push({ text: text.slice(at, end), start: at, end });
    }
    at = end;
  }
  close(text.length);
  return words;
};

const [MOST_BETWEEN, HYPHENS] = [40, /^[-\u2010][ \t\r]*\n[ \t]*$/];
const SOFT_HYPHEN = '\u00ad';
const LINE_END = /^[ \t\r]*\n[ \t]*$/;
const BEGINS_SMALL = /^\p{Ll}/u;

/** The words of a text with those that a hyphen parts at the end of a line, whole before their halves, as the index has them. */
export const withJoinedWords = (text: string, words: readonly Word[]): Word[] =>
  words.flatMap((word, at) => {
    const next = words[at + 1];
    if (next === undefined || next.start - word.end > MOST_BETWEEN || !BEGINS_SMALL.test(next.text)) return [word];
    const between = text.slice(word.end, next.start);
    const isParted = word.text.endsWith(SOFT_HYPHEN) ? LINE_END.test(between) : HYPHENS.test(between);
    return isParted ? [{ text: word.text.replaceAll(SOFT_HYPHEN, '') + next.text, start: word.start, end: next.end }, word] : [word];
  });

/** A character by itself says little in a script without spaces: it counts only beside another one. */
const isAlone = (word: Word): boolean => ALONE.test(word.text);

/** The words that `isWanted`, neighbours without anything between them as one mark. */
export const marksOf = (words: readonly Word[], isWanted: (word: string) => boolean): Mark[] => {
  const marks: { start: number; end: number; isAlone: boolean }[] = [];
  for (const word of words) {
    if (!isWanted(word.text)) continue;
    const last = marks.at(-1);
    if (last !== undefined && last.end > word.start) last.end = Math.max(last.end, word.end);
    else if (last?.end === word.start) Object.assign(last, { end: word.end, isAlone: false });
    else marks.push({ start: word.start, end: word.end, isAlone: isAlone(word) });
  }
  const together = marks.filter((mark) => !mark.isAlone);
  return (together.length > 0 ? together : marks).map(({ start, end }) => ({ start, end }));
};
