import { rowId } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import {
  acknowledgeTasks,
  countTasks,
  findByNumbers,
  listTasks,
  type NumberOf,
  numbersOf,
  type PaperlessTask,
  readBoolean,
} from '@sheaf/paperless';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { anyBody } from './present-documents.ts';
import { type AnyQuery, anyQuery, lastOf, notThere, numberParams, requireKnown, requireNumber } from './query.ts';
import {
  type ApiVersion,
  PAPERLESS_PREFIX,
  type PageRequest,
  type PaperlessServices,
  readPage,
  requestBody,
  toPage,
  versionOf,
} from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/tasks`;

/** Tasks of one answer, and those that are counted. */
const MAX_PAGE_SIZE = 250;
const MAX_COUNTED = 10_000;

const STATES = { pending: 'PENDING', processing: 'STARTED', completed: 'SUCCESS', failed: 'FAILURE' } as const satisfies Record<
  DocumentStatus,
  string
>;

const DISPLAYED = { PENDING: 'Pending', STARTED: 'Started', SUCCESS: 'Success', FAILURE: 'Failure' } as const;

const secondsBetween = (from: Date | null, to: Date | null): number | null =>
  from === null || to === null ? null : (to.getTime() - from.getTime()) / 1_000;

const resultOf = (task: PaperlessTask, documentNumber: number): string | null =>
  task.status === 'completed' ? `Success. New document id ${documentNumber} created` : task.error;

/** Version 9, as Celery names things. */
const toTask9 = (task: PaperlessTask, numberOf: NumberOf) => {
  const documentNumber = numberOf('document', task.id);
  return {
    id: numberOf('task', task.id),
    task_id: task.id,
    task_name: 'consume_file',
    task_file_name: task.filename,
    date_created: task.createdAt.toISOString(),
    date_done: task.endedAt?.toISOString() ?? null,
    type: 'auto_task',
    status: STATES[task.status],
    result: resultOf(task, documentNumber),
    acknowledged: task.isAcknowledged,
    related_document: task.status === 'completed' ? String(documentNumber) : null,
    owner: numberOf('user', task.ownerId),
  };
};

const toTask10 = (task: PaperlessTask, numberOf: NumberOf) => {
  const documentNumber = numberOf('document', task.id);
  const isDone = task.status === 'completed';
  return {
    id: numberOf('task', task.id),
    task_id: task.id,
    task_type: 'consume_file',
    task_type_display: 'Consume File',
    trigger_source: 'api_upload',
    trigger_source_display: 'API Upload',
    status: STATES[task.status].toLowerCase(),
    status_display: DISPLAYED[STATES[task.status]],
    date_created: task.createdAt.toISOString(),
    date_started: task.startedAt?.toISOString() ?? null,
    date_done: task.endedAt?.toISOString() ?? null,
    duration_seconds: secondsBetween(task.startedAt, task.endedAt),
    wait_time_seconds: secondsBetween(task.createdAt, task.startedAt),
    input_data: { filename: task.filename, mime_type: task.mimeType },
    result_data: isDone ? { document_id: documentNumber } : null,
    result_message: resultOf(task, documentNumber),
    related_document_ids: isDone ? [documentNumber] : [],
    acknowledged: task.isAcknowledged,
    owner: numberOf('user', task.ownerId),
  };
};

const present = async (db: Db, tasks: readonly PaperlessTask[], version: ApiVersion) => {
  const numberOf = await numbersOf(
    db,
    tasks.flatMap(({ id, ownerId }) => [
      { kind: 'task', id },
      { kind: 'document', id },
      { kind: 'user', id: ownerId },
    ]),
  );
  return tasks.map((task) => (version === 10 ? toTask10(task, numberOf) : toTask9(task, numberOf)));
};

interface Wanted {
  readonly ids?: readonly string[] | undefined;
  readonly statuses?: readonly DocumentStatus[] | undefined;
  readonly isAcknowledged?: boolean | undefined;
}

const FILTERS: ReadonlySet<string> = new Set(['task_id', 'status', 'task_type', 'task_name', 'acknowledged']);

const NO_TASKS: Wanted = { ids: [] };

/** Which tasks are asked for. None is about anything but a file. */
const readWanted = (query: AnyQuery): Wanted => {
  requireKnown(query, (name) => FILTERS.has(name));
  const id = lastOf(query, 'task_id');
  const status = lastOf(query, 'status')?.toUpperCase();
  const type = lastOf(query, 'task_type') ?? lastOf(query, 'task_name') ?? 'consume_file';
  if (type !== 'consume_file') return NO_TASKS;
  const acknowledged = lastOf(query, 'acknowledged');
  const known = (Object.keys(STATES) as DocumentStatus[]).filter((each) => STATES[each] === status);
  return {
    ids: id === undefined ? undefined : rowId.safeParse(id).success ? [rowId.parse(id)] : [],
    statuses: status === undefined ? undefined : known,
    isAcknowledged: acknowledged === undefined ? undefined : readBoolean('acknowledged', acknowledged),
  };
};

const readTasks = (db: Db, principal: Principal, wanted: Wanted, { page, perPage }: PageRequest): Promise<PaperlessTask[]> =>
  listTasks(db, principal, { ...wanted, limit: perPage, offset: (page - 1) * perPage });

export const list = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'documents.read',
    summary: 'List the tasks of the files you uploaded, the newest first',
    query: anyQuery,
    response: z.union([z.array(anyBody), anyBody]),
    handle: async ({ query, principal, context }) => {
      const version = versionOf(context.headers);
      const wanted = readWanted(query);
      const page = readPage(query, MAX_PAGE_SIZE);
      const asked = version === 10 ? page : { page: 1, perPage: MAX_PAGE_SIZE };
      const results = await present(db, await readTasks(db, principal, wanted, asked), version);
      if (version !== 10) return results;
      const { all: _all, ...body } = toPage({ count: await countTasks(db, principal, wanted, MAX_COUNTED), all: [], results }, page, {
        path: '/tasks',
        query,
        context,
      });
      return body;
    },
  });

export const read = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PATH}/{id}`,
    access: 'documents.read',
    summary: 'Get a task',
    params: numberParams,
    query: anyQuery,
    response: anyBody,
    handle: async ({ params, principal, context }) => {
      const id = await requireNumber(db, 'task', params);
      const tasks = await readTasks(db, principal, { ids: [id] }, { page: 1, perPage: 1 });
      const [task] = await present(db, tasks, versionOf(context.headers));
      if (task === undefined) throw notThere();
      return task;
    },
  });

/** Tasks of one request. */
const MAX_ACKNOWLEDGED = 1_000;

export const acknowledge = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'post',
    path: `${PATH}/acknowledge`,
    access: 'documents.read',
    summary: 'Note that you have seen tasks',
    query: anyQuery,
    body: requestBody({ tasks: z.array(z.int()).max(MAX_ACKNOWLEDGED) }),
    response: z.strictObject({ result: z.int() }),
    handle: async ({ body: { tasks }, principal }) => {
      const ids = [...(await findByNumbers(db, 'task', tasks)).values()];
      return { result: await acknowledgeTasks(db, principal, ids) };
    },
  });
