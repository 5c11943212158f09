import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError, type Logger } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { type Binaries, programPath } from './binaries.ts';
import { SYSTEM_FOLDER } from './data-place.ts';
import { findClosedFolder, type ServerUser } from './os-user.ts';

const run = promisify(execFile);

/** `installed`, or a copy of it where `user` can go: made once a version, and whole from the first moment it has its name. */
export const reachableBinaries = async (user: ServerUser, installed: Binaries, log: Logger): Promise<Binaries> => {
  if (user.ids.uid === undefined) return installed;
  const closed = await findClosedFolder(user, programPath(installed, 'postgres'));
  if (closed === undefined) return installed;
  const copy = { ...installed, root: join(SYSTEM_FOLDER, `postgres-${installed.version}`) };
  if (!existsSync(copy.root)) {
    log.info({ closed_folder: closed, place: copy.root }, 'PostgreSQL binaries copied: folder not accessible to the database user');
    await copyWhole(installed.root, copy.root);
  }
  return copy;
};

const copyWhole = async (from: string, to: string): Promise<void> => {
  try {
    await mkdir(SYSTEM_FOLDER, { recursive: true, mode: 0o755 });
    const draft = await mkdtemp(`${to}.`);
    try {
      // cp keeps the links between the libraries; the installed files may be closed to others by a strict umask
      await run('cp', ['-R', '--preserve=links,mode,timestamps', '--', `${from}/.`, draft]);
      await run('chmod', ['-R', 'u=rwX,go=rX', '--', draft]);
      await rename(draft, to);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      if (!existsSync(to)) throw error; // otherwise another starter was first
    }
  } catch (error) {
    throw new FatalError(makeProblem('embedded_database_not_copied', { path: to }), EXIT.configuration, error);
  }
};
