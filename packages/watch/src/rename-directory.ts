import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { isSamePlace, lookAt, syncDirectory } from './base-folder.ts';
import type { Initiator } from './deps.ts';
import { onDisk } from './errors.ts';
import type { Outcome } from './outcome.ts';
import { findWatchDirectoryByName, type OwnedDirectory, renameWatchDirectory } from './queries/watch-directories.ts';

export interface Renaming {
  readonly base: string;
  readonly directory: OwnedDirectory;
  readonly to: string;
  readonly by?: Initiator | undefined;
}

/**
 * Gives a directory another name, first on disk and then in the table. Killed in between, it finds the old name gone and the new
 * one there, and only writes down what is so. What somebody else has under the new name is not touched.
 */
export const renameDirectory = async (tx: Db, renaming: Renaming): Promise<Outcome> => {
  const { base, directory, to, by } = renaming;
  const rival = await findWatchDirectoryByName(tx, to);
  const isTaken = rival !== undefined && rival.id !== directory.id;
  const reason = isTaken
    ? `${to} is the watch folder of another user`
    : await onDisk('The watch folder could not be renamed', () => move(base, directory.name, to));
  if (reason !== undefined) return { kind: 'stuck', name: directory.name, reason };
  await renameWatchDirectory(tx, directory, to);
  await recordAudit(tx, {
    ...by,
    action: 'watch_directory.renamed',
    outcome: 'success',
    subject: { type: 'user', id: directory.owner?.id ?? directory.id },
    details: { from: directory.name, to },
  });
  return { kind: 'settled', moved: { name: directory.name, to } };
};

/** Renames it on disk, if it is there and nothing else is under the new name; else says why not. */
const move = async (base: string, name: string, to: string): Promise<string | undefined> => {
  const [from, target] = [join(base, name), join(base, to)];
  if ((await lookAt(from)) !== 'directory') return undefined;
  if ((await lookAt(target)) !== 'absent' && !(await isSamePlace(from, target)))
    return `its user was renamed to ${to}, but that path already exists; move it away`;
  await rename(from, target);
  await syncDirectory(base);
  return undefined;
};
