// Fills the folder of compiled code before the first start after an installation or an upgrade. Node turns TypeScript into JavaScript as it
// loads it; a process that has done so keeps some 20 MB for the rest of its life, which each of ours would without this.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMPILE_ONLY, EXIT } from '@sheaf/vocabulary/exit-codes';
import { parseProcfile } from './command-line.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** As bin/sheaf starts it. */
const SUPERVISOR = ['--max-semi-space-size=1', join(import.meta.dirname, 'main.ts')];
const LIMIT_MS = 120_000;

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const isCompiled = (args: readonly string[]): boolean =>
  spawnSync(process.execPath, [...args, COMPILE_ONLY], { cwd: ROOT, stdio: 'ignore', timeout: LIMIT_MS }).status === EXIT.done;

const [marker] = process.argv.slice(2);
// where nothing can be kept, the time would be lost at every start
if (marker !== undefined && isWritable(dirname(marker))) {
  const programs = parseProcfile(readFileSync(join(ROOT, 'Procfile'), 'utf8')).map(({ command: [, ...args] }) => args);
  if ([SUPERVISOR, ...programs].every(isCompiled)) writeFileSync(marker, '');
  else process.stderr.write('sheaf: the sources could not be compiled ahead; the start goes on and takes more memory\n');
}
