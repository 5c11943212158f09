import { systemCode } from '@sheaf/file-tree';

/** Where a step of a move works. */
export type Side = 'processed' | 'watch';

/** A move that cannot be made now, in words that are the same each time the trouble is the same. */
export class MoveFailure extends Error {
  override readonly name = 'MoveFailure';
}

const NOT_ALLOWED: Readonly<Record<Side, string>> = {
  processed: 'this process may not write to the processed folder; give it access, or switch MOVE_AFTER_PROCESSING off',
  watch: 'this process may not take it out of its folder; give it write access there, or switch MOVE_AFTER_PROCESSING off',
};
const FOLDER: Readonly<Record<Side, string>> = { processed: 'the processed folder', watch: 'the watch folder' };

const reasonOf = (code: string, side: Side): string => {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return NOT_ALLOWED[side];
    case 'ENOSPC':
    case 'EDQUOT':
      return `there is no room left in ${FOLDER[side]}; free some space`;
    case 'ENAMETOOLONG':
    case 'EILSEQ':
    case 'EINVAL':
      return `the file system of ${FOLDER[side]} does not take its name; give the file another one`;
    case 'ENOENT':
    case 'ENOTDIR':
      return `a folder went away in ${FOLDER[side]}`;
    default:
      return `the file system of ${FOLDER[side]} answers ${code}`;
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
