import type { Db } from '@sheaf/db';
import { type DaySpan, dayOf, nameOfDay, type Reach, within } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';

/** What ended on one day. */
export interface ReadingDay {
  /** As `2026-11-20`, in UTC. */
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
  /** Of both. */
  readonly spentMs: number;
}

/** What was read on one day, in one language or several that are joined by +. */
export interface LanguageDay {
  readonly day: string;
  readonly language: string;
  readonly documents: number;
  readonly pages: number;
}

/** How the readings of some days ended: of each document the last one. Days of none are absent. */
export interface ReadingFigures {
  readonly days: readonly ReadingDay[];
  readonly languages: readonly LanguageDay[];
  readonly failures: Readonly<Record<string, number>>;
}

/** Readings that ended in `span`, of the documents within `reach`. Where that is all of them, nothing but an index is looked at. */
const endedOf = (reach: Reach, { from, before }: DaySpan): SQL => {
  const isThen = sql`ocr_jobs.status in ('completed', 'failed') and ocr_jobs.completed_at >= ${from} and ocr_jobs.completed_at < ${before}`;
  return reach.scope === 'all'
    ? sql`ocr_jobs where ${isThen}`
    : sql`ocr_jobs join ${documents} on documents.id = ocr_jobs.document_id where ${isThen} and ${within(reach, documents.ownerId)}`;
};

interface ReadingDayRow extends Record<string, unknown> {
  readonly day: string;
  readonly completed: number;
  readonly failed: number;
  readonly spent_ms: number;
}

export const readReadingFigures = async (db: Db, reach: Reach, span: DaySpan): Promise<ReadingFigures> => {
  const [ended, languages, failures] = await Promise.all([
    db.execute<ReadingDayRow>(sql`
      select ${nameOfDay} as day, completed, failed, spent_ms from (
        select ${dayOf(sql`ocr_jobs.completed_at`)} as day,
          (count(*) filter (where ocr_jobs.status = 'completed'))::int as completed,
          (count(*) filter (where ocr_jobs.status = 'failed'))::int as failed, sum(spent_ms)::float8 as spent_ms
        from ${endedOf(reach, span)} group by 1) as days`),
    db.execute<LanguageDay & Record<string, unknown>>(sql`
      select ${nameOfDay} as day, language, documents, pages from (
        select ${dayOf(sql`completed_at`)} as day, ocr_language as language, count(*)::int as documents,
          coalesce(sum(page_count), 0)::int as pages
        from ${documents} where status = 'completed' and completed_at >= ${span.from} and completed_at < ${span.before}
          and ${within(reach, documents.ownerId)} group by 1, 2) as days`),
    db.execute<{ code: string; readings: number }>(sql`
      select coalesce(ocr_jobs.error_code, 'unknown') as code, count(*)::int as readings
      from ${endedOf(reach, span)} and ocr_jobs.status = 'failed' group by 1 order by 2 desc, 1`),
  ]);
  return {
    days: ended.rows.map(({ day, completed, failed, spent_ms }) => ({ day, completed, failed, spentMs: spent_ms })),
    languages: languages.rows,
    failures: Object.fromEntries(failures.rows.map(({ code, readings }) => [code, readings])),
  };
};
