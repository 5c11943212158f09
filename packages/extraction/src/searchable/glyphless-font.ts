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
