import { type AppError, forbidden, makeIssue, validationError } from '@sheaf/contract';
import type { SourceSettings } from '@sheaf/contract/sources';
import { findInRoots } from '@sheaf/file-tree';
import type { IssueCode } from '@sheaf/vocabulary/issue-codes';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { SourceType } from '@sheaf/vocabulary/sources';

const pathIssue = (code: IssueCode, message: string): AppError =>
  validationError(`Invalid body: settings.path: ${message}`, { issues: [makeIssue('settings.path', code, message)] });

const notInside = (): AppError => pathIssue('outside_roots', 'is not a folder inside LOCAL_SOURCE_ROOTS');

/** Whatever is wrong with it: what is outside is not told from what is not there. */
const isInside = async (path: string, roots: readonly string[]): Promise<boolean> => {
  try {
    return (await findInRoots(path, roots)).kind === 'inside';
  } catch {
    return false; // not to be entered, a circle of links: no folder for us in any case
  }
};

/**
 * Throws VALIDATION_ERROR where the folder of a local_folder source is not inside one of `roots`, or by a link only, and FORBIDDEN
 * where it is not for the caller to name one. For sources of other types it does nothing.
 */
export const requireLocalFolder = async (
  { type, settings }: { readonly type: SourceType; readonly settings: SourceSettings },
  roots: readonly string[],
  principal: Principal,
): Promise<void> => {
  if (type !== 'local_folder') return;
  // Choice: such a source reads the server's own disk, so it is for those who look after everybody's sources.
  if (scopeOf(principal.permissions, 'sources.update') !== 'all')
    throw forbidden('Sources of type local_folder require the permission sources.update for all sources.', {
      reason: 'local_folder_not_yours',
    });
  if (roots.length === 0) throw pathIssue('no_roots', 'is not allowed: LOCAL_SOURCE_ROOTS is empty');
  if (!(await isInside(settings.path ?? '', roots))) throw notInside();
};
