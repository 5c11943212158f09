import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const WEBDAV_USER = 'ada';
export const WEBDAV_PASSWORD = 'päss "word" with: everything';
/** For those who do not go beyond ASCII, or end a password at a colon. */
export const PLAIN_WEBDAV_PASSWORD = 'pass word';

/** A WebDAV server on loopback over a folder of this machine: what is written there is what it serves. */
export interface WebdavFolder extends AsyncDisposable {
  /** Of the root, ending with a slash. */
  readonly url: string;
  readonly folder: string;
  /** Of WEBDAV_USER. */
  readonly password: string;
}

/** A temporary folder with `files` in it, which a server that runs as another user may read. */
export const makeServedFolder = async (name: string): Promise<{ readonly base: string; readonly folder: string }> => {
  const base = await mkdtemp(join(tmpdir(), `sheaf-${name}-`));
  await chmod(base, 0o755);
  const folder = join(base, 'files');
  await mkdir(folder);
  return { base, folder };
};

export const removeServedFolder = (base: string): Promise<void> => rm(base, { recursive: true, force: true });
