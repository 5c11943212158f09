import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeProblem } from '@sheaf/contract/operations';
import type { Db } from '@sheaf/db';
import { and, desc, eq, gt, ne, sql } from '@sheaf/db/drizzle';
import { documents, processes, settings } from '@sheaf/db/schema';
import { type Clock, type Component, FatalError, type Logger } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { EXIT } from '@sheaf/vocabulary/exit-codes';

/** Tells the folder from others, on whatever host and under whatever path it is mounted. */
const MARK = '.sheaf-folder-id';
const SAMPLE = 5;
/** A process that was silent for longer does not run. */
const SILENCE_MS = 30_000;

interface UploadFolderParts {
  readonly db: Db;
  /** UPLOAD_PATH */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const readMark = (path: string): Promise<string | undefined> =>
  readFile(join(path, MARK), 'utf8').then(
    (text) => text.trim() || undefined,
    () => undefined,
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );

const refusal = (path: string, other: string): FatalError =>
  new FatalError(makeProblem('upload_folder_not_shared', { path, host: other }), EXIT.configuration);

/**
 * Refuses to start with a folder of documents that another running host does not share: what is stored in it would be lost to that one.
 * The folder is known by a mark in it, whose id the database has. Of an older folder, or one that came back from a backup, it is enough
 * that documents of the database are in it.
 */
export const makeUploadFolderCheck = ({ db, path, clock, log }: UploadFolderParts): Component => ({
  name: 'upload-folder',
  start: async () => {
    const mark = await readMark(path);
    const id = await claimUploadFolderId(db, mark ?? randomUUID());
    if (mark === id) return;
    const samples = await someLocalPaths(db, SAMPLE);
    const hasDocuments = (await Promise.all(samples.map(isFile))).includes(true);
    const other = hasDocuments ? undefined : await findOtherHost(db, hostname(), new Date(clock.now().getTime() - SILENCE_MS));
    if (other !== undefined) throw refusal(path, other);
    // where the folder cannot be written to, or has lost its documents, the storage says so by itself
    if (samples.length > 0 && !hasDocuments) return;
    await makeFolder(path)
      .then(() => writeFile(join(path, MARK), `${id}\n`))
      .catch((error: unknown) => log.debug({ err: error }, 'the folder of documents could not be marked'));
  },
  stop: async () => {},
});

const KEY = 'upload_folder_id';

/** The id of the folder that documents are stored in; `proposed` becomes it where there is none yet. */
const claimUploadFolderId = async (db: Db, proposed: string): Promise<string> => {
  await db.insert(settings).values({ key: KEY, value: proposed }).onConflictDoNothing();
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, KEY));
  return String(row?.value);
};

/** Paths of some documents whose bytes are in a folder, the newest first: elsewhere a path has a scheme. */
const someLocalPaths = async (db: Db, limit: number): Promise<readonly string[]> => {
  const rows = await db
    .select({ path: documents.filePath })
    .from(documents)
    .where(sql`${documents.filePath} not like '%://%'`)
    .orderBy(desc(documents.createdAt))
    .limit(limit);
  return rows.map(({ path }) => path);
};

/** Another host that a process was heard of from since `since`. */
const findOtherHost = async (db: Db, host: string, since: Date): Promise<string | undefined> => {
  const [row] = await db
    .select({ host: processes.host })
    .from(processes)
    .where(and(ne(processes.host, host), gt(processes.seenAt, since)))
    .limit(1);
  return row?.host;
};
