import { deflateSync } from 'node:zlib';

/** A PDF of one page with this content, which is stored in packed form: repetitions cost next to nothing. */
const makePdf = (content: string, mark: string): Uint8Array => {
  const packed = deflateSync(content);
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>'),
    Buffer.concat([Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`), packed, Buffer.from('\nendstream')]),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    Buffer.from(`<< /Title (${mark}) >>`),
  ];
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  for (const [at, object] of objects.entries()) {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0));
    parts.push(Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  }
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
};

/** A small file whose text layer takes so much memory: pdftotext keeps some hundred bytes for each character of a page. */
export const textBomb = (characters: number, mark: string): Uint8Array => {
  const lines = Array.from({ length: 1_000 }, (_, n) => `1 0 0 1 ${20 + (n % 37)} ${820 - (n % 800)} Tm (${'word '.repeat(20)}) Tj`).join(
    '\n',
  );
  return makePdf(`BT /F1 6 Tf\n${`${lines}\n`.repeat(Math.ceil(characters / 100_000))}ET`, mark);
};

/** An ordinary page with a text layer. */
export const textPage = (words: string): Uint8Array => makePdf(`BT /F1 12 Tf 50 700 Td (${words}) Tj ET`, words);

/** A small file without text whose page takes a long time to draw: large shapes of curves, one over the other. */
export const slowPage = (shapes: number, mark: string): Uint8Array => {
  const shape = Array.from(
    { length: 200 },
    (_, n) => `${(n * 37) % 595} ${(n * 53) % 842} ${(n * 71) % 595} ${(n * 29) % 842} ${(n * 97) % 595} ${(n * 13) % 842} c`,
  );
  return makePdf(`0 0 0 rg\n${`0 0 m\n${shape.join('\n')}\nf*\n`.repeat(shapes)}`, mark);
};

/** A small file that draws a tiny picture so many times: each is a line of 94 bytes in the list of pdfimages. */
export const manyPictures = (times: number, mark: string): Uint8Array =>
  makePdf('q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q\n'.repeat(times), mark);
