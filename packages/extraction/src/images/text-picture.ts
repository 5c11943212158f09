import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { type GreyImage, shrunk } from './grey-image.ts';
import type { Frame, ThumbnailFormat } from './image-messages.ts';
import { encodeTextWebp } from './text-webp.ts';

const WIDTH = 620;
const HEIGHT = 877;
const MARGIN = 48;
const LINE_HEIGHT = 17;
const COLUMNS = 88;
/** As the pictures of other documents have it. */
const QUALITY = 80;

export interface TextPictureTask {
  readonly text: string;
  readonly frames: readonly Frame[];
  readonly format: ThumbnailFormat;
}

/**
 * The beginning of a text as it would look on paper, fitted into each of these frames. It is drawn in a thread of this process: what is looked
 * at are a few thousand characters, and no file of a stranger is decoded. The largest is drawn, in its own size, and the others are made of it.
 */
export default async ({ text, frames, format }: TextPictureTask): Promise<Uint8Array[]> => {
  const factors = frames.map(({ width, height }) => Math.min(1, width / WIDTH, height / HEIGHT));
  const page = drawPage(text, Math.max(...factors));
  if (format !== 'webp') return Promise.all(factors.map((factor) => encode(fit(page, sizeFor(factor)), format)));
  const grey = greyOf(page);
  return factors.map((factor) => encodeTextWebp(shrunk(grey, sizeFor(factor))));
};

const sizeFor = (factor: number): Frame => ({
  width: Math.max(1, Math.round(WIDTH * factor)),
  height: Math.max(1, Math.round(HEIGHT * factor)),
});

/** Made once: the memory of a new one takes longer to be had from the system than a page to draw. */
let paper: Canvas | undefined;

const paperOf = ({ width, height }: Frame): Canvas => {
  if (paper?.width !== width || paper.height !== height) paper = createCanvas(width, height);
  return paper;
};

const drawPage = (text: string, factor: number): Canvas => {
  const canvas = paperOf(sizeFor(factor));
  const context = canvas.getContext('2d');
  context.resetTransform();
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(factor, factor);
  context.fillStyle = '#000000';
  context.font = `12px 'DejaVu Sans', 'Liberation Sans', sans-serif`;
  const rows = Math.floor((HEIGHT - 2 * MARGIN) / LINE_HEIGHT);
  for (const [row, line] of wrap(text, rows).entries())
    if (line !== '') context.fillText(line, MARGIN, MARGIN + (row + 1) * LINE_HEIGHT, WIDTH - 2 * MARGIN);
  return canvas;
};

const fit = (page: Canvas, { width, height }: Frame): Canvas => {
  if (page.width === width && page.height === height) return page;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(page, 0, 0, width, height);
  return canvas;
};

const encode = (canvas: Canvas, format: ThumbnailFormat): Promise<Buffer> =>
  format === 'png' ? canvas.encode('png') : canvas.encode(format, QUALITY);

/** The page is black on white: one of its channels says all. */
const greyOf = (page: Canvas): GreyImage => {
  const { width, height } = page;
  const rgba = page.data();
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = rgba[4 * at] ?? 0;
  return { width, height, pixels };
};

const wrap = (text: string, rows: number): readonly string[] => {
  const lines: string[] = [];
  for (const line of text.slice(0, rows * COLUMNS).split(/\r\n|\r|\n/)) {
    let rest = line.replaceAll('\t', '    ');
    while (rest.length > COLUMNS && lines.length < rows) {
      const space = rest.lastIndexOf(' ', COLUMNS);
      const end = space > COLUMNS / 2 ? space : COLUMNS;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    lines.push(rest);
  }
  return lines.slice(0, rows);
};
