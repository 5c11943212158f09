import type { OcrAnalyticsBody } from '@sheaf/contract/operations';
import type { DaySpan, Reach } from '@sheaf/db';
import { type ReadingFigures, readReadingFigures } from '@sheaf/queue';
import type { KeptReading } from './analytics-services.ts';
import { daysOf, spanName } from './day-span.ts';
import { keepFigures } from './kept-figures.ts';

export interface ReadingAnalytics {
  readonly ocr: OcrAnalyticsBody;
  readonly failuresByReason: Readonly<Record<string, number>>;
}

const sum = <T>(rows: readonly T[], valueOf: (row: T) => number): number => rows.reduce((total, row) => total + valueOf(row), 0);

/** Of `spentMs` in all, in seconds. */
const averageOf = (spentMs: number, readings: number): number => (readings === 0 ? 0 : spentMs / readings / 1_000);

/** Documents by single language: one that was read in several counts for each. */
const countLanguages = (rows: ReadingFigures['languages']): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const { language, documents } of rows)
    for (const code of new Set(language.split('+'))) counts.set(code, (counts.get(code) ?? 0) + documents);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
};

/** Figures as answers have them: each day of `span`, those without a reading included. */
export const toOcrAnalytics = ({ days, languages }: Pick<ReadingFigures, 'days' | 'languages'>, span: DaySpan): OcrAnalyticsBody => {
  const byDay = new Map(days.map((row) => [row.day, row]));
  const completed = sum(days, (row) => row.completed);
  const processed = completed + sum(days, (row) => row.failed);
  const pages = new Map<string, number>();
  for (const row of languages) pages.set(row.day, (pages.get(row.day) ?? 0) + row.pages);
  return {
    total_processed: processed,
    success_rate: processed === 0 ? 0 : completed / processed,
    average_processing_time: averageOf(
      sum(days, (row) => row.spentMs),
      processed,
    ),
    languages_used: countLanguages(languages),
    daily_stats: daysOf(span).map((date) => {
      const { completed: done = 0, failed = 0, spentMs = 0 } = byDay.get(date) ?? {};
      return {
        date,
        processed: done + failed,
        failed,
        average_processing_time: averageOf(spentMs, done + failed),
        pages: pages.get(date) ?? 0,
      };
    }),
  };
};

/** How readings ended, of the documents within `reach`. */
export const readingAnalytics = (services: KeptReading, reach: Reach, span: DaySpan): Promise<ReadingAnalytics> =>
  keepFigures(services.cache, `readings ${spanName(span)}`, reach, async () => {
    const figures = await readReadingFigures(services.db, reach, span);
    return { ocr: toOcrAnalytics(figures, span), failuresByReason: figures.failures };
  });
