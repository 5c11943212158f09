// Loaded into each process and thread of a service by NODE_OPTIONS, see upload-coverage.ts: notes for each phase which functions ran.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = new URL(import.meta.url).searchParams.get('folder') ?? '';
const POLL_MS = 50;

const program = relative(ROOT, process.argv[1] ?? '');
const name = `${process.pid}-${threadId}`;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The production files of which a function ran since the last time. The top level of a module is no function. */
const takeFiles = (): string[] => {
  const files: string[] = [];
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error;
    for (const { url, functions } of coverage.result) {
      const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
      if (!/^(?:apps|packages)\/[^/]+\/src\//.test(path)) continue;
      const ran = functions.some(
        ({ functionName, ranges: [range] }) => range !== undefined && range.count > 0 && !(functionName === '' && range.startOffset === 0),
      );
      if (ran) files.push(path);
    }
  });
  return files;
};

const note = (phase: string): void => {
  const path = `${FOLDER}/${phase}-${name}.json`;
  writeFileSync(`${path}.new`, JSON.stringify({ program, files: takeFiles() }));
  renameSync(`${path}.new`, path);
};

const readPhase = (): string => (existsSync(`${FOLDER}/phase`) ? readFileSync(`${FOLDER}/phase`, 'utf8') : '');

let phase = readPhase();
writeFileSync(`${FOLDER}/alive-${name}`, program);
setInterval(() => {
  const next = readPhase();
  if (next === phase) return;
  note(phase);
  phase = next;
}, POLL_MS).unref();
process.on('exit', () => {
  note(phase);
  rmSync(`${FOLDER}/alive-${name}`);
});
