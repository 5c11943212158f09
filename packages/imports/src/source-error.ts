import { getSystemErrorMap } from 'node:util';

/**
 * Why something failed, for the report of an import and its error, which are shown to users. What the system says is named without the
 * path that it says it of: paths of the server are no part of an answer.
 */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : 0;
  const [code, text] = getSystemErrorMap().get(errno) ?? [];
  return code === undefined || text === undefined ? error.message : `${text} (${code})`;
};

/** The archive cannot be imported as it is; the message says what to do. */
export class ImportSourceError extends Error {
  override readonly name = 'ImportSourceError';
}
