import { systemCode } from '@sheaf/file-tree';
import { SourceError } from '../source-error.ts';

const NO_RIGHT = new Set(['EACCES', 'EPERM']);

/** What an error of the file system means for a source. Anything else stays as it is. */
export const toFolderFailure = (error: unknown): unknown => {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return noFolder(error);
  if (NO_RIGHT.has(code)) {
    return new SourceError('unauthorized', 'This service has no right to read the folder. Give it that right.', { cause: error });
  }
  return new SourceError('server_error', `The file system of the folder answers ${code}. It is asked again later.`, { cause: error });
};

export const noFolder = (cause?: unknown): SourceError =>
  new SourceError('not_found', 'The folder is not there. Check its path, and whether what holds it is mounted.', { cause });

export const outsideRoots = (): SourceError =>
  new SourceError(
    'refused',
    'The folder lies inside none of those that LOCAL_SOURCE_ROOTS names, or is reached by a link only. Give the path of the folder itself.',
  );
