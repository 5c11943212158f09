import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { compareEntries, repairEntry } from './search-entries.ts';

/**
 * To be raised when `indexDocument` writes another entry for a document than before. Those of documents that are there are renewed then, in
 * the background, so that they are found as new ones are.
 */
const ENTRY_VERSION = 1;

/** Documents in one round, some 0.2 s of the database; then it is left to others for so long. */
const BATCH = 50;
const PAUSE_MS = 1_000;
const LOG_EVERY = 5_000;

/** What is reported of it. */
interface RenewalLog {
  info(facts: object, message: string): void;
}

interface Renewal extends Record<string, unknown> {
  readonly position: string | null;
  readonly compared: number;
  readonly renewed: number;
  readonly is_finished: boolean;
}

const readRenewal = async (db: Db): Promise<Renewal | undefined> =>
  (
    await db.execute<Renewal>(sql`
      select position, compared, renewed, finished_at is not null as is_finished from search_renewals where version = ${ENTRY_VERSION}`)
  ).rows[0];

/** Whether entries of earlier versions may be there still. They are no damage. */
export const isRenewingEntries = async (db: Db): Promise<boolean> => (await readRenewal(db))?.is_finished !== true;

const beginRenewal = async (db: Db): Promise<Renewal> => {
  await db.execute(sql`insert into search_renewals (version) values (${ENTRY_VERSION}) on conflict do nothing`);
  // what lies in the trash gets its entry, of this version, when it is restored
  await db.execute(sql`
    with gone as (delete from document_search where is_trashed returning document_id)
    delete from document_search_parts where document_id in (select document_id from gone)`);
  return { position: null, compared: 0, renewed: 0, is_finished: false };
};

/**
 * Compares the entries of the next documents with those that this version writes, and renews those that differ. Returns how long to wait for
 * the next round; undefined when all have been compared. A document that somebody holds is about to get its entry. Several processes
 * may do so at once, and one may end at any time: what it had not noted is compared again.
 */
export const renewEntries = async (db: Db, log: RenewalLog): Promise<number | undefined> => {
  const { position, compared, renewed, is_finished: isFinished } = (await readRenewal(db)) ?? (await beginRenewal(db));
  if (isFinished) return undefined;
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from documents where status in ('completed', 'failed') and ${position === null ? sql`true` : sql`id > ${position}`}
    order by id limit ${BATCH}`);
  const ids = rows.map(({ id }) => id);
  const last = ids.at(-1);
  if (last === undefined) {
    await db.execute(sql`update search_renewals set finished_at = now() where version = ${ENTRY_VERSION} and finished_at is null`);
    if (renewed > 0) log.info({ documents: compared, renewed }, 'search entries of earlier versions renewed');
    return undefined;
  }
  const differences = await compareEntries(db, ids);
  for (const difference of differences) await repairEntry(db, difference);
  await db.execute(sql`
    update search_renewals set position = ${last}, compared = compared + ${ids.length}, renewed = renewed + ${differences.length}
    where version = ${ENTRY_VERSION} and position is not distinct from ${position}::uuid`);
  if (Math.floor(compared / LOG_EVERY) < Math.floor((compared + ids.length) / LOG_EVERY))
    log.info({ documents: compared + ids.length, renewed: renewed + differences.length }, 'renewing search entries of earlier versions');
  return PAUSE_MS;
};
