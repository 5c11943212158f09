import { type AppError, invalidInput, makeIssue, reasonedError } from '@sheaf/contract';
import type { SourceSettings } from '@sheaf/contract/sources';
import { findInRoots } from '@sheaf/storage/folders';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { SourceType } from '@sheaf/vocabulary/sources';

const pathError = (code: 'outside_roots' | 'no_roots'): AppError => {
  const issue = makeIssue('settings.path', code);
  return invalidInput('body', [issue]);
};

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
  if (scopeOf(principal.permissions, 'sources.update') !== 'all') throw reasonedError('FORBIDDEN', 'local_folder_not_yours');
  if (roots.length === 0) throw pathError('no_roots');
  if (!(await isInside(settings.path ?? '', roots))) throw pathError('outside_roots');
};
