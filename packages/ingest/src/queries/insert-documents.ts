import type { Db } from '@sheaf/db';
import { runPrepared } from '@sheaf/db';
import { getTableColumns } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import { BYTES_LOCKS } from '@sheaf/documents';
import { toEventRow } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { currentTraceParent } from '@sheaf/process/tracing';
import type { RemoteVersion } from '@sheaf/sources';
import { EDITABLE_FIELDS, type EditableField } from '@sheaf/vocabulary/document-fields';
import { isWatchedRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS, type SheafEvent } from '@sheaf/vocabulary/events';
import { JOB_PRIORITIES, type JobPriority } from '@sheaf/vocabulary/jobs';

/** What people may change of a document: an imported one may come with it. */
const EDITABLE_COLUMNS = Object.fromEntries(EDITABLE_FIELDS.map(({ column }) => [column, null])) as Readonly<
  Record<EditableField['column'], null>
>;

/** Columns that a new document may come with, and what stands in them where nothing is given. All others have their defaults. */
const GIVEN = {
  id: null,
  ownerId: null,
  title: null,
  filename: null,
  mimeType: null,
  sizeBytes: null,
  sha256: null,
  filePath: null,
  status: `'pending'`,
  ocrEnabled: 'true',
  ocrLanguage: '(select ocr_default_language from user_settings where user_id = g.owner_id), g.default_language',
  source: null,
  sourceId: null,
  importedFrom: null,
  ...EDITABLE_COLUMNS,
  correspondentId: null,
  documentTypeId: null,
  confirmedFields: `'{}'`,
  language: null,
  pageCount: null,
  contentExcerpt: `''`,
  isSigned: 'false',
  metadata: `'{}'`,
  createdAt: 'now()',
  updatedAt: 'now()',
  completedAt: `case when g.status = 'completed' then now() end`,
} as const satisfies Partial<Record<keyof Document, string | null>>;

type Given = Pick<typeof documents.$inferInsert, keyof typeof GIVEN>;

/** The columns of a document whose bytes are stored. */
export interface NewDocument extends Readonly<Omit<Given, 'id' | 'ocrLanguage'>> {
  /** Default: a new one. */
  readonly id?: string | undefined;
  /** What the sender wants; undefined: what the owner has chosen, or else `defaultLanguage`. */
  readonly ocrLanguage?: string | undefined;
  readonly defaultLanguage: string;
}

/** What the ledger says of the file. */
export interface LedgerName {
  readonly path: string;
  readonly modifiedAt?: Date | undefined;
  /** Given for files of sources: what their memory keeps of it. */
  readonly version?: RemoteVersion | undefined;
}

/** What becomes true with each of the documents, each a function of its row. */
export interface WrittenWith<R extends NewDocument> {
  /** Without it the ledger has nothing of the files. */
  readonly ledger?: (row: R) => LedgerName;
  /** Told in this order. */
  readonly events: (row: R, documentId: string) => readonly SheafEvent[];
  /** Who processes it; undefined: nobody. */
  readonly jobs: (row: R) => { readonly priority: JobPriority; readonly maxAttempts: number } | undefined;
  /** Creates nothing of what came on this route before, or is in the trash: that is left to those who look closer. */
  readonly unlessKnown?: boolean | undefined;
}

/** What the ledger does with a path that it has. */
type LedgerSort = 'each' | 'watch' | 'source';

// Each a query of its own, which the planner cannot turn into a join: it would read the whole table for what is one look at an index.
const UNLESS_TRASHED = '(select true from trashed_documents where owner_id = g.owner_id and sha256 = g.sha256 limit 1) is null';

/**
 * Files that are not simply new: those that a watched folder brought before, under this name or, with the same time, under another one
 * and are split or deleted; those whose bytes a source has had already; and those whose document is in the trash.
 */
