import { systemCode } from '@sheaf/storage/folders';
import { SourceError } from '../source-error.ts';

const NO_RIGHT = new Set(['EACCES', 'EPERM']);

/** What an error of the file system means for a source. Anything else stays as it is. */
export const toFolderFailure = (error: unknown): unknown => {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return noFolder(error);
  if (NO_RIGHT.has(code)) {
    return new SourceError('unauthorized', 'The service has no permission to read the folder. Grant it read access.', { cause: error });
  }
  return new SourceError('server_error', `The file system of the folder returned ${code}. The sync is retried later.`, { cause: error });
};

export const noFolder = (cause?: unknown): SourceError =>
  new SourceError('not_found', 'The folder does not exist. Check the path and whether the file system is mounted.', { cause });

export const outsideRoots = (): SourceError =>
  new SourceError('refused', 'The folder is not inside LOCAL_SOURCE_ROOTS, or its path contains a link. Use the real path of the folder.');
