import { recordAuditEntries } from '@sheaf/accounts/users';
import { type Db, trashFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { recordEvents } from '@sheaf/events';
import { forEachLimit } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { Actor } from './move-to-trash.ts';

/** Documents of one transaction, and so of one step that a crash can come after. */
const BATCH = 100;
/** Files removed at the same time; each holds a database connection. */
const AT_ONCE = 3;

/** Who removes for good, and how. */
export interface PurgeOptions {
  /** Undefined: the service, as their time is over. */
  readonly by?: Actor | undefined;
  /** Removes stored bytes unless something refers to them; does not throw. */
  readonly removeBytes: (sha256: string) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

interface Purged extends Record<string, unknown> {
  readonly id: string;
  readonly title: string;
  readonly owner_id: string;
  readonly sha256: string;
  readonly files: readonly string[];
}

/** Forgets some documents of the trash that `where` holds for; who reads them at the same moment goes before. */
const purgeRows = async (tx: Db, where: SQL, by: Actor | undefined): Promise<Purged[]> => {
  const { rows } = await tx.execute<Purged>(sql`
    select id, title, owner_id, sha256,
      array(select distinct kept_files.sha256 from kept_files where document_id = trashed_documents.id) as files
    from trashed_documents where ${where} order by trashed_at, id limit ${BATCH} for update skip locked`);
  await tx.execute(sql`delete from trashed_documents where id = any(${sql.param(rows.map(({ id }) => id))}::uuid[])`);
  await recordAuditEntries(
    tx,
    rows.map(({ id, title, owner_id, sha256 }) => ({
      actor: by?.principal,
      address: by?.address,
      action: 'document.purged',
      outcome: 'success',
      subject: { type: 'document', id },
      details: { title, owner_id, sha256, ...(by === undefined ? { reason: 'retention' } : {}) },
    })),
  );
  await recordEvents(
    tx,
    rows.map(({ id, owner_id }) => ({ event: { type: 'document_purged', document_id: id }, ownerId: owner_id })),
  );
  return rows;
};

/** Removes the bytes of purged documents. A crash before its end leaves bytes that nothing refers to, which are swept later. */
const removeAllBytes = (purged: readonly Purged[], removeBytes: PurgeOptions['removeBytes']): Promise<void> =>
  forEachLimit(new Set(purged.flatMap(({ files }) => files)), AT_ONCE, removeBytes);

/** Some at a time, rows first and bytes after the commit; returns how many documents that were. Ends early when it is to stop. */
const purgeWhere = async (db: Db, where: SQL, { by, removeBytes, signal }: PurgeOptions): Promise<number> => {
  let total = 0;
  for (;;) {
    const purged = await db.transaction((tx) => purgeRows(tx, where, by));
    await removeAllBytes(purged, removeBytes);
    total += purged.length;
    if (purged.length < BATCH || signal?.aborted === true) return total;
  }
};

/** Removes one document of the trash for good; false where it is not there any more. */
export const purgeDocument = async (db: Db, id: string, options: PurgeOptions): Promise<boolean> =>
  (await purgeWhere(db, sql`id = ${id}`, options)) > 0;

/** Removes all that `principal` may remove and that was in the trash at `asOf`; returns how many documents. */
export const emptyTrash = (db: Db, principal: Principal, asOf: string, options: PurgeOptions): Promise<number> =>
  purgeWhere(db, sql`${trashFor(principal, 'documents.purge')} and trashed_at <= ${asOf}::timestamptz`, options);

/** Removes all that was moved to the trash before `before`; returns how many documents. */
export const purgeExpired = (db: Db, before: Date, options: PurgeOptions): Promise<number> =>
  purgeWhere(db, sql`trashed_at < ${before.toISOString()}::timestamptz`, options);
