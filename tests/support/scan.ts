import sharp from 'sharp';

/** A5 at 200 dots per inch: large enough to be read well, small enough to be read soon. */
const WIDTH = 1_165;
const HEIGHT = 1_654;

const page = (words: string): Promise<Buffer> => {
  const lines = Array.from({ length: 12 }, (_, line) => `<text x="80" y="${150 + line * 110}">${words} line ${line + 1}</text>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="white"/><g font-family="Liberation Serif" font-size="48">${lines}</g></svg>`;
  return sharp(Buffer.from(svg)).greyscale().png().toBuffer();
};

/** A scan of several pages as a TIFF; page n says `texts[n]` twelve times. */
export const makeScan = async (texts: readonly string[]): Promise<Uint8Array<ArrayBuffer>> => {
  const pages = await Promise.all(texts.map(page));
  const [first] = pages;
  const scan = pages.length === 1 ? sharp(first) : sharp(pages, { join: { animated: true } });
  return new Uint8Array(await scan.tiff({ compression: 'lzw' }).toBuffer());
};
