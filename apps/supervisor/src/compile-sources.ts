// Fills the folder of compiled code before the first start after an installation or an upgrade. Node turns TypeScript into JavaScript as it
// loads it; a process that has done so keeps some 20 MB for the rest of its life, which each of ours would without this.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILE_ONLY } from '@sheaf/vocabulary/exit-codes';
import { parseProcfile } from './procfile.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** As bin/sheaf starts it. */
const SUPERVISOR = ['--max-semi-space-size=1', join(import.meta.dirname, 'main.ts')];
const LIMIT_MS = 120_000;

const [marker] = process.argv.slice(2);
if (marker !== undefined) {
  const programs = parseProcfile(readFileSync(join(ROOT, 'Procfile'), 'utf8')).map(({ command: [, ...args] }) => args);
  for (const args of [SUPERVISOR, ...programs])
    spawnSync(process.execPath, [...args, COMPILE_ONLY], { cwd: ROOT, stdio: 'ignore', timeout: LIMIT_MS });
  try {
    writeFileSync(marker, '');
  } catch {
    // the folder cannot be written: the start says so where that matters
  }
}
