import { createCanvas } from '@napi-rs/canvas';

const WIDTH = 620;
const HEIGHT = 877;
const MARGIN = 48;
const LINE_HEIGHT = 17;
const COLUMNS = 88;

export interface TextPicture {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly pixels: Buffer;
}

/** The beginning of a text as it would look on paper. */
export const drawText = (text: string): TextPicture => {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#202020';
  context.font = `12px 'DejaVu Sans', 'Liberation Sans', sans-serif`;
  const rows = Math.floor((HEIGHT - 2 * MARGIN) / LINE_HEIGHT);
  for (const [row, line] of wrap(text, rows).entries())
    context.fillText(line, MARGIN, MARGIN + (row + 1) * LINE_HEIGHT, WIDTH - 2 * MARGIN);
  return { width: WIDTH, height: HEIGHT, pixels: canvas.data() };
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
