import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError, makeIssue, reasonedError, validationError } from '@sheaf/contract';
import {
  jobPriority,
  ocrLanguage,
  ocrLanguagesBody,
  parseOcrLanguage,
  type QueueItemBody,
  type QueueStatusBody,
  queueItemBody,
  queueListQuery,
  queueStatusBody,
  toPriorityName,
} from '@sheaf/contract/queue';
import { type Database, type Db, readingReach } from '@sheaf/db';
import { recordEvent } from '@sheaf/events';
import type { Clock, Logger } from '@sheaf/process';
import { listProcesses } from '@sheaf/program';
import {
  cancelJob,
  getQueueItem,
  isQueuePaused,
  listQueueItems,
  listQueueItemsAfter,
  markFailed,
  mayChangeJob,
  type QueueItem,
  readQueueStatus,
  setJobPriority,
  setQueuePaused,
} from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { type Cursors, listRoute } from '../http/list-route.ts';
import { idParams, parseInput } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';

const RECENTLY_MS = 60_000;
const facts = z.object({ languages: z.array(z.string()) });

/** Data of tesseract that stands beside its languages: how a page is turned, and equations. */
const NO_LANGUAGES: ReadonlySet<string> = new Set(['osd', 'equ']);

const oneLanguageOnly = (path: string): AppError =>
  validationError('Use one language. Several OCR languages are disabled (FEATURE_MULTI_LANGUAGE_OCR).', {
    issues: [makeIssue(path, 'one_language_only')],
  });

interface LanguageParts {
  readonly config: Pick<FixedConfig, 'ocr' | 'features'>;
  readonly db: Db;
  readonly clock: Clock;
}

/** The languages that documents can be read in: those of the ocr-workers that run. */
export class OcrLanguages {
  readonly #config: LanguageParts['config'];
  readonly #db: Db;
  readonly #clock: Clock;

  constructor({ config, db, clock }: LanguageParts) {
    this.#config = config;
    this.#db = db;
    this.#clock = clock;
  }

  /** Whether a document may be read in several at once. */
  get several(): boolean {
    return this.#config.features.multiLanguageOcr;
  }

  /** The languages that the running ocr-workers can recognise; undefined while none runs. */
  async installed(): Promise<string[] | undefined> {
    const processes = await listProcesses(this.#db, new Date(this.#clock.now().getTime() - RECENTLY_MS));
    const lists = processes.flatMap((row) => facts.safeParse(row.facts).data?.languages ?? []);
    return processes.some(({ name }) => name === 'ocr-worker') ? [...new Set(lists)].toSorted() : undefined;
  }

  /**
   * Throws VALIDATION_ERROR for what is no language, and with the installed languages when `language` needs one that is not. Unknown counts as installed. `path`
   * is the field of the request.
   */
  async requireInstalled(language: string | undefined, path = 'language'): Promise<void> {
    if (language === undefined) return;
    parseInput(z.object({ [path]: ocrLanguage }), { [path]: language }, 'body');
    const { codes } = parseOcrLanguage(language);
    if (!this.several && language.includes('+')) throw oneLanguageOnly(path);
    const installed = await this.installed();
    const missing = installed === undefined ? [] : codes.filter((code) => !installed.includes(code));
    if (missing.length === 0) return;
    throw validationError(`The language ${missing.join(', ')} ${this.#remedy(missing[0])}`, {
      issues: [makeIssue(path, 'language_not_installed', { languages: missing })],
      installed_languages: installed,
    });
  }

  #remedy(code = ''): string {
    return this.#config.ocr.engine === 'cloud'
      ? 'is not supported by the cloud OCR service; choose another'
      : `is not installed; install tesseract-ocr-${code.replaceAll('_', '-')} or choose another`;
  }
}

export const ocrLanguages = (languages: OcrLanguages): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/ocr/languages',
    access: 'signed-in',
    summary: 'Get the available OCR languages',
    response: ocrLanguagesBody,
    handle: async () => {
      const installed = await languages.installed();
      return {
        languages: installed?.filter((code) => !NO_LANGUAGES.has(code)) ?? null,
        several: languages.several,
      };
    },
  });

/** What the routes of the OCR queue use. */
interface QueueServices {
  readonly database: Database;
  readonly languages: OcrLanguages;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Logger;
}

export const statusOf = (principal: Principal, { database, clock }: Pick<QueueServices, 'database' | 'clock'>) =>
  readQueueStatus(database.db, readingReach(principal), clock.now());

/** The item, if the caller may see it. Throws FORBIDDEN when they may see it and not change it. */
const getChangeable = async ({ database }: QueueServices, principal: Principal, id: string): Promise<QueueItem> => {
  const item = await getQueueItem(database.db, principal, id);
  if (!(await mayChangeJob(database.db, principal, item.documentId))) throw reasonedError('FORBIDDEN', 'not_your_own');
  return item;
};

const hasEnded = (item: QueueItem): AppError =>
  codedError('DUPLICATE_RESOURCE', 'QUEUE_ITEM_ENDED', { queue_item_id: item.id, status: item.status });

const status = (services: QueueServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/ocr/queue/status',
    access: 'ocr.read',
    summary: 'Get queue statistics of the documents visible to the caller',
    response: queueStatusBody,
    handle: ({ principal }) => statusOf(principal, services),
  });

/** Items with what is said of them in view of the whole queue. */
const toBodies = (
  rows: readonly QueueItem[],
  [queueStatus, paused]: readonly [Awaited<ReturnType<typeof statusOf>>, boolean],
  { clock }: QueueServices,
) => {
  const now = clock.now();
  return { rows: rows.map((row) => toQueueItemBody(row, queueStatus, now)), paused };
};

