import { isUtf8 } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import { ledgerReason } from '@sheaf/contract/imports';
import type { Db } from '@sheaf/db';
import { findLedgerEntries } from '@sheaf/ingest';
import { uuidv7 } from '@sheaf/process';
import { isTakenState } from '@sheaf/vocabulary/documents';
import type { LedgerReason } from '@sheaf/vocabulary/ledger-reasons';
import {
  directoryName,
  type Initiator,
  isDirectoryName,
  nameBeforeRemoval,
  removalName,
  type WatchDirectoryDeps,
} from './describe-directory.ts';
import {
  adoptWatchDirectory,
  directoryFailed,
  findBase,
  findWatchDirectoryByName,
  findWatchDirectoryOfUser,
  isDirectoryFailed,
  keepUser,
  listNamesWithoutDirectory,
  listWatchDirectories,
  lockWatchDirectories,
  lookAt,
  type OwnedDirectory,
  onDisk,
  openBase,
  openDirectory,
  reasonOf,
  syncDirectory,
  tryLockRemoval,
} from './queries/watch-directories.ts';
import { settleAll } from './settle.ts';

/** The directory of one user, as a watched root. */
export interface UserRoot {
  /** Absolute and canonical; it was a folder by itself, no link, when it was looked at. */
  readonly path: string;
  /** What stands before a path below it in the ledger: its name and `/`. */
  readonly ledgerPrefix: string;
  /** Whose it is, or why nothing is imported for them now. */
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
  const directories = new Map(entries.map((entry) => [entry.name, entry.isDirectory()]));
  const roots: UserRoot[] = [];
  for (const directory of await listWatchDirectories(deps.db)) {
    const isThere = directories.get(directory.name);
    if (isThere === false) findings.push({ name: directory.name, reason: 'it is a link or a file, not a folder; it is not scanned' });
    else if (isThere === true && directory.owner !== null) roots.push(toRoot(base, directory, directory.owner));
  }
  return roots;
};

const listBase = (base: string): Promise<Dirent[]> =>
  onDisk('The folder USER_WATCH_BASE_DIR cannot be read', () => readdir(base, { withFileTypes: true }));

const disabled = ({ username }: { readonly username: string }): LedgerReason => ledgerReason('owner_disabled', { username });

// Choice: who is disabled keeps their directory, and what is put there waits until they are enabled again.
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
      const details = { name: before, files: removed.files, never_taken_in: removed.neverImported, resumed: true };
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

/** What went with a directory. */
export interface RemovedFiles {
  readonly files: number;
  /** How many of them no document was made of. */
  readonly neverImported: number;
}

type Removal =
  | { readonly kind: 'absent' }
  /** `removed` is undefined where somebody else, who came upon it first, is emptying it. */
  | { readonly kind: 'removed'; readonly removed: RemovedFiles | undefined };

/**
 * Removes the directory of a user with its contents, as far as it is there: out of use at once, then emptied. What a crash leaves
 * the watcher removes. The files are in the ledger still, so that a copy that is brought back is known. Throws USER_NOT_FOUND and
 * WATCH_DIRECTORY_FAILED.
 */
export const removeDirectory = async (deps: WatchDirectoryDeps, userId: string, by: Initiator): Promise<Removal> => {
  const base = await onDisk(CANNOT_REMOVE, () => findBase(deps.baseFolder));
  const name = await deps.db.transaction(async (tx) => {
    const user = await keepUser(tx, userId);
    await lockWatchDirectories(tx);
    const current = await nameOf(tx, user);
    return current === undefined ? undefined : takeOutOfUse(tx, base, { userId, name: current }, by);
  });
  if (name === undefined) return { kind: 'absent' };
  try {
    return { kind: 'removed', removed: await finishRemoval(deps, base, name) };
  } catch (error) {
    if (!isDirectoryFailed(error)) throw error;
    throw directoryFailed(
      `The watch folder is disabled, but some of its files could not be deleted: ${reasonOf(error)}. Deletion is retried at every scan. See the log of the watcher.`,
      error,
    );
  }
};

const CANNOT_REMOVE = 'The watch folder could not be deleted';

/** What their directory is called, also one that is not noted yet; undefined where another one has that name. */
const nameOf = async (tx: Db, { id, username }: { readonly id: string; readonly username: string }): Promise<string | undefined> => {
  const own = await findWatchDirectoryOfUser(tx, id);
  if (own !== undefined) return own.name;
  return (await findWatchDirectoryByName(tx, username)) === undefined ? directoryName(username) : undefined;
};

/** Gives it the name of one that is being removed; answers that. */
const takeOutOfUse = async (
  tx: Db,
  base: string,
  { userId, name }: { readonly userId: string; readonly name: string },
  by: Initiator,
): Promise<string | undefined> => {
  const to = removalName(name, uuidv7());
  const isTaken = await onDisk(CANNOT_REMOVE, async () => {
    const entryKind = await lookAt(join(base, name));
    if (entryKind === 'other') throw directoryFailed(`${CANNOT_REMOVE}: its path is a link or a file. An administrator must remove it.`);
    if (entryKind === 'absent') return false;
    await rename(join(base, name), join(base, to));
    await syncDirectory(base);
    return true;
  });
  if (!isTaken) return undefined;
  const subject = { type: 'user', id: userId };
  await recordAudit(tx, { ...by, action: 'watch_directory.deleted', outcome: 'success', subject, details: { name } });
  return to;
};

