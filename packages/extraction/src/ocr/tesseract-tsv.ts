import type { PageWord } from '@sheaf/vocabulary/page-words';
import type { OcrLine } from './ocr-runner.ts';

const PAGE_LEVEL = '1';
const WORD_LEVEL = '5';

/** The lines of tesseract's TSV. Columns: level, page, block, paragraph, line, word, left, top, width, height, conf, text. */
export const parseTsv = (tsv: string): readonly OcrLine[] => {
  const lines: { id: string; paragraph: string; words: PageWord[] }[] = [];
  let page = { width: 1, height: 1 };
  for (const row of tsv.split('\n')) {
    const [level, , block, paragraph, line, , left, top, width, height, conf, ...rest] = row.split('\t');
    if (level === PAGE_LEVEL) page = { width: Number(width) || 1, height: Number(height) || 1 };
    const text = rest.join('\t').trim();
    if (level !== WORD_LEVEL || text === '') continue;
    const id = `${block}.${paragraph}.${line}`;
    const box = {
      x: Number(left) / page.width,
      y: Number(top) / page.height,
      width: Number(width) / page.width,
      height: Number(height) / page.height,
    };
    const word = { text, confidence: Math.min(1, Math.max(0, Number(conf) / 100)), box };
    const current = lines.at(-1);
    if (current?.id === id) current.words.push(word);
    else lines.push({ id, paragraph: `${block}.${paragraph}`, words: [word] });
  }
  return lines;
};

/** The answer of `--psm 0`, or undefined where the engine is as good as guessing. */
export const parseOrientation = (answer: string, minConfidence: number): number | undefined => {
  const degrees = /^Rotate: (\d+)/m.exec(answer)?.[1];
  const confidence = Number(/^Orientation confidence: ([\d.]+)/m.exec(answer)?.[1] ?? 0);
  return degrees === undefined || confidence < minConfidence ? undefined : Number(degrees);
};
