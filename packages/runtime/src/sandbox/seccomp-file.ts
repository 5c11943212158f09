import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSeccompFilter } from './seccomp-filter.ts';

let path: string | undefined;
let isMade = false;

/**
 * Where a program that this process starts can open the filter; undefined on machines that have none. The file has no name any more:
 * it is reached through this process, so nobody can change it and nothing is left behind when the process is killed.
 */
export const seccompFilterPath = (): string | undefined => {
  if (isMade) return path;
  isMade = true;
  const filter = makeSeccompFilter(process.arch);
  return (path = filter && keepOpen(filter));
};

const keepOpen = (filter: Buffer): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-seccomp-'));
  try {
    const file = join(folder, 'filter');
    writeFileSync(file, filter, { mode: 0o400 });
    return `/proc/${process.pid}/fd/${openSync(file, 'r')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