/** Empties and removes what `takeOutOfUse` named `name`; undefined while somebody else is at it, or has done it. */
const finishRemoval = ({ db }: WatchDirectoryDeps, base: string, name: string): Promise<RemovedFiles | undefined> =>
  db.transaction(async (tx) => {
    if (!(await tryLockRemoval(tx, name)) || (await lookAt(join(base, name))) !== 'directory') return undefined;
    const removed = { files: 0, neverImported: 0 };
    const before = nameBeforeRemoval(name) ?? name;
    const onFiles = async (files: readonly GoingFile[]): Promise<void> => {
      removed.files += files.length;
      removed.neverImported += files.length - (await countImported(tx, before, files));
    };
    await onDisk('Some files of the watch folder could not be deleted', async () => {
      await removeTree(join(base, name), { onFiles });
      await syncDirectory(base);
    });
    return removed;
  });

/** How many files are, as they are now, in a document. Names that are no UTF-8 count as not: better one warning too many. */
const countImported = async (tx: Db, name: string, files: readonly GoingFile[]): Promise<number> => {
  const byPath = new Map(files.flatMap((file) => (file.path === undefined ? [] : [[`${name}/${file.path}`, file]])));
  const entries = await findLedgerEntries(tx, 'user_watch', [...byPath.keys()]);
  return entries.filter(({ path, state, sizeBytes, modifiedAt }) => {
    const file = byPath.get(path);
    return isTakenState(state) && sizeBytes === file?.sizeBytes && modifiedAt?.getTime() === file.modifiedMs;
  }).length;
};

/** A file that is about to go. */
interface GoingFile {
  /** Below the folder; undefined where a name is no UTF-8, which the ledger writes in its own way. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

interface TreeRemoval {
  /** Called for files before they go, some at a time. */
  readonly onFiles: (files: readonly GoingFile[]) => Promise<void>;
}

/** A folder inside the one that is removed, with what it was called below it at first. */
interface Inner {
  readonly name: Buffer | string;
  readonly path: string | undefined;
}

const AT_ONCE = 256;
/** Somebody may still be writing; what they write goes as well, but not for ever. */
const MAX_PASSES = 5;

/**
 * Removes a folder with all that is in it. No link is followed, also none that takes the place of a folder while this runs: each
 * folder is opened as what it is and emptied through that. Folders are brought to the top before they are emptied, so that no depth
 * of them needs more than two of them open. Throws what the file system says; then the rest is still there.
 */
export const removeTree = async (path: string, removal: TreeRemoval): Promise<void> => {
  await using top = await openDirectory(path);
  const topPath = `/proc/self/fd/${top.fd}`;
  const moved = { count: 0 };
  for (let pass = 1; ; pass += 1) {
    const waiting = await emptyFolder(topPath, '', removal, async (name, below) => ({ name, path: below }));
    for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop())
      waiting.push(...(await removeInner(topPath, inner, removal, moved)));
    if (await tryRmdir(path, pass)) return;
  }
};

/** Empties and removes a folder that lies at the top; answers the folders that were in it, which lie there now. */
const removeInner = async (topPath: string, { name, path }: Inner, removal: TreeRemoval, moved: { count: number }): Promise<Inner[]> => {
  const place = at(topPath, name);
  const found: Inner[] = [];
  for (let pass = 1; ; pass += 1) {
    await using folder = await openDirectory(place);
    const folderPath = `/proc/self/fd/${folder.fd}`;
    found.push(
      ...(await emptyFolder(folderPath, path, removal, async (child, below) => {
        moved.count += 1;
        const free = `.${process.pid}-${Date.now()}-${moved.count}`;
        await rename(at(folderPath, child), at(topPath, free));
        return { name: free, path: below };
      })),
    );
    if (await tryRmdir(place, pass)) return found;
  }
};

/** Unlinks what is no folder; answers the folders after `take` has seen to each. */
const emptyFolder = async (
  folderPath: string,
  path: string | undefined,
  { onFiles }: TreeRemoval,
  take: (name: Buffer, below: string | undefined) => Promise<Inner>,
): Promise<Inner[]> => {
  // The types of Node do not know that names come as bytes here.
  const entries = (await readdir(folderPath, { withFileTypes: true, encoding: 'buffer' })) as unknown as Dirent<Buffer>[];
  const folders: Inner[] = [];
  for (const entry of entries) if (entry.isDirectory()) folders.push(await take(entry.name, below(path, entry.name)));
  const files = entries.filter((entry) => !entry.isDirectory());
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const some = files.slice(start, start + AT_ONCE);
    const going = await Promise.all(some.map(({ name }) => unlessMissing(() => factsOf(folderPath, path, name))));
    await onFiles(going.filter((file) => file !== undefined));
    await Promise.all(some.map(({ name }) => unlessMissing(() => unlink(at(folderPath, name)))));
  }
  return folders;
};

/** Undefined for a file that somebody else has taken away meanwhile. */
const unlessMissing = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const factsOf = async (folderPath: string, path: string | undefined, name: Buffer): Promise<GoingFile> => {
  const { size, mtimeMs } = await lstat(at(folderPath, name));
  return { path: below(path, name), sizeBytes: size, modifiedMs: Math.floor(mtimeMs) };
};

const at = (folderPath: string, name: Buffer | string): Buffer | string =>
  typeof name === 'string' ? join(folderPath, name) : Buffer.concat([Buffer.from(`${folderPath}/`), name]);

const below = (path: string | undefined, name: Buffer): string | undefined => {
  if (path === undefined || !isUtf8(name)) return undefined;
  return path === '' ? name.toString('utf8') : `${path}/${name.toString('utf8')}`;
};

const tryRmdir = async (path: Buffer | string, pass: number): Promise<boolean> => {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (pass < MAX_PASSES && (error as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false;
    throw error;
  }
};
