import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolder } from '@sheaf/process/machine';

export interface Scratch extends AsyncDisposable {
  readonly path: string;
}

export type ScratchKind = 'extractor' | 'document' | 'thumbnail' | 'einvoice' | 'pictures';

/** A new name that tells whose folder it is. */
export const scratchName = (kind: ScratchKind): string => `${kind}-${process.pid}-${randomUUID()}`;

/** A folder of its own under `parent`, gone when disposed. Its name tells whose it is, and what for where `label` says it. */
export const openScratch = async (parent: string, kind: ScratchKind, label = ''): Promise<Scratch> => {
  const path = await mkdtemp(join(parent, `${kind}-${process.pid}-${label}-`));
  return {
    path,
    [Symbol.asyncDispose]: () => removeFolder(path),
  };
};

/** A copy of a stored picture in a scratch folder, which programs may be lent: the picture itself stays out of their reach. */
export const copyPicture = async (path: string, scratchPath: string): Promise<string> => {
  const copy = join(scratchPath, 'picture');
  await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return copy;
};

const SCRATCH_NAME = /^(?:extractor|document|thumbnail|einvoice|pictures)-(\d+)-/;

/** Removes what processes left behind that were killed. */
export const sweepScratch = async (parent: string): Promise<void> => {
  for (const name of await readdir(parent)) {
    const pid = Number(SCRATCH_NAME.exec(name)?.[1] ?? process.pid);
    if (!isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's, but alive
  }
};