const UNLESS_KNOWN: Readonly<Record<LedgerSort, string>> = {
  each: `where ${UNLESS_TRASHED}`,
  watch: `
    where ${UNLESS_TRASHED} and (
      select true from ingest_ledger where route = g.source and path = g.ledger_path and sha256 = g.sha256 and owner_id = g.owner_id
        and state in ('ingested', 'split', 'duplicate') limit 1
    ) is null and (
      select true from ingest_ledger where sha256 = g.sha256 and owner_id = g.owner_id and route in ('watch', 'user_watch')
        and (state = 'split' or state in ('ingested', 'duplicate') and document_id is null)
        and size_bytes = g.size_bytes and modified_at = g.ledger_modified_at limit 1
    ) is null`,
  source: `
    where ${UNLESS_TRASHED}
      and (select true from source_files where source_id = g.source_id and sha256 = g.sha256 limit 1) is null`,
};

const REWRITE_LEDGER = `do update set owner_id = excluded.owner_id, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
      sha256 = excluded.sha256, state = excluded.state, reason = null, reason_code = null, reason_details = null,
      document_id = excluded.document_id, moved_to = null, updated_at = now()`;
const ON_LEDGER_CONFLICT: Readonly<Record<LedgerSort, string>> = {
  each: '',
  watch: `on conflict (route, path) where route in ('watch', 'user_watch') ${REWRITE_LEDGER}`,
  source: `on conflict (source_id, path) where source_id is not null ${REWRITE_LEDGER}`,
};

const RECORD_FILE: Readonly<Record<LedgerSort, string>> = {
  each: '',
  watch: '',
  source: `, remembered as (
    insert into source_files (source_id, path, etag, size_bytes, modified_at, sha256, state, document_id)
    select source_id, ledger_path, remote_etag, remote_size, remote_modified_at, sha256, 'ingested', id from made
    on conflict (source_id, path) do update set etag = excluded.etag, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
      sha256 = excluded.sha256, state = excluded.state, document_id = excluded.document_id, attempts = 0, next_attempt_at = null,
      removed_at = null, updated_at = now()
  )`,
};

/** Of each row, what is written beside the document. */
const RELATED_COLUMNS = `default_language text, job_id uuid, job_priority smallint, job_attempts int, ledger_id uuid, ledger_path text,
    ledger_modified_at timestamptz, remote_etag text, remote_size bigint, remote_modified_at timestamptz`;

const COLUMNS = getTableColumns(documents);
const ALL_COLUMNS = Object.entries(COLUMNS);
const GIVEN_COLUMNS = (Object.keys(GIVEN) as (keyof typeof GIVEN)[]).map((key) => ({
  key,
  name: COLUMNS[key].name,
  type: COLUMNS[key].getSQLType(),
  fallback: GIVEN[key],
}));

const TYPED = GIVEN_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');
const NAMES = GIVEN_COLUMNS.map(({ name }) => name).join(', ');
const VALUES = GIVEN_COLUMNS.map(({ name, fallback }) => (fallback === null ? `g.${name}` : `coalesce(g.${name}, ${fallback})`)).join(', ');
/** By name: a prepared statement fails for ever once what it returns changes, as `*` does when a newer version adds a column. */
const RETURNED = ALL_COLUMNS.map(([, { name }]) => `document.${name}`).join(', ');

/** For `runPrepared`. */
interface Statement {
  readonly name: string;
  readonly text: string;
}

const makeStatement = (sort: LedgerSort, unlessKnown: boolean): Statement => ({
  name: `sheaf-insert-documents-${sort}${unlessKnown ? '-unless-known' : ''}`,
  text: `
  with given as materialized (
    select * from jsonb_to_recordset($1::jsonb) as g (${TYPED}, ${RELATED_COLUMNS})
  ), locked as materialized (
    -- in an order that all who hold several keep
    select pg_advisory_xact_lock_shared(${BYTES_LOCKS}, key) as bytes
    from (select distinct hashtext(sha256) as key from given order by 1) as keys
  ), document as (
    insert into documents (${NAMES})
    select ${VALUES}
    from given as g cross join (select count(*) from locked) as held ${unlessKnown ? UNLESS_KNOWN[sort] : ''}
    order by g.id
    on conflict (owner_id, sha256) do nothing
    returning *
  ), made as materialized (
    select g.* from given as g where g.id in (select id from document)
  ), job as (
    insert into ocr_jobs (id, document_id, status, priority, max_attempts, trace_context)
    select job_id, id, 'pending', job_priority, job_attempts, $6::text from made where job_id is not null
  ), ledger as (
    insert into ingest_ledger (id, route, path, owner_id, source_id, size_bytes, modified_at, sha256, state, document_id)
    select ledger_id, source, ledger_path, owner_id, source_id, size_bytes, ledger_modified_at, sha256, 'ingested', id
    from made where ledger_id is not null
    ${ON_LEDGER_CONFLICT[sort]}
  ), notified as (
    insert into events (type, owner_id, document_id, data)
    select event.type, made.owner_id, event.document_id, event.data
    from made join unnest($2::uuid[], $3::text[], $4::uuid[], $5::jsonb[]) with ordinality as event (made_id, type, document_id, data, place)
      on event.made_id = made.id
    order by event.place
  ) ${RECORD_FILE[sort]}
  select ${RETURNED}, pg_notify('${CHANNELS.events}', ''),
    case when made.job_id is not null then pg_notify('${CHANNELS.jobs}', '') end
  from document join made on made.id = document.id`,
});

