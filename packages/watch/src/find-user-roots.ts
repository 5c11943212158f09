import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import { ledgerReason } from '@sheaf/contract/imports';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import { openBase } from './base-folder.ts';
import type { WatchDirectoryDeps } from './deps.ts';
import { isDirectoryName, nameBeforeRemoval } from './directory-name.ts';
import { isDirectoryFailed, onDisk, reasonOf } from './errors.ts';
import {
  adoptWatchDirectory,
  listNamesWithoutDirectory,
  listWatchDirectories,
  lockWatchDirectories,
  type OwnedDirectory,
} from './queries/watch-directories.ts';
import { finishRemoval } from './remove-directory.ts';
import { settleAll } from './settle.ts';

/** The directory of one user, as a watched root. */
export interface UserRoot {
  /** Absolute and canonical; it was a folder by itself, no link, when it was looked at. */
  readonly path: string;
  /** What stands before a path below it in the ledger: its name and `/`. */
  readonly ledgerPrefix: string;
  /** Whose it is, or why nothing is taken in for him now. */
  readonly owner: { readonly id: string } | { readonly missing: LedgerReason };
}

/**
 * Answers a function that gives the roots as they are now, one for each directory that is there, to be called at the beginning of
 * each scan. It first puts in order what is open: directories of users who were renamed or deleted, directories that somebody made
 * by hand, what a crash left. What cannot be put in order is logged once, and the other directories are watched all the same.
 * Throws when the database cannot be asked or the base folder cannot be read.
 */
export const findUserRoots = (deps: WatchDirectoryDeps): (() => Promise<readonly UserRoot[]>) => {
  let known: ReadonlySet<string> = new Set();
  return async () => {
    const findings: Finding[] = [];
    const roots = await lookThrough(deps, findings);
    for (const { name, reason } of findings)
      if (!known.has(`${name}: ${reason}`)) deps.log.warn({ name, reason }, 'folder in USER_WATCH_BASE_DIR skipped');
    known = new Set(findings.map(({ name, reason }) => `${name}: ${reason}`));
    return roots;
  };
};

/** Something for people to know, or to put right. */
interface Finding {
  readonly name: string;
  readonly reason: string;
}

const lookThrough = async (deps: WatchDirectoryDeps, findings: Finding[]): Promise<UserRoot[]> => {
  const base = await onDisk('The folder USER_WATCH_BASE_DIR cannot be used', () => openBase(deps.baseFolder));
  await finishRemovals(deps, base, findings);
  findings.push(...(await settleAll(deps, base)));
  const entries = await listBase(base);
  await adoptAll(deps, entries, findings);
  const sights = new Map(entries.map((entry) => [entry.name, entry.isDirectory()]));
  const roots: UserRoot[] = [];
  for (const directory of await listWatchDirectories(deps.db)) {
    const isThere = sights.get(directory.name);
    if (isThere === false) findings.push({ name: directory.name, reason: 'it is a link or a file, not a folder; it is not scanned' });
    else if (isThere === true && directory.owner !== null) roots.push(toRoot(base, directory, directory.owner));
  }
  return roots;
};

const listBase = (base: string): Promise<Dirent[]> =>
  onDisk('The folder USER_WATCH_BASE_DIR cannot be read', () => readdir(base, { withFileTypes: true }));

const disabled = ({ username }: { readonly username: string }): LedgerReason => ledgerReason('owner_disabled', { username });

// Choice: who is disabled keeps his directory, and what is put there waits until he is enabled again.
const toRoot = (base: string, { name }: OwnedDirectory, owner: NonNullable<OwnedDirectory['owner']>): UserRoot => ({
  path: join(base, name),
  ledgerPrefix: `${name}/`,
  owner: owner.disabledAt === null ? { id: owner.id } : { missing: disabled(owner) },
});

/** Removes what was to be removed when the service stopped. */
const finishRemovals = async (deps: WatchDirectoryDeps, base: string, findings: Finding[]): Promise<void> => {
  for (const { name } of await listBase(base)) {
    const before = nameBeforeRemoval(name);
    if (before === undefined) continue;
    try {
      const removed = await finishRemoval(deps, base, name);
      if (removed === undefined) continue;
      const details = { name: before, files: removed.files, never_taken_in: removed.neverTakenIn, resumed: true };
      await recordAudit(deps.db, { action: 'watch_directory.deleted', outcome: 'success', details });
      deps.log.info(details, 'watch folder deleted');
    } catch (error) {
      if (!isDirectoryFailed(error)) throw error;
      findings.push({ name, reason: `deletion failed: ${reasonOf(error)}` });
    }
  }
};

/** Gives directories that somebody made by hand to the users of their names. */
const adoptAll = async (deps: WatchDirectoryDeps, entries: readonly Dirent[], findings: Finding[]): Promise<void> => {
  const taken = new Set((await listWatchDirectories(deps.db)).map(({ name }) => name.toLowerCase()));
  const free = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !taken.has(entry.name.toLowerCase()));
  const names = free.map(({ name }) => name);
  const ofUsers = new Set(await listNamesWithoutDirectory(deps.db, names.filter(isDirectoryName)));
  for (const name of names) {
    if (ofUsers.has(name) && (await adopt(deps, name))) deps.log.info({ name }, 'watch folder assigned to the user of its name');
    else if (!ofUsers.has(name)) findings.push({ name, reason: 'no user without a watch folder has its name; it is not scanned' });
  }
};

const adopt = (deps: WatchDirectoryDeps, name: string): Promise<boolean> =>
  deps.db.transaction(async (tx) => {
    await lockWatchDirectories(tx);
    return adoptWatchDirectory(tx, name);
  });
