import type { Db } from '@sheaf/db';
import { eq, sql } from '@sheaf/db/drizzle';
import { settings } from '@sheaf/db/schema';
import { CHANNELS } from '@sheaf/vocabulary/events';

/** Begins the keys of hosts that take no new jobs. The claim reads them in its own statement. */
export const DRAINED_HOST = 'ocr_drained_host.';

/** Lets the workers of a host take nothing new, or take jobs again. What is being read is read to its end. */
export const setHostDrained = async (tx: Db, host: string, isDrained: boolean): Promise<void> => {
  const key = DRAINED_HOST + host;
  if (isDrained) await tx.insert(settings).values({ key, value: true }).onConflictDoNothing();
  else await tx.delete(settings).where(eq(settings.key, key));
  await tx.execute(sql`select pg_notify(${CHANNELS.jobs}, '')`);
};

export const listDrainedHosts = async (db: Db): Promise<ReadonlySet<string>> => {
  const rows = await db.select({ key: settings.key }).from(settings).where(sql`starts_with(${settings.key}, ${DRAINED_HOST})`);
  return new Set(rows.map(({ key }) => key.slice(DRAINED_HOST.length)));
};

/** How many documents each host is reading. A worker calls itself by its host first, then a colon. */
export const countJobsOfHosts = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await db.execute<{ host: string; jobs: number }>(sql`
    select split_part(lease_by, ':', 1) as host, count(*)::int as jobs from ocr_jobs
    where status = 'processing' and lease_until > now() group by 1`);
  return new Map(rows.map(({ host, jobs }) => [host, jobs]));
};
