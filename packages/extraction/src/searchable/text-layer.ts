import type { PageWord } from '@sheaf/vocabulary/page-words';

/** Units of the em square, and how far each glyph moves on. */
export const FONT = { unitsPerEm: 1_000, advance: 500, ascent: 800, descent: -200 } as const;

const GLYPHS = 2; // .notdef and the one that stands for every character, both without an outline
const CHECKSUM_MAGIC = 0xb1b0afba;
const HEAD_MAGIC = 0x5f0f3cf5;
const HEADER_BYTES = 12;
const RECORD_BYTES = 16;
const CHECKSUM_ADJUSTMENT_AT = 8;

const words16 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, at * 2);
  return bytes;
};

const words32 = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, at * 4);
  return bytes;
};

const head = (): Buffer =>
  Buffer.concat([
    words32(0x10000, 0x10000, 0, HEAD_MAGIC),
    words16(0, FONT.unitsPerEm),
    Buffer.alloc(16), // made and changed: never
    words16(0, FONT.descent, FONT.advance, FONT.ascent, 0, 8, 2, 0, 0),
  ]);

const hhea = (): Buffer =>
  Buffer.concat([words32(0x10000), words16(FONT.ascent, FONT.descent, 0, FONT.advance, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1)]);

const maxp = (): Buffer => Buffer.concat([words32(0x10000), words16(GLYPHS, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]);

/** One advance for all glyphs, then a side bearing for each further one. */
const hmtx = (): Buffer => words16(FONT.advance, 0, 0);

const cmap = (): Buffer => Buffer.concat([words16(0, 1, 1, 0), words32(12), words16(6, 12, 0, 0, 1, 1)]);

const post = (): Buffer => Buffer.concat([words32(0x30000, 0), words16(0, 0), words32(1, 0, 0, 0, 0)]);

const checksumOf = (table: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
};

const padded = (table: Buffer): Buffer => Buffer.concat([table, Buffer.alloc(-table.length & 3)]);

/** A TrueType font whose glyphs show nothing: readers of PDF want a font for text that nobody sees. */
export const makeGlyphlessFont = (): Buffer => {
  const tables: readonly (readonly [string, Buffer])[] = [
    ['cmap', cmap()],
    ['glyf', Buffer.alloc(1)],
    ['head', head()],
    ['hhea', hhea()],
    ['hmtx', hmtx()],
    ['loca', words16(0, 0, 0)],
    ['maxp', maxp()],
    ['post', post()],
  ];
  const [directory, bodies]: [Buffer[], Buffer[]] = [[], []];
  let offset = HEADER_BYTES + RECORD_BYTES * tables.length;
  let headAt = 0;
  for (const [tag, table] of tables) {
    const body = padded(table);
    if (tag === 'head') headAt = offset;
    directory.push(Buffer.from(tag, 'latin1'), words32(checksumOf(body), offset, table.length));
    bodies.push(body);
    offset += body.length;
  }
  const font = Buffer.concat([
    words32(0x10000),
    words16(tables.length, 128, 3, tables.length * RECORD_BYTES - 128),
    ...directory,
    ...bodies,
  ]);
  font.writeUInt32BE((CHECKSUM_MAGIC - checksumOf(font)) >>> 0, headAt + CHECKSUM_ADJUSTMENT_AT);
  return font;
};

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
    if (last !== undefined && !isAdjacent(last, word)) {
      yield withEdges(line);
      line = [];
    }
    line.push(word);
    last = word;
  }
  if (line.length > 0) yield withEdges(line);
}

