import { DOCUMENT_STATUSES } from '@sheaf/vocabulary/documents';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Answer, Operation } from '../interface/call.ts';

type List = Answer<'get /api/documents'>;
type Status = List['data'][number]['status'];

const isStatus = (status: string): status is Status => (DOCUMENT_STATUSES as readonly string[]).includes(status);

/** The list with a document's new status; the same list where it says nothing new. */
export const withStatus = (list: List, id: string, status: Status): List => {
  const index = list.data.findIndex((document) => document.id === id);
  const document = list.data[index];
  if (document === undefined || document.status === status) return list;
  return { ...list, data: list.data.with(index, { ...document, status }) };
};

/** Writes a document's new status into the lists that are kept. */
const patchStatus = (client: Pick<QueryClient, 'setQueriesData'>, id: string, status: string): void => {
  if (!isStatus(status)) return;
  const operation: Operation = 'get /api/documents';
  client.setQueriesData<List>({ queryKey: [operation] }, (list) => list && withStatus(list, id, status));
};

const DOCUMENTS: Operation = 'get /api/documents';
const LABELS: Operation = 'get /api/labels';
/** What documents are filed by, with the number of their documents. */
const FILING: readonly QueryKey[] = [[LABELS], ['get /api/correspondents'], ['get /api/document-types']];
/** What lies in the trash. */
const TRASH: readonly QueryKey[] = [['get /api/trash'], ['get /api/trash/{id}']];
const QUEUE: Operation = 'get /api/ocr/queue';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What is kept of one thing; of all of its kind where it has no id. */
const ofOne = (operation: Operation, id: string): QueryKey => (id === '' ? [operation] : [operation, { params: { id } }]);

/**
 * What a new state of a document's reading makes old. That it is being read is written into the lists that show it, so that only those have to be asked
 * again that are made by this state; how it ended changes more of it.
 */
const touchedByReading = (id: string, status: string): readonly QueryKey[] => [
  ofOne('get /api/documents/{id}', id),
  [QUEUE],
  ...(status === 'processing'
    ? [
        [DOCUMENTS, { query: { status: 'pending' } }],
        [DOCUMENTS, { query: { status: 'processing' } }],
      ]
    : [
        [DOCUMENTS],
        ...(
          [
            'get /api/documents/{id}/einvoice',
            'get /api/documents/{id}/facts',
            'get /api/documents/{id}/pages',
            'get /api/documents/{id}/versions',
            'get /api/documents/{id}/pages/{page}/words',
          ] as const
        ).map((operation) => ofOne(operation, id)),
      ]),
];

/** The beginnings of the keys under which answers are kept that an event has made old. */
export const touchedBy = ({ type, data }: Pick<LiveEvent, 'type' | 'data'>): readonly QueryKey[] => {
  const id = textOf(data['document_id']);
  switch (type) {
    case 'document_created':
      return [[DOCUMENTS], ...FILING];
    case 'document_deleted':
      return [[DOCUMENTS], ...FILING, ...TRASH, ofOne('get /api/documents/{id}', id)];
    case 'document_restored':
      return [[DOCUMENTS], ...FILING, ...TRASH, ofOne('get /api/documents/{id}', id)];
    case 'document_purged':
      return TRASH;
    case 'document_updated':
      return [
        [DOCUMENTS],
        ...FILING,
        ...(
          [
            'get /api/documents/{id}',
            'get /api/documents/{id}/facts',
            'get /api/documents/{id}/notes',
            'get /api/documents/{id}/rule-changes',
            'get /api/documents/{id}/versions',
          ] as const
        ).map((operation) => ofOne(operation, id)),
      ];
    case 'ocr_progress':
      return touchedByReading(id, textOf(data['status']));
    case 'queue_status':
      return [[QUEUE], ['get /api/ocr/queue/status']];
    case 'sync_progress': {
      const source = textOf(data['source_id']);
      return [['get /api/sources'], ofOne('get /api/sources/{id}', source), ofOne('get /api/sources/{id}/sync-status', source)];
    }
    case 'import_progress':
      return [['get /api/imports'], ofOne('get /api/imports/{id}', textOf(data['import_id']))];
    case 'notification':
    case 'notification_updated':
    case 'notification_deleted':
      return [['get /api/notifications']];
    case 'ingest':
      return [['get /api/ingest']];
    case 'share_created':
    case 'share_revoked':
    case 'share_opened':
      return [['get /api/shares']];
    case 'alert':
      return [['get /api/health'], ['get /api/health/detailed']];
    default:
      return [];
  }
};

/** What may have changed unheard before the first event could arrive. */
export const LIVE: readonly Operation[] = [
  DOCUMENTS,
  'get /api/documents/{id}',
  QUEUE,
  'get /api/sources',
  'get /api/notifications',
  'get /api/ingest',
];

/** Events come in swarms: what they touch is collected for so long. */
const COLLECT_MS = 200;
/** Nothing is asked again more often, however many events there are. */
const AT_MOST_EVERY_MS = 1_000;

/** Brings what is kept up to date by events: at once where an event says all, else by asking again, of many at once each only once. */
export const makeEventApplier = (client: Pick<QueryClient, 'invalidateQueries' | 'setQueriesData'>): ((event: LiveEvent) => void) => {
  const waiting = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const ask = (): void => {
    timer = undefined;
    lastAt = Date.now();
    const keys = [...waiting.values()];
    waiting.clear();
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
  return (event) => {
    if (event.type === 'ocr_progress') patchStatus(client, textOf(event.data['document_id']), textOf(event.data['status']));
    for (const key of touchedBy(event)) waiting.set(JSON.stringify(key), key);
    if (waiting.size > 0) timer ??= setTimeout(ask, Math.max(COLLECT_MS, lastAt + AT_MOST_EVERY_MS - Date.now()));
  };
};

/** An event as it arrives; `data` is by its type. */
export interface LiveEvent {
  readonly type: string;
  /** Missing for what is told without being kept, such as the state of the queue. */
  readonly seq?: number | null;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