const list = (services: QueueServices): Route =>
  listRoute({
    cursors: services.cursors,
    path: '/api/ocr/queue',
    access: 'ocr.read',
    summary: 'List queue items: processing, then pending in order, then finished',
    description: 'Items move while they are processed: with a cursor, they can appear twice or be skipped.',
    query: queueListQuery,
    name: 'data',
    item: queueItemBody,
    more: { paused: z.boolean() },
    page: async ({ query: { page, per_page: perPage, ...filter }, principal }) => {
      const { db } = services.database;
      const [{ rows, total }, ...around] = await Promise.all([
        listQueueItems(db, principal, { page, perPage, ...filter }),
        statusOf(principal, services),
        isQueuePaused(db),
      ]);
      return { ...toBodies(rows, around, services), total };
    },
    cut: async ({ query, principal }, part) => {
      const { db } = services.database;
      const [{ rows, next }, ...around] = await Promise.all([
        listQueueItemsAfter(db, principal, { ...query, ...part }),
        statusOf(principal, services),
        isQueuePaused(db),
      ]);
      return { ...toBodies(rows, around, services), next };
    },
  });

const read = (services: QueueServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/ocr/queue/{id}',
    access: 'ocr.read',
    summary: 'Get a queue item',
    errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    response: queueItemBody,
    handle: async ({ params, principal }) =>
      toQueueItemBody(
        await getQueueItem(services.database.db, principal, params.id),
        await statusOf(principal, services),
        services.clock.now(),
      ),
  });

const cancel = (services: QueueServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/ocr/queue/{id}',
    access: 'ocr.update',
    summary: 'Cancel the processing of a document; it fails with the reason cancelled and keeps its processed pages',
    done: 'Cancelled',
    errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND', QUEUE_ITEM_ENDED: 'DUPLICATE_RESOURCE' },
    params: idParams,
    handle: async ({ params, principal }) => {
      const item = await getChangeable(services, principal, params.id);
      await services.database.db.transaction(async (tx) => {
        if (!(await cancelJob(tx, item.id))) throw hasEnded(item);
        const message = await markFailed(tx, item.documentId, 'cancelled');
        await indexDocument(tx, item.documentId);
        await recordEvent(
          tx,
          { type: 'document_updated', document_id: item.documentId, changes: { status: 'failed', error: { code: 'cancelled', message } } },
          item.ownerId,
        );
      });
    },
  });

const prioritise = (services: QueueServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/ocr/queue/{id}/priority',
    access: 'ocr.update',
    summary: 'Change the priority of a queue item',
    errors: { QUEUE_ITEM_NOT_FOUND: 'NOT_FOUND', QUEUE_ITEM_ENDED: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: z.strictObject({ priority: jobPriority }),
    response: queueItemBody,
    handle: async ({ params, body, principal }) => {
      const item = await getChangeable(services, principal, params.id);
      if (!(await services.database.db.transaction((tx) => setJobPriority(tx, item.id, body.priority)))) throw hasEnded(item);
      return toQueueItemBody(
        await getQueueItem(services.database.db, principal, item.id),
        await statusOf(principal, services),
        services.clock.now(),
      );
    },
  });

/** Pausing concerns everybody's documents, so it is a matter of settings and not of one's own queue items. */
const setPaused = (path: string, isPaused: boolean, summary: string, { database, log }: QueueServices): Route =>
  jsonRoute({
    method: 'post',
    path,
    access: 'settings.update',
    summary,
    response: z.strictObject({ paused: z.boolean() }),
    handle: async ({ principal }) => {
      await database.db.transaction((tx) => setQueuePaused(tx, isPaused, principal.userId));
      log.info({ user_id: principal.userId, paused: isPaused }, 'queue paused or resumed');
      return { paused: isPaused };
    },
  });

export const queueRoutes = (services: QueueServices): readonly Route[] => [
  ocrLanguages(services.languages),
  status(services),
  list(services),
  setPaused('/api/ocr/queue/pause', true, 'Pause the queue; documents being processed are finished', services),
  setPaused('/api/ocr/queue/resume', false, 'Resume the queue', services),
  read(services),
  cancel(services),
  prioritise(services),
];

/** When a waiting item will be begun, if those before it take as long as the last hundred did; never before it is due. */
const estimatedStart = (item: QueueItem, averageSeconds: number, now: Date): string | null => {
  if (item.position === null || item.nextAttemptAt === null) return null;
  const turn = now.getTime() + (item.position - 1) * averageSeconds * 1_000;
  return new Date(Math.max(turn, item.nextAttemptAt.getTime())).toISOString();
};

export const toQueueItemBody = (item: QueueItem, { average_processing_time }: QueueStatusBody, now: Date): QueueItemBody => ({
  id: item.id,
  document_id: item.documentId,
  filename: item.filename,
  status: item.status,
  priority: toPriorityName(item.priority),
  attempts: item.attempts,
  max_attempts: item.maxAttempts,
  pages_done: item.pagesDone,
  pages_total: item.pagesTotal,
  created_at: item.createdAt.toISOString(),
  started_at: item.startedAt?.toISOString() ?? null,
  completed_at: item.completedAt?.toISOString() ?? null,
  next_attempt_at: item.nextAttemptAt?.toISOString() ?? null,
  error: item.errorCode === null ? null : { code: item.errorCode, message: item.errorMessage ?? '' },
  position: item.position,
  estimated_start: estimatedStart(item, average_processing_time, now),
});
