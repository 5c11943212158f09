import type { PageWord } from '@sheaf/vocabulary/page-words';
import { FONT } from './glyphless-font.ts';
import type { PageFrame } from './page-frames.ts';
import { asShown } from './reading-order.ts';
import type { TextCodes } from './text-codes.ts';

/** A word in points, from the lower left corner of the page. */
interface PlacedWord {
  readonly text: string;
  readonly left: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** Words of one line stand on one base line in one size, which keeps them together when somebody selects them. */
interface Line {
  readonly bottom: number;
  readonly height: number;
  readonly words: readonly PlacedWord[];
}

const CHAR_EM = FONT.advance / FONT.unitsPerEm;
const BELOW_BASE_LINE = -FONT.descent / FONT.unitsPerEm;
/** Words of a line whose edges are further from those of the line keep their own: 1 mm. */
const MAX_SHIFT_POINTS = 2.8;
/** So much of the smaller of two words stands beside the other in one line. */
const SAME_LINE_SHARE = 0.5;
const MAX_STRETCH_PERCENT = 10_000;
/** What a line break or another control character of a word would be in a text operator. */
const CONTROLS = /\p{Cc}/gu;

/** The operators that write the words of a page, invisible, each into its box. Empty where there is nothing to write. */
export const textLayerOf = (words: readonly PageWord[], frame: PageFrame, codes: TextCodes): string => {
  const writer = new LayerWriter(codes);
  for (const line of linesOf(placedWords(words, frame))) for (const word of line.words) writer.write(word, lineOf(word, line));
  return writer.operators();
};

function* placedWords(words: readonly PageWord[], { shown }: PageFrame): Generator<PlacedWord> {
  for (const { text, box } of words) {
    const plain = text.replaceAll(CONTROLS, '');
    const [width, height] = [box.width * shown.width, box.height * shown.height];
    if (plain === '' || !(width > 0 && height > 0)) continue;
    yield {
      text: asShown(plain),
      left: shown.left + box.x * shown.width,
      bottom: shown.bottom + (1 - box.y - box.height) * shown.height,
      width,
      height,
    };
  }
}

function* linesOf(words: Iterable<PlacedWord>): Generator<Line> {
  let line: PlacedWord[] = [];
  let last: PlacedWord | undefined;
  for (const word of words) {
    if (last !== undefined && !isBeside(last, word)) {
      yield withEdges(line);
      line = [];
    }
    line.push(word);
    last = word;
  }
  if (line.length > 0) yield withEdges(line);
}

const isBeside = (one: PlacedWord, other: PlacedWord): boolean => {
  const shared = Math.min(one.bottom + one.height, other.bottom + other.height) - Math.max(one.bottom, other.bottom);
  return shared >= SAME_LINE_SHARE * Math.min(one.height, other.height);
};

const withEdges = (words: readonly PlacedWord[]): Line => {
  const bottom = median(words.map((word) => word.bottom));
  return { bottom, height: median(words.map((word) => word.bottom + word.height)) - bottom, words };
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The line where the word nearly fills it, else the word alone. */
const lineOf = (word: PlacedWord, line: Line): Pick<Line, 'bottom' | 'height'> => {
  const shift = Math.max(Math.abs(word.bottom - line.bottom), Math.abs(word.bottom + word.height - line.bottom - line.height));
  return shift <= MAX_SHIFT_POINTS && line.height > 0 ? line : word;
};

const tenth = (value: number): number => Math.round(value * 10) / 10;

/** Numbers are relative to what was written, and rounded before they are: errors do not add up. */
class LayerWriter {
  readonly #codes: TextCodes;
  readonly #operators: string[] = [];
  #x = 0;
  #y = 0;
  #size = 0;
  #stretch = 0;

  constructor(codes: TextCodes) {
    this.#codes = codes;
  }

  write({ text, left, width }: PlacedWord, { bottom, height }: Pick<Line, 'bottom' | 'height'>): void {
    const size = Math.max(0.1, tenth(height));
    const chars = Array.from(text).length;
    const stretch = Math.min(MAX_STRETCH_PERCENT, Math.max(0.1, tenth((100 * width) / (chars * CHAR_EM * size))));
    const [x, y] = [tenth(left), tenth(bottom + BELOW_BASE_LINE * size)];
    if (size !== this.#size) this.#operators.push(`/F ${size} Tf`);
    if (stretch !== this.#stretch) this.#operators.push(`${stretch} Tz`);
    this.#operators.push(`${tenth(x - this.#x)} ${tenth(y - this.#y)} Td<${this.#codes.encode(`${text} `)}>Tj`);
    this.#x = x;
    this.#y = y;
    this.#size = size;
    this.#stretch = stretch;
  }

  operators(): string {
    return this.#operators.length === 0 ? '' : `BT 3 Tr\n${this.#operators.join('\n')}\nET\n`;
  }
}
