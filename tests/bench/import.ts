import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createUser } from '@sheaf/accounts/users';
import type { ImportSummary } from '@sheaf/imports';
import { corpusPath } from '../support/corpus.ts';
import { machineLine } from './machine.ts';
import { openScratchDatabase } from './scratch-database.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');
const DOCUMENTS = 5_000;
const TARGET_PER_SECOND = 300;
const TARGET_MB = 300;
const SAMPLE_MS = 100;

const makeExport = async (folder: string, documents: number): Promise<string> => {
  const generator = corpusPath('paperless-export', 'make.py');
  await promisify(execFile)('python3', [
    generator,
    folder,
    '--tiny',
    'unique',
    '--documents',
    String(documents),
    '--expected-sample',
    '10',
  ]);
  return join(folder, 'export');
};

/** The most memory that the process has had so far, in bytes; 0 once it ended. */
const peakOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
};

interface Run {
  readonly summary: ImportSummary;
  readonly seconds: number;
  readonly peakBytes: number;
}

const runImport = async (path: string, env: Readonly<Record<string, string | undefined>>): Promise<Run> => {
  const startMs = performance.now();
  const child = spawn(SHEAF, ['import', 'paperless', path, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = text(child.stdout);
  let peakBytes = 0;
  while (child.exitCode === null) {
    peakBytes = Math.max(peakBytes, await peakOf(child.pid ?? 0));
    await setTimeout(SAMPLE_MS);
  }
  const summary = JSON.parse(await output) as ImportSummary;
  return { summary, seconds: (performance.now() - startMs) / 1_000, peakBytes };
};

const line = (what: string, { summary, seconds, peakBytes }: Run, documents: number): void => {
  const perSecond = Math.round(documents / seconds);
  console.log(
    `| ${what} | ${summary.documents.imported} | ${seconds.toFixed(1)} s | ${perSecond} (at least ${TARGET_PER_SECOND}) | ${Math.round(peakBytes / 1e6)} MB (at most ${TARGET_MB}) |`,
  );
};

/** How fast small text documents of an export of Paperless-ngx are imported, and again; the argument is how many. */
export const run = async ([count = String(DOCUMENTS)]: readonly string[]): Promise<void> => {
  const documents = Number(count);
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-import-bench-'));
  await using database = await openScratchDatabase();
  try {
    const path = await makeExport(folder, documents);
    await createUser(database.db, { username: 'first', email: 'first@example.net', role: 'admin', passwordHash: null });
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url.reveal(),
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
    };
    console.log(
      `import of ${documents} small text documents of an export of Paperless-ngx 3.0.5, with the service stopped; ${machineLine()}`,
    );
    console.log('| | imported | time | documents a second | peak memory |\n|---|---|---|---|---|');
    line('first run', await runImport(path, env), documents);
    line('second run', await runImport(path, env), documents);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
