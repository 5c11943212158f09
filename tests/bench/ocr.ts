import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { race } from './ocr-race.ts';
import { measurePages } from './pages.ts';
import { measurePictures } from './pictures.ts';
import { measureRecall } from './recall.ts';

/** All figures of the recognition, or the one that is asked for: `pnpm bench ocr race|text|recall|pages|pictures`. */
export const run = async ([part]: readonly string[] = []): Promise<void> => {
  if (part === undefined || part === 'race') await race();
  if (part === undefined || part === 'text') await onOneCore('text-layer');
  if (part === undefined || part === 'recall') await measureRecall();
  if (part === undefined || part === 'pages') await measurePages();
  if (part === undefined || part === 'pictures') await measurePictures();
};

/** Runs a bench in a process that is bound to one core, with all it starts. */
const onOneCore = async (bench: string): Promise<void> => {
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn('taskset', ['-c', '0', process.execPath, main, bench], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the bench ${bench} ended with ${String(code)}`);
};
