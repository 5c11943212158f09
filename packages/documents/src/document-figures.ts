import type { Db } from '@sheaf/db';
import { type DaySpan, dayOf, nameOfDay, type Reach, within } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import { MAX_COUNTED_LABELS } from '@sheaf/vocabulary/limits';
import { talliedByLabel, talliedByStatus } from './document-tallies.ts';

export interface DocumentFigures {
  readonly total: number;
  readonly storageBytes: number;
  /** Without those of which there are none, as in the others. */
  readonly byStatus: Readonly<Partial<Record<DocumentStatus, number>>>;
  readonly byMimeType: Readonly<Record<string, number>>;
  readonly byRoute: Readonly<Record<string, number>>;
  /** By name; those with the most documents. */
  readonly byLabel: Readonly<Record<string, number>>;
  /** Documents that came in, by day as `2026-11-20`. */
  readonly byDay: Readonly<Record<string, number>>;
}

interface FiguresRow extends Record<string, unknown> {
  readonly total: number;
  readonly bytes: number;
  readonly statuses: Record<string, number> | null;
  readonly mime_types: Record<string, number> | null;
  readonly routes: Record<string, number> | null;
  readonly labels: Record<string, number> | null;
  readonly days: Record<string, number> | null;
}

/** What documents there are within `reach`, of one moment. Reads tallies and indexes alone. */
export const readDocumentFigures = async (db: Db, reach: Reach, { from, before }: DaySpan): Promise<DocumentFigures> => {
  const isWithin = within(reach, documents.ownerId);
  const { rows } = await db.execute<FiguresRow>(sql`
    with kinds as (
      -- by owner as well, though nobody asks: so it is added up in the order of the index, in half the time
      select owner_id, mime_type, source, count(*) as documents, sum(size_bytes) as bytes
      from ${documents} where ${isWithin} group by owner_id, mime_type, source
    ), days as (
      select ${dayOf(sql`created_at`)} as day, count(*) as documents
      from ${documents} where created_at >= ${from} and created_at < ${before} and ${isWithin} group by day
    ), labelled as (
      select name, sum(documents)::int as documents from (${talliedByLabel(reach)}) as counted join labels on labels.id = label_id group by name
      order by documents desc, name limit ${MAX_COUNTED_LABELS}
    )
    select (select coalesce(sum(documents), 0)::int from kinds) as total,
      (select coalesce(sum(bytes), 0)::float8 from kinds) as bytes,
      (select json_object_agg(status, documents) from (${talliedByStatus(reach)}) as counted) as statuses,
      (select json_object_agg(mime_type, documents) from (select mime_type, sum(documents) as documents from kinds group by 1 order by 1) as k) as mime_types,
      (select json_object_agg(source, documents) from (select source, sum(documents) as documents from kinds group by 1 order by 1) as k) as routes,
      (select json_object_agg(name, documents order by documents desc, name) from labelled) as labels,
      (select json_object_agg(${nameOfDay}, documents) from days) as days`);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate returned no row');
  return {
    total: row.total,
    storageBytes: row.bytes,
    byStatus: row.statuses ?? {},
    byMimeType: row.mime_types ?? {},
    byRoute: row.routes ?? {},
    byLabel: row.labels ?? {},
    byDay: row.days ?? {},
  };
};