const makeStatements = (unlessKnown: boolean): Readonly<Record<LedgerSort, Statement>> => ({
  each: makeStatement('each', unlessKnown),
  watch: makeStatement('watch', unlessKnown),
  source: makeStatement('source', unlessKnown),
});

const STATEMENTS = makeStatements(false);
const UNLESS_KNOWN_STATEMENTS = makeStatements(true);

const sortOf = ({ source }: NewDocument, ledger: LedgerName | undefined): LedgerSort => {
  if (ledger?.version !== undefined) return 'source';
  return ledger !== undefined && isWatchedRoute(source) ? 'watch' : 'each';
};

const toDocument = (row: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(
    ALL_COLUMNS.map(([key, column]) => [key, row[column.name] === null ? null : column.mapFromDriverValue(row[column.name])]),
  ) as Document;

const toJson = <R extends NewDocument>(row: R, id: string, { ledger, jobs }: WrittenWith<R>): Readonly<Record<string, unknown>> => {
  const { path, modifiedAt, version } = ledger?.(row) ?? {};
  const job = jobs(row);
  return {
    ...Object.fromEntries(GIVEN_COLUMNS.map(({ key, name }) => [name, row[key]])),
    id,
    default_language: row.defaultLanguage,
    job_id: job && uuidv7(),
    job_priority: job && JOB_PRIORITIES[job.priority],
    job_attempts: job?.maxAttempts,
    ledger_id: ledger && uuidv7(),
    ledger_path: path,
    ledger_modified_at: modifiedAt,
    remote_etag: version?.etag,
    remote_size: version?.sizeBytes,
    remote_modified_at: version?.modifiedAt,
  };
};

/**
 * Creates documents: writes everything that becomes true with new files in one statement, which is document, job, ledger, events and
 * what is remembered of a source's file. All rows are of one route. Answers for each row its document, or undefined, with nothing
 * written, where there is more to it: its owner has these bytes, or, with `unlessKnown`, they came on this route before. Holds the stored
 * bytes, shared, until the end of the transaction.
 *
 *     const [document] = await insertDocuments(tx, [row], { ledger: () => ({ path }), events, jobs });
 */
export const insertDocuments = async <R extends NewDocument>(
  tx: Db,
  rows: readonly R[],
  related: WrittenWith<R>,
): Promise<(Document | undefined)[]> => {
  const [first] = rows;
  if (first === undefined) return [];
  const given = rows.map((row) => ({ row, id: row.id ?? uuidv7() }));
  const events = given.flatMap(({ row, id }) =>
    related.events(row, id).map((event) => ({ madeId: id, ...toEventRow(event, row.ownerId) })),
  );
  const statements = related.unlessKnown === true ? UNLESS_KNOWN_STATEMENTS : STATEMENTS;
  const inserted = await runPrepared<Record<string, unknown>>(tx, statements[sortOf(first, related.ledger?.(first))], [
    JSON.stringify(given.map(({ row, id }) => toJson(row, id, related))),
    events.map(({ madeId }) => madeId),
    events.map(({ type }) => type),
    events.map(({ documentId }) => documentId),
    events.map(({ data }) => JSON.stringify(data)),
    currentTraceParent() ?? null,
  ]);
  const made = new Map(inserted.map((row) => [row['id'], toDocument(row)]));
  return given.map(({ id }) => made.get(id));
};
