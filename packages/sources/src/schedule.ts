import { type SQL, sql } from '@sheaf/db/drizzle';
import type { Source } from '@sheaf/db/schema';

type Interval = Pick<Source, 'syncIntervalSeconds'>;

/** How long after a sync of a source the next one is due, in milliseconds; 0 where it syncs on request alone. */
export const intervalMsOf = ({ syncIntervalSeconds }: Interval): number => syncIntervalSeconds * 1_000;

/** When a new source is synced first: at once, or null where it syncs on request alone. */
export const firstSyncAt = (source: Interval, now: Date): Date | null => (intervalMsOf(source) === 0 ? null : now);

/** When one that gets `fields` is synced next. `isNewTry` says that what is changed may mend what has failed before. */
export const nextSyncAtAfterChange = (
  source: Source,
  fields: Interval & Pick<Source, 'isEnabled'>,
  { isNewTry, now }: { readonly isNewTry: boolean; readonly now: Date },
): Date | null => {
  const intervalMs = intervalMsOf(fields);
  if (intervalMs === 0) return null;
  if (isNewTry || (fields.isEnabled && !source.isEnabled)) return now;
  if (intervalMs === intervalMsOf(source)) return source.nextSyncAt;
  return source.lastSyncAt === null ? now : new Date(source.lastSyncAt.getTime() + intervalMs);
};

/** For an update of `sources`: an interval from now, or null where a source syncs on request alone. */
export const SYNC_AT_AFTER_INTERVAL: SQL = sql`case when sync_interval_seconds > 0 then now() + sync_interval_seconds * interval '1 second' end`;
