import { readFile } from 'node:fs/promises';
import type { Box } from '@sheaf/vocabulary/page-words';
import { type Bbox, createWorker, type Worker } from 'tesseract.js';
import { isTurn, type OcrReading, type Turn, toReading } from './ocr-runner.ts';

// The engine tells its thoughts about every difficult picture on standard error, past any logger. They are of no use to anyone.
process.stderr.write = () => true;

/** What a thread is asked; plain data, because it crosses a thread border. */
export interface WasmTask {
  readonly kind: 'read' | 'find_turn';
  readonly imagePath: string;
  readonly language: string;
  readonly dataFolder: string;
  readonly gzip: boolean;
  readonly dpi: number;
  readonly psm: number;
  readonly oem: number;
}

const ORIENTATION_OEM = 0;
const MIN_ORIENTATION_CONFIDENCE = 1;

/** One warm engine a thread: it costs 0.2 s to make, so it stays until another language or engine mode is wanted. */
let engine: { readonly key: string; readonly worker: Worker } | undefined;

const engineFor = async ({ language, dataFolder, gzip, oem }: WasmTask, legacy: boolean): Promise<Worker> => {
  const key = JSON.stringify([language, dataFolder, oem, legacy]);
  if (engine?.key === key) return engine.worker;
  await engine?.worker.terminate();
  engine = undefined;
  const worker = await createWorker(language.split('+'), oem, {
    langPath: dataFolder,
    gzip,
    // Otherwise it writes the models into the working folder.
    cacheMethod: 'none',
    legacyCore: legacy,
    legacyLang: legacy,
    // No errorHandler: without one a failure rejects the task and ends the thread, with one the task never settles.
  });
  engine = { key, worker };
  return worker;
};

export default async (task: WasmTask): Promise<OcrReading | Turn | undefined> => (task.kind === 'read' ? read(task) : findTurn(task));

const read = async (task: WasmTask): Promise<OcrReading> => {
  const worker = await engineFor(task, task.oem === 0 || task.oem === 2);
  await worker.setParameters({ tessedit_pageseg_mode: `${task.psm}` as never, user_defined_dpi: `${Math.round(task.dpi)}` });
  const image = await readFile(task.imagePath);
  const { data } = await worker.recognize(image, {}, { text: false, blocks: true });
  const page = sizeOf(image);
  const lines = (data.blocks ?? []).flatMap((block, b) =>
    block.paragraphs.flatMap((paragraph, p) =>
      paragraph.lines.map((line) => ({
        paragraph: `${b}.${p}`,
        words: line.words
          .map(({ text, confidence, bbox }) => ({ text: text.trim(), confidence: confidence / 100, box: boxOf(bbox, page) }))
          .filter(({ text }) => text !== ''),
      })),
    ),
  );
  return toReading(lines.filter((line) => line.words.length > 0));
};

/** In pixels; the image is a PGM that we wrote. */
const sizeOf = (image: Buffer): { readonly width: number; readonly height: number } => {
  const [, width, height] = /^P5\s+(\d+)\s+(\d+)\s/.exec(image.toString('latin1', 0, 64)) ?? [];
  return { width: Number(width ?? 1), height: Number(height ?? 1) };
};

const boxOf = ({ x0, y0, x1, y1 }: Bbox, { width, height }: { readonly width: number; readonly height: number }): Box => ({
  x: x0 / width,
  y: y0 / height,
  width: (x1 - x0) / width,
  height: (y1 - y0) / height,
});

const findTurn = async (task: WasmTask): Promise<Turn | undefined> => {
  const worker = await engineFor({ ...task, language: 'osd', oem: ORIENTATION_OEM }, true);
  const { data } = await worker.detect(await readFile(task.imagePath));
  // Unlike the program's own "orientation in degrees", this is the turn that mends it.
  const degrees = data.orientation_degrees ?? 0;
  const isSure = (data.orientation_confidence ?? 0) >= MIN_ORIENTATION_CONFIDENCE;
  return isSure && isTurn(degrees) ? degrees : undefined;
};
