import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps a file open that has no name any more, and returns where a program that this process starts can open it: nobody can change it,
 * and nothing is left behind when the process is killed.
 */
export const openNamelessFile = (content: Buffer | string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-sandbox-'));
  try {
    const file = join(folder, 'file');
    writeFileSync(file, content, { mode: 0o400 });
    return `/proc/${process.pid}/fd/${openSync(file, 'r')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
