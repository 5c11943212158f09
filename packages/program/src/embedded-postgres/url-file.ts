import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The URL of the running server for the command line tools; whole from the first moment, and for the starter's eyes only. */
export const writeUrlFile = (path: string, url: string): void => {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${url}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600); // a draft left over from a crash keeps its mode
  renameSync(draft, path);
};

export const readUrlFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Removes the file unless another server has written its own URL into it since. */
export const removeUrlFile = (path: string, url: string): void => {
  if (readUrlFile(path) === url) rmSync(path, { force: true });
};
