import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Frame, ThumbnailFormat } from './image-messages.ts';

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
 * at are a few thousand characters, and no file of a stranger is decoded.
 */
export default ({ text, frames, format }: TextPictureTask): Promise<Uint8Array[]> => {
  const page = drawPage(text);
  return Promise.all(frames.map((frame) => encode(fit(page, frame), format)));
};

const drawPage = (text: string): Canvas => {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#202020';
  context.font = `12px 'DejaVu Sans', 'Liberation Sans', sans-serif`;
  const rows = Math.floor((HEIGHT - 2 * MARGIN) / LINE_HEIGHT);
  for (const [row, line] of wrap(text, rows).entries())
    context.fillText(line, MARGIN, MARGIN + (row + 1) * LINE_HEIGHT, WIDTH - 2 * MARGIN);
  return canvas;
};

const fit = (page: Canvas, frame: Frame): Canvas => {
  const factor = Math.min(1, frame.width / WIDTH, frame.height / HEIGHT);
  if (factor === 1) return page;
  const [width, height] = [Math.max(1, Math.round(WIDTH * factor)), Math.max(1, Math.round(HEIGHT * factor))];
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(page, 0, 0, width, height);
  return canvas;
};

const encode = (canvas: Canvas, format: ThumbnailFormat): Promise<Buffer> =>
  format === 'png' ? canvas.encode('png') : canvas.encode(format, QUALITY);

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
