import { systemCode } from '@sheaf/storage/folders';

/** Where a step of a move works. */
export type Side = 'processed' | 'watch';

/** A move that cannot be made now, in words that are the same each time the trouble is the same. */
export class MoveFailure extends Error {
  override readonly name = 'MoveFailure';
}

const NOT_ALLOWED: Readonly<Record<Side, string>> = {
  processed: 'no write permission in the folder of processed files; grant it, or set MOVE_AFTER_PROCESSING=false',
  watch: 'no write permission in the watch folder; grant it, or set MOVE_AFTER_PROCESSING=false',
};
const FOLDER: Readonly<Record<Side, string>> = { processed: 'the folder of processed files', watch: 'the watch folder' };

const reasonOf = (code: string, side: Side): string => {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return NOT_ALLOWED[side];
    case 'ENOSPC':
    case 'EDQUOT':
      return `no space left in ${FOLDER[side]}; free up disk space`;
    case 'ENAMETOOLONG':
    case 'EILSEQ':
    case 'EINVAL':
      return `the file system of ${FOLDER[side]} does not support its name; rename the file`;
    case 'ENOENT':
    case 'ENOTDIR':
      return `a folder in ${FOLDER[side]} was removed`;
    default:
      return `file system error ${code} in ${FOLDER[side]}`;
  }
};

/** Runs a step, and says in words what the file system has against it. Throws MoveFailure. */
export const explaining = async <T>(side: Side, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : new MoveFailure(reasonOf(code, side), { cause: error });
  }
};
