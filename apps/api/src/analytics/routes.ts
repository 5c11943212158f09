import { forbidden } from '@sheaf/contract';
import {
  type DocumentAnalyticsBody,
  daysQuery,
  documentAnalyticsBody,
  ocrAnalyticsBody,
  processingAnalyticsBody,
  type SystemAnalyticsBody,
  systemAnalyticsBody,
  systemMetricsBody,
  userAnalyticsBody,
} from '@sheaf/contract/operations';
import { type DaySpan, figuresReach, type Reach } from '@sheaf/db';
import { type DocumentFigures, type FilingFigures, readDocumentFigures, readFilingFigures } from '@sheaf/documents';
import { listProcesses } from '@sheaf/program';
import { readQueueStatus } from '@sheaf/queue';
import { DOCUMENT_STATUSES, type DocumentStatus } from '@sheaf/vocabulary/documents';
import { type HealthStatus, worst } from '@sheaf/vocabulary/health';
import { type Action, type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { type KnownProcess, sortProcesses } from '../health/process-rows.ts';
import { behindFeature } from '../http/feature.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import {
  type AnalyticsServices,
  daysOf,
  type KeptReading,
  keepFigures,
  readingAnalytics,
  spanName,
  toDaySpan,
  userAnalytics,
} from './reading-analytics.ts';

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
