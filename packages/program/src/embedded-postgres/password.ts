import { createHash } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secret } from '@sheaf/contract';
import type { Logger } from '@sheaf/process';
import type { Binaries } from './binaries.ts';
import type { DataPlace } from './data-place.ts';
import type { ServerUser } from './os-user.ts';
import { runSingleUser } from './single-user.ts';

/** Tells whether the superuser's password is the configured one. The password is random, so its hash gives nothing away. */
export const passwordMark = (password: Secret): string => createHash('sha256').update(password.reveal()).digest('hex');

const markPath = (dataPath: string): string => join(dataPath, 'sheaf-password.sha256');

export const writePasswordMark = async (user: ServerUser, dataPath: string, mark: string): Promise<void> => {
  await writeFile(markPath(dataPath), `${mark}\n`, { mode: 0o600 });
  const { uid, gid } = user.ids;
  if (uid !== undefined && gid !== undefined) await chown(markPath(dataPath), uid, gid);
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Sets the superuser's password when the configured one has changed since, such as after the secrets were made anew. */
export const keepPassword = async (
  place: DataPlace,
  binaries: Binaries,
  superuser: string,
  password: Secret,
  log: Logger,
): Promise<void> => {
  const mark = passwordMark(password);
  const found = await readFile(markPath(place.path), 'utf8').catch(() => '');
  if (found.trim() === mark) return;
  log.warn({ place: place.path }, 'password of the embedded database changed, updating it');
  await runSingleUser(place.user, binaries, place.path, `ALTER ROLE ${superuser} PASSWORD ${quoted(password.reveal())};\n`);
  await writePasswordMark(place.user, place.path, mark);
};
