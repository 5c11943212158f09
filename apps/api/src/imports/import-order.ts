import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { requireMayChange } from '@sheaf/accounts';
import { findDefaultOwner, findUserById } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, type Issue, invalidInput, makeIssue, permissionNeeded } from '@sheaf/contract';
import type { importOptions } from '@sheaf/contract/imports';
import { type Database, type Db, readRoles } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Clock } from '@sheaf/process';
import { findInRoots } from '@sheaf/storage/folders';
import { missingForImport, type RequestedImportKind } from '@sheaf/vocabulary/imports';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import type { Cursors } from '../http/cursor.ts';

export type ImportOptions = z.infer<typeof importOptions> & { readonly kind: RequestedImportKind };

const refuse = (issue: Issue): AppError => invalidInput('body', [issue]);

/** Imports manage accounts, so only who may do that sees them: throws FORBIDDEN where the caller may not. */
export const requireAdministrator = ({ permissions }: Principal): void => {
  if (scopeOf(permissions, 'users.update') !== 'all') throw permissionNeeded('users.update');
};

/** Throws FORBIDDEN where the caller may not do what an import does. */
export const requireMayImport = ({ permissions }: Principal): void => {
  const missing = missingForImport(permissions);
  if (missing !== undefined) throw permissionNeeded(missing);
};

/** Throws VALIDATION_ERROR where an option belongs to another kind. */
export const requireFittingOptions = ({ kind, passphrase, pattern }: ImportOptions): void => {
  if (passphrase !== undefined && kind !== 'paperless') throw refuse(makeIssue('passphrase', 'not_for_import_kind', { kind }));
  if (pattern !== undefined && kind !== 'folder') throw refuse(makeIssue('pattern', 'not_for_import_kind', { kind }));
};

/**
 * Who gets documents without an owner. Throws VALIDATION_ERROR for a user who does not exist, and FORBIDDEN for one whom the caller may not
 * change.
 */
export const findOwner = async (
  { database: { db }, config }: Pick<ImportServices, 'database' | 'config'>,
  { owner }: Pick<ImportOptions, 'owner'>,
  principal: Principal,
): Promise<string> => {
  if (owner === undefined) return principal.userId;
  const user = await findDefaultOwner(db, owner);
  if (user === undefined) throw refuse(makeIssue('owner', 'no_such_user'));
  await requireMayImportFor(db, config, principal, user);
  return user.id;
};

/** The same for the owner that an earlier import named; the caller where that user was deleted. */
export const findEarlierOwner = async (
  { database: { db }, config }: Pick<ImportServices, 'database' | 'config'>,
  id: string | null,
  principal: Principal,
): Promise<string> => {
  const user = id === null ? undefined : await findUserById(db, id);
  if (user !== undefined) await requireMayImportFor(db, config, principal, user);
  return user?.id ?? principal.userId;
};

/** Only who may change a user gives documents to that user: in the name of others, nobody imports. */
const requireMayImportFor = async (db: Db, config: ImportServices['config'], principal: Principal, user: User): Promise<void> => {
  if (user.id !== principal.userId) requireMayChange(await readRoles(db, config.signIn.roles), principal, user);
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

/** What the routes of imports use. */
export interface ImportServices {
  readonly config: Pick<FixedConfig, 'imports' | 'signIn' | 'storage'>;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
}
