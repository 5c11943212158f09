import type { Config } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { hasLocalDocuments } from '@sheaf/documents';
import type { AlertAudience } from '@sheaf/events/notifications';
import type { PutBackDeps } from '@sheaf/ingest/integrity';
import { constant, type Live } from '@sheaf/process';
import { knownTypes, openOneStorage, openStorage, TempArea } from '@sheaf/storage';

/** What the checks of files need beside the database. */
export interface FileCheckDeps extends PutBackDeps {
  /** Who is told when something is wrong that was not, or right again. */
  readonly alerts: Live<AlertAudience>;
  /** How often a document that is read again may be tried. */
  readonly maxAttempts: number;
  /** Presence and size only, instead of every byte. */
  readonly isFast: boolean;
}

/** What the configuration says of storages and backups, opened; the connections are given back at the end of the scope. */
export const openFileCheckDeps = async (
  { storage: settings, ingest, notifications }: Config,
  db: Db,
  isFast: boolean,
): Promise<FileCheckDeps & AsyncDisposable> => {
  const options = { hasLocalDocuments: () => hasLocalDocuments(db) };
  const storage = await openStorage(settings, options);
  const places = await Promise.all(knownTypes(settings).map((type) => openOneStorage(type, settings, options)));
  return {
    db,
    storage,
    places,
    backupPath: settings.backupPath,
    temp: new TempArea(settings.tempPath),
    alerts: constant(notifications),
    maxAttempts: ingest.maxAttempts,
    isFast,
    [Symbol.asyncDispose]: async () => {
      for (const opened of [storage, ...places]) await opened.close();
    },
  };
};

/** `document 0190...`, or all that share what is damaged. */
export const subjectOf = (documentIds: readonly string[]): string =>
  `${documentIds.length === 1 ? 'document' : 'documents'} ${documentIds.join(', ')}`;

/** Pages of what `list` finds by hash, one item after the other. */
export const eachByHash = async function* <T extends { readonly sha256: string }>(
  db: Db,
  list: (db: Db, after: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after = ''; ; ) {
    const page = await list(db, after, PAGE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.sha256;
  }
};

const PAGE = 500;