const isAdjacent = (one: PlacedWord, other: PlacedWord): boolean => {
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

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Numbers and Latin letters run left to right also among others; a mark between digits belongs to their number. */
const LEFT_TO_RIGHT = /[\p{Nd}\p{Script=Latin}]+(?:[.,:/-][\p{Nd}\p{Script=Latin}]+)*/gu;

const reversed = (text: string): string => Array.from(text).toReversed().join('');

/**
 * The characters of a word as they stand on paper from left to right, which is how PDFs have them: readers turn those that run from right
 * to left back when somebody copies them.
 */
export const asShown = (word: string): string => {
  if (!RIGHT_TO_LEFT.test(word)) return word;
  let shown = '';
  let end = 0;
  for (const match of word.matchAll(LEFT_TO_RIGHT)) {
    shown = match[0] + reversed(word.slice(end, match.index)) + shown;
    end = match.index + match[0].length;
  }
  return reversed(word.slice(end)) + shown;
};

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const BLOCK = 100;

const hex = (code: number): string => code.toString(16).padStart(4, '0');

/**
 * The codes of the text of one PDF, two bytes each. A character of the basic plane has its own number. Those beyond it get the numbers
 * that the plane leaves to surrogates, in the order in which they come up; the map to Unicode says which.
 */
export class TextCodes {
  readonly #beyond = new Map<string, number>();

  /** `text` as the string of a text operator. */
  encode(text: string): string {
    let codes = '';
    for (const char of text) codes += hex(char.length === 1 ? char.charCodeAt(0) : this.#codeOf(char));
    return codes;
  }

  /** The ToUnicode map of all codes so far. */
  toUnicode(): string {
    const beyond = [...this.#beyond];
    const blocks: string[] = [];
    for (let at = 0; at < beyond.length; at += BLOCK) {
      const lines = beyond
        .slice(at, at + BLOCK)
        .map(([char, code]) => `<${hex(code)}> <${hex(char.charCodeAt(0))}${hex(char.charCodeAt(1))}>`);
      blocks.push(`${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar`);
    }
    return [
      '/CIDInit /ProcSet findresource begin',
      '12 dict begin',
      'begincmap',
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
      '/CMapName /Adobe-Identity-UCS def',
      '/CMapType 2 def',
      '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange',
      '2 beginbfrange\n<0000> <d7ff> <0000>\n<e000> <ffff> <e000>\nendbfrange',
      ...blocks,
      'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n',
    ].join('\n');
  }

  #codeOf(char: string): number {
    const known = this.#beyond.get(char);
    if (known !== undefined) return known;
    if (this.#beyond.size === SURROGATES) return 0xfffd;
    const code = FIRST_SURROGATE + this.#beyond.size;
    this.#beyond.set(char, code);
    return code;
  }
}

/** A page as it is shown, in points: turned as its file says. */
export interface PageFrame {
  /** Of its trim box, into which qpdf lays what is laid over the page. */
  readonly width: number;
  readonly height: number;
  /** Its crop box, which is what people see, from the lower left corner of the trim box. */
  readonly shown: { readonly left: number; readonly bottom: number; readonly width: number; readonly height: number };
}

interface Sides {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

const PAGE_TURN = /^Page\s+(\d+) rot:\s+(\d+)$/gm;
const PAGE_BOX = /^Page\s+(\d+) (CropBox|TrimBox):\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$/gm;
const FULL_TURN = 360;

/** From the output of `pdfinfo -f -l -box`. Pages without an area are left out. */
export const parsePageFrames = (sizes: string): ReadonlyMap<number, PageFrame> => {
  const turns = new Map<number, number>();
  for (const [, page, turn] of sizes.matchAll(PAGE_TURN)) turns.set(Number(page), Number(turn) % FULL_TURN);
  const boxes = { CropBox: new Map<number, Sides>(), TrimBox: new Map<number, Sides>() };
  for (const [, page, box, ...numbers] of sizes.matchAll(PAGE_BOX)) {
    const [left = 0, bottom = 0, right = 0, top = 0] = numbers.map(Number);
    if (right > left && top > bottom) boxes[box === 'CropBox' ? 'CropBox' : 'TrimBox'].set(Number(page), { left, bottom, right, top });
  }
  const frames = new Map<number, PageFrame>();
  for (const [page, crop] of boxes.CropBox) frames.set(page, frameOf(crop, boxes.TrimBox.get(page) ?? crop, turns.get(page) ?? 0));
  return frames;
};

const frameOf = (crop: Sides, trim: Sides, turn: number): PageFrame => {
  const [shown, whole] = [turned(crop, turn), turned(trim, turn)];
  return {
    width: whole.right - whole.left,
    height: whole.top - whole.bottom,
    shown: {
      left: shown.left - whole.left,
      bottom: shown.bottom - whole.bottom,
      width: shown.right - shown.left,
      height: shown.top - shown.bottom,
    },
  };
};

/** Where the sides are after a turn of so many degrees, clockwise, around the origin. */
const turned = ({ left, bottom, right, top }: Sides, turn: number): Sides => {
  switch (turn) {
    case 90:
      return { left: bottom, bottom: -right, right: top, top: -left };
    case 180:
      return { left: -right, bottom: -top, right: -left, top: -bottom };
    case 270:
      return { left: -top, bottom: left, right: -bottom, top: right };
    default:
      return { left, bottom, right, top };
  }
};
