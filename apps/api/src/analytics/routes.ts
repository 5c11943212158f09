import {
  type Action,
  daysQuery,
  documentAnalyticsBody,
  forbidden,
  type HealthStatus,
  ocrAnalyticsBody,
  type Principal,
  processingAnalyticsBody,
  type SystemAnalyticsBody,
  scopeOf,
  systemAnalyticsBody,
  systemMetricsBody,
  userAnalyticsBody,
  worst,
} from '@sheaf/contract';
import { figuresReach, listProcesses, readQueueStatus } from '@sheaf/db';
import { type KnownProcess, sortProcesses } from '../health/process-rows.ts';
import { behindFeature } from '../http/feature.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import type { AnalyticsServices } from './analytics-services.ts';
import { toDaySpan } from './day-span.ts';
import { documentAnalytics } from './document-analytics.ts';
import { readingAnalytics } from './reading-analytics.ts';
import { userAnalytics } from './user-analytics.ts';

const DAYS =
  'Figures by day are of whole days in UTC, every one of them, also those on which nothing happened: the last 30 days, or `days`, or those `from` one `to` another, 366 at most.';
const REACH =
  'They are about the documents that you may read; with `analytics.read.own`, about your own. The service may answer with figures that are up to 30 seconds old.';

/** What concerns the whole service is not for those who may see figures of their own. */
const requireAll = ({ permissions }: Principal, action: Action): void => {
  if (scopeOf(permissions, action) !== 'all') throw forbidden(`This needs the permission ${action}, and not for your own alone`);
};

const documents = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/documents',
    access: 'analytics.read',
    summary: 'How many documents there are, by state, type, label and way in, and how many came in on each day',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    status: 200,
    response: documentAnalyticsBody,
    handle: async ({ query, principal }) => documentAnalytics(services, figuresReach(principal), toDaySpan(query, services.clock.now())),
  });

const processing = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/processing',
    access: 'analytics.read',
    summary: 'How the reading of documents went on each day, why it failed, and the queue at this moment',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    status: 200,
    response: processingAnalyticsBody,
    handle: async ({ query, principal }) => {
      const { database, clock } = services;
      const reach = figuresReach(principal);
      const now = clock.now();
      const [{ ocr, failuresByReason }, queue] = await Promise.all([
        readingAnalytics(services, reach, toDaySpan(query, now)),
        readQueueStatus(database.db, reach, now),
      ]);
      return { ...ocr, failures_by_reason: failuresByReason, queue };
    },
  });

const ocr = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/metrics/ocr',
    access: 'analytics.read',
    summary: 'How the reading of documents went, in all and on each day',
    description: `${REACH} ${DAYS}`,
    query: daysQuery,
    status: 200,
    response: ocrAnalyticsBody,
    handle: async ({ query, principal }) =>
      (await readingAnalytics(services, figuresReach(principal), toDaySpan(query, services.clock.now()))).ocr,
  });

const users = (services: AnalyticsServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/analytics/users',
    access: 'users.read',
    summary: 'How many users there are, who is active, and who has the most documents',
    description: 'For administrators. Documents count as far as you may read them and see figures.',
    status: 200,
    response: userAnalyticsBody,
    handle: async ({ principal }) => {
      requireAll(principal, 'users.read');
      return userAnalytics(services, figuresReach(principal));
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
    summary: 'How busy the machine is, and the processes of the service',
    description: 'Needs `analytics.read` for everything: it is about the machine and nobody’s documents.',
    status: 200,
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
    summary: 'How busy the machine is',
    description: 'Needs `analytics.read` for everything: it is about the machine and nobody’s documents.',
    status: 200,
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
