import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type AppError, type Issue, invalidInput, makeIssue, permissionNeeded } from '@sheaf/contract';
import type { importOptions } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import { findInRoots } from '@sheaf/file-tree';
import { findDefaultOwner } from '@sheaf/users';
import type { RequestedImportKind } from '@sheaf/vocabulary/imports';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';

export type ImportOptions = z.infer<typeof importOptions> & { readonly kind: RequestedImportKind };

const refuse = (issue: Issue): AppError => invalidInput('body', [issue]);

/** An import makes users, administrators among them: throws FORBIDDEN where the caller may not. */
export const requireAdministrator = ({ permissions }: Principal): void => {
  if (scopeOf(permissions, 'users.update') !== 'all') throw permissionNeeded('users.update');
};

/** Throws VALIDATION_ERROR where an option belongs to another kind. */
export const requireFittingOptions = ({ kind, passphrase, pattern }: ImportOptions): void => {
  if (passphrase !== undefined && kind !== 'paperless') throw refuse(makeIssue('passphrase', 'not_for_import_kind', { kind }));
  if (pattern !== undefined && kind !== 'folder') throw refuse(makeIssue('pattern', 'not_for_import_kind', { kind }));
};

/** Who gets documents without an owner. Throws VALIDATION_ERROR for one who is not there. */
export const findOwner = async (db: Db, { owner }: ImportOptions, { userId }: Principal): Promise<string> => {
  if (owner === undefined) return userId;
  const user = await findDefaultOwner(db, owner);
  if (user === undefined) throw refuse(makeIssue('owner', 'no_such_user'));
  return user.id;
};

const isInside = async (path: string, roots: readonly string[]): Promise<string | undefined> => {
  const stats = await lstat(path);
  if (stats.isDirectory()) {
    const found = await findInRoots(path, roots);
    return found.kind === 'inside' ? found.realPath : undefined;
  }
  if (!stats.isFile()) return undefined;
  const found = await findInRoots(dirname(path), roots);
  const real = found.kind === 'inside' ? join(found.realPath, basename(path)) : undefined;
  return real !== undefined && (await realpath(real)) === real ? real : undefined;
};

/** The folder or file at `path`, by its real path, if it lies in one of `roots` and no link below them leads to it. */
export const findImportPath = (path: string, roots: readonly string[]): Promise<string | undefined> =>
  isInside(resolve(path), roots).catch(() => undefined); // what cannot be entered is nothing for us

/** The same. Throws VALIDATION_ERROR where it does not; what is outside is not told from what is not there. */
export const requireImportPath = async (path: string, roots: readonly string[]): Promise<string> => {
  if (roots.length === 0) throw refuse(makeIssue('path', 'no_import_roots'));
  const found = await findImportPath(path, roots);
  if (found === undefined) throw refuse(makeIssue('path', 'outside_import_roots'));
  return found;
};
