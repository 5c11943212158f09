import { readUserFigures } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { plainIssue, validationError } from '@sheaf/contract';
import type { DaysQuery, OcrAnalyticsBody, UserAnalyticsBody } from '@sheaf/contract/operations';
import type { Database, DaySpan, Db, Reach } from '@sheaf/db';
import type { Clock, MemoryCache } from '@sheaf/process';
import { type ReadingFigures, readReadingFigures } from '@sheaf/queue';
import { DEFAULT_DAYS, MAX_DAYS } from '@sheaf/vocabulary/limits';
import type { SystemMeter } from './system-meter.ts';

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

const DAY_MS = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const invalid = (path: string, message: string) => validationError(`${path} ${message}`, { issues: [plainIssue(path, message)] });

/** The days that are asked for. Throws VALIDATION_ERROR for days before the first, for too many, and for two ways to say how many. */
export const toDaySpan = ({ days, from, to }: DaysQuery, now: Date): DaySpan => {
  if (days !== undefined && from !== undefined) throw invalid('days', 'cannot be combined with from');
  const last = Date.parse(to ?? dayOf(now.getTime()));
  const first = from === undefined ? last - ((days ?? DEFAULT_DAYS) - 1) * DAY_MS : Date.parse(from);
  if (first > last) throw invalid('from', 'must not be after to');
  if (last - first >= MAX_DAYS * DAY_MS) throw invalid('from', `and to must be no more than ${MAX_DAYS} days apart`);
  return { from: new Date(first), before: new Date(last + DAY_MS) };
};

/** Each day of `span`, as `2026-11-20`. */
export const daysOf = ({ from, before }: DaySpan): string[] => {
  const days: string[] = [];
  for (let time = from.getTime(); time < before.getTime(); time += DAY_MS) days.push(dayOf(time));
  return days;
};

/** For keys of the cache. */
export const spanName = ({ from, before }: DaySpan): string => `${dayOf(from.getTime())}/${dayOf(before.getTime())}`;

/** Figures about all users; what they have counts as far as it is within `reach`. */
export const userAnalytics = ({ cache, db, clock }: KeptReading, reach: Reach): Promise<UserAnalyticsBody> =>
  keepFigures(cache, 'users', reach, async () => {
    const figures = await readUserFigures(db, reach, clock.now());
    return {
      total: figures.total,
      active_day: figures.activeDay,
      active_week: figures.activeWeek,
      active_month: figures.activeMonth,
      by_role: figures.byRole,
      top_uploaders: figures.topUploaders.map(({ userId, username, documents, bytes }) => ({
        user_id: userId,
        username,
        documents,
        bytes,
      })),
    };
  });

/** What the routes of analytics use. */
export interface AnalyticsServices {
  readonly config: Pick<FixedConfig, 'features'>;
  readonly database: Database;
  /** Figures are kept in it for a while. Who asks is part of the key wherever it makes a difference. */
  readonly cache: MemoryCache;
  readonly systemMeter: Pick<SystemMeter, 'read'>;
  readonly clock: Clock;
}

/** What figures are read from, and kept in. */
export interface KeptReading extends Pick<AnalyticsServices, 'cache' | 'clock'> {
  readonly db: Db;
}

/** Figures are so old at most. */
const MAX_AGE_MS = 30_000;

const AREA = { name: 'analytics', sizeOf: (body: unknown) => 2 * JSON.stringify(body).length, ttlMs: MAX_AGE_MS } as const;

/** Who gets the same figures: all who may see everybody's, and each who may see their own. */
const audienceOf = ({ scope, userId }: Reach): string => (scope === 'own' ? `own ${userId}` : scope);

/** The figures that `read` makes, or those that were made a moment ago for the same reach. */
export const keepFigures = <T>(cache: MemoryCache, what: string, reach: Reach, read: () => Promise<T>): Promise<T> =>
  cache.get<T>(AREA, `${what} ${audienceOf(reach)}`, read);
