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
