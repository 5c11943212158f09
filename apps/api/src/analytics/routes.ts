import { readUserFigures } from '@sheaf/accounts/users';
import type { FixedConfig } from '@sheaf/config';
import { forbidden, plainIssue, validationError } from '@sheaf/contract';
import {
  type DaysQuery,
  type DocumentAnalyticsBody,
  daysQuery,
  documentAnalyticsBody,
  type OcrAnalyticsBody,
  ocrAnalyticsBody,
  processingAnalyticsBody,
  type SystemAnalyticsBody,
  systemAnalyticsBody,
  systemMetricsBody,
  type UserAnalyticsBody,
  userAnalyticsBody,
} from '@sheaf/contract/operations';
import { type Database, type DaySpan, type Db, figuresReach, type Reach } from '@sheaf/db';
import { type DocumentFigures, type FilingFigures, readDocumentFigures, readFilingFigures } from '@sheaf/documents';
import type { Clock, MemoryCache } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import { type ReadingFigures, readQueueStatus, readReadingFigures } from '@sheaf/queue';
import { DOCUMENT_STATUSES, type DocumentStatus } from '@sheaf/vocabulary/documents';
import { type HealthStatus, worst } from '@sheaf/vocabulary/health';
import { DEFAULT_DAYS, MAX_DAYS } from '@sheaf/vocabulary/limits';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { type KnownProcess, sortProcesses } from '../health/process-rows.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { jsonRoute, type Route } from '../http/route.ts';
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

const DAYS = 'Daily figures cover every day in UTC: the last 30 days, or `days`, or `from` and `to`, at most 366.';
const REACH = 'Covers the documents visible to the caller; with `analytics.read.own`, only own documents. Cached for up to 30 seconds.';

/** What concerns the whole service is not for those who may see figures of their own. */
const requireAll = ({ permissions }: Principal, action: Action): void => {
  if (scopeOf(permissions, action) !== 'all') throw forbidden(`Permission ${action} required, not limited to own resources.`);
};

const documents = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/documents',
    access: 'analytics.read',
    mayReadReplica: true,
    summary: 'Get document counts by status, type, label, origin, year, correspondent and document type, and uploads per day',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    response: documentAnalyticsBody,
    handle: async ({ query, principal, context: { db } }) =>
      documentAnalytics({ ...services, db }, figuresReach(principal), toDaySpan(query, services.clock.now())),
  });

const processing = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/processing',
    access: 'analytics.read',
    mayReadReplica: true,
    summary: 'Get processing results per day, failures by reason, and the current queue',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    response: processingAnalyticsBody,
    handle: async ({ query, principal, context: { db } }) => {
      const reach = figuresReach(principal);
      const now = services.clock.now();
      const [{ ocr, failuresByReason }, queue] = await Promise.all([
        readingAnalytics({ ...services, db }, reach, toDaySpan(query, now)),
        readQueueStatus(db, reach, now),
      ]);
      return { ...ocr, failures_by_reason: failuresByReason, queue };
    },
  });

const ocr = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/metrics/ocr',
    access: 'analytics.read',
    mayReadReplica: true,
    summary: 'Get OCR results, in total and per day',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    response: ocrAnalyticsBody,
    handle: async ({ query, principal, context: { db } }) =>
      (await readingAnalytics({ ...services, db }, figuresReach(principal), toDaySpan(query, services.clock.now()))).ocr,
  });

const users = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/users',
    access: 'users.read',
    mayReadReplica: true,
    summary: 'Get user counts, active users and top uploaders',
    description: 'For administrators. Covers the documents visible to the caller.',
    response: userAnalyticsBody,
    handle: async ({ principal, context: { db } }) => {
      requireAll(principal, 'users.read');
      return userAnalytics({ ...services, db }, figuresReach(principal));
    },
  });

/** What was not heard of for longer is nobody's process any more. */
const PROCESS_AGE_MS = 60_000;

const toProcess = (row: KnownProcess, status: HealthStatus): SystemAnalyticsBody['processes'][number] => ({
  name: row.name,
  pid: row.pid,
  version: row.version,
  probe_port: row.probePort,
  started_at: row.startedAt.toISOString(),
  seen_at: row.seenAt.toISOString(),
  memory_bytes: row.memoryBytes,
  status,
});

/** Those that run as they say of themselves, and those that fell silent. */
const listAll = async ({ database, clock }: AnalyticsServices): Promise<SystemAnalyticsBody['processes']> => {
  const now = clock.now();
  const { running, silent } = sortProcesses(await listProcesses(database.db, new Date(now.getTime() - PROCESS_AGE_MS)), now);
  return [...running.map((row) => toProcess(row, row.status)), ...silent.map((row) => toProcess(row, worst([row.status, 'warning'])))];
};

const system = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/system',
    access: 'analytics.read',
    summary: 'Get system load and processes of the service',
    description: 'Requires `analytics.read` for all resources.',
    response: systemAnalyticsBody,
    handle: async ({ principal }) => {
      requireAll(principal, 'analytics.read');
      const [metrics, processes] = await Promise.all([services.systemMeter.read(), listAll(services)]);
      return { ...metrics, processes };
    },
  });

const machine = ({ systemMeter }: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/metrics/system',
    access: 'analytics.read',
    summary: 'Get system load',
    description: 'Requires `analytics.read` for all resources.',
    response: systemMetricsBody,
    handle: async ({ principal }) => {
      requireAll(principal, 'analytics.read');
      return systemMeter.read();
    },
  });

export const analyticsRoutes = (services: AnalyticsServices): readonly Route[] =>
  behindFeature('FEATURE_ANALYTICS', services.config.features.analytics, [
    documents(services),
    processing(services),
    users(services),
    system(services),
    machine(services),
    ocr(services),
  ]);

const toBody = (figures: DocumentFigures, filing: FilingFigures, span: DaySpan): DocumentAnalyticsBody => ({
  total: figures.total,
  by_status: Object.fromEntries(DOCUMENT_STATUSES.map((status) => [status, figures.byStatus[status] ?? 0])) as Record<
    DocumentStatus,
    number
  >,
  by_mime_type: figures.byMimeType,
  by_label: figures.byLabel,
  by_source: figures.byRoute,
  by_document_year: filing.byYear,
  by_correspondent: filing.byCorrespondent,
  by_document_type: filing.byDocumentType,
  storage_bytes: figures.storageBytes,
  uploads_per_day: daysOf(span).map((date) => ({ date, count: figures.byDay[date] ?? 0 })),
});

/** What documents there are within `reach`. */
const documentAnalytics = (services: KeptReading, reach: Reach, span: DaySpan): Promise<DocumentAnalyticsBody> =>
  keepFigures(services.cache, `documents ${spanName(span)}`, reach, async () => {
    const [figures, filing] = await Promise.all([readDocumentFigures(services.db, reach, span), readFilingFigures(services.db, reach)]);
    return toBody(figures, filing, span);
  });
