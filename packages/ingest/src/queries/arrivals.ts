import type { Db } from '@sheaf/db';
import { type PreparedStatement, runPrepared } from '@sheaf/db';
import { getTableColumns } from '@sheaf/db/drizzle';
import { type Document, documents } from '@sheaf/db/schema';
import { BYTES_LOCKS } from '@sheaf/documents';
import { toEventRow } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { currentTraceParent } from '@sheaf/process/tracing';
import type { RemoteVersion } from '@sheaf/sources';
import { type IngestRoute, isWatchedRoute } from '@sheaf/vocabulary/documents';
import { CHANNELS, type SheafEvent } from '@sheaf/vocabulary/events';
import { JOB_PRIORITIES } from '@sheaf/vocabulary/jobs';

/** A file that is new on its route, and whose bytes are stored. */
export interface NewArrival {
  readonly ownerId: string;
  readonly title: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filePath: string;
  readonly ocrEnabled: boolean;
  /** What the sender wants; undefined: what the owner has chosen, or else `defaultLanguage`. */
  readonly ocrLanguage?: string | undefined;
  readonly defaultLanguage: string;
  readonly source: IngestRoute;
  readonly sourceId?: string | undefined;
  /** Its name in the ledger. */
  readonly path: string;
  readonly modifiedAt?: Date | undefined;
  readonly maxAttempts: number;
  /** Given for files of sources: what their memory keeps of it. */
  readonly version?: RemoteVersion | undefined;
  /** Whether the caller has looked at what came on this route before, and wants the document nevertheless. */
  readonly isLookedAt?: boolean;
  /** Told after those of the document, in this order. */
  readonly events: (documentId: string) => readonly SheafEvent[];
}

type RouteSort = 'upload' | 'watch' | 'source';

const UNLESS_TRASHED = 'not exists (select from trashed_documents where owner_id = $2 and sha256 = $7)';

/**
 * Files that are not simply new are left to those who look closer: those that a watched folder brought before, under this name
 * or, with the same time, under another one and are split or deleted; those whose bytes a source has had already; and those whose document is in the trash.
 */
const UNLESS_KNOWN: Readonly<Record<RouteSort, string>> = {
  upload: `where ${UNLESS_TRASHED}`,
  watch: `
    where ${UNLESS_TRASHED} and not exists (
      select from ingest_ledger where route = $11 and path = $17 and sha256 = $7 and owner_id = $2
        and state in ('ingested', 'split', 'duplicate')
    ) and not exists (
      select from ingest_ledger where sha256 = $7 and owner_id = $2 and route in ('watch', 'user_watch')
        and (state = 'split' or state in ('ingested', 'duplicate') and document_id is null) and size_bytes = $6 and modified_at = $18
    )`,
  source: `where ${UNLESS_TRASHED} and not exists (select from source_files where source_id = $12 and sha256 = $7)`,
};

const REWRITE_LEDGER = `do update set owner_id = excluded.owner_id, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
      sha256 = excluded.sha256, state = excluded.state, reason = null, reason_code = null, reason_details = null,
      document_id = excluded.document_id, moved_to = null, updated_at = now()`;
const ON_LEDGER_CONFLICT: Readonly<Record<RouteSort, string>> = {
  upload: '',
  watch: `on conflict (route, path) where route in ('watch', 'user_watch') ${REWRITE_LEDGER}`,
  source: `on conflict (source_id, path) where source_id is not null ${REWRITE_LEDGER}`,
};

const RECORD_FILE: Readonly<Record<RouteSort, string>> = {
  upload: '',
  watch: '',
  source: `, remembered as (
    insert into source_files (source_id, path, etag, size_bytes, modified_at, sha256, state, document_id)
    select $12, $17, $25::text, $26::bigint, $27::timestamptz, $7, 'ingested', id from document
    on conflict (source_id, path) do update set etag = excluded.etag, size_bytes = excluded.size_bytes, modified_at = excluded.modified_at,
      sha256 = excluded.sha256, state = excluded.state, document_id = excluded.document_id, attempts = 0, next_attempt_at = null,
      removed_at = null, updated_at = now()
  )`,
};

const COLUMNS = Object.entries(getTableColumns(documents));
/** By name: a prepared statement fails for ever once what it returns changes, as `*` does when a newer version adds a column. */
const RETURNED = COLUMNS.map(([, { name }]) => `document.${name}`).join(', ');

const makeStatement = (sort: RouteSort, isLookedAt: boolean): PreparedStatement => ({
  name: `sheaf-new-${sort}${isLookedAt ? '-looked-at' : ''}`,
  text: `
  with locked as materialized (
    select pg_advisory_xact_lock_shared($19::int, hashtext($7::text)) as bytes
  ), document as (
    insert into documents
      (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_enabled, ocr_language, source, source_id)
    select $1::uuid, $2::uuid, $3::text, $4::text, $5::text, $6::bigint, $7, $8::text, $9::boolean,
      coalesce($10::text, (select ocr_default_language from user_settings where user_id = $2), $23::text), $11::text, $12::uuid
    from locked ${isLookedAt ? '' : UNLESS_KNOWN[sort]}
    on conflict (owner_id, sha256) do nothing
    returning *
  ), job as (
    insert into ocr_jobs (id, document_id, status, priority, max_attempts, trace_context)
    select $13::uuid, id, 'pending', $14::smallint, $15::int, $24::text from document
  ), ledger as (
    insert into ingest_ledger (id, route, path, owner_id, source_id, size_bytes, modified_at, sha256, state, document_id)
    select $16::uuid, $11, $17::text, $2, $12, $6, $18::timestamptz, $7, 'ingested', id from document
    ${ON_LEDGER_CONFLICT[sort]}
  ), told as (
    insert into events (type, owner_id, document_id, data)
    select told.type, $2, told.document_id, told.data
    from document cross join unnest($20::text[], $21::uuid[], $22::jsonb[]) with ordinality as told (type, document_id, data, place)
    order by told.place
  ) ${RECORD_FILE[sort]}
  select ${RETURNED}, pg_notify('${CHANNELS.jobs}', ''), pg_notify('${CHANNELS.events}', '') from document`,
});

const makeStatements = (isLookedAt: boolean): Readonly<Record<RouteSort, PreparedStatement>> => ({
  upload: makeStatement('upload', isLookedAt),
  watch: makeStatement('watch', isLookedAt),
  source: makeStatement('source', isLookedAt),
});

const UNLESS_KNOWN_STATEMENTS = makeStatements(false);
const LOOKED_AT_STATEMENTS = makeStatements(true);

const sortOf = ({ source, version }: NewArrival): RouteSort => {
  if (version !== undefined) return 'source';
  return isWatchedRoute(source) ? 'watch' : 'upload';
};

const toDocument = (row: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(
    COLUMNS.map(([key, column]) => [key, row[column.name] === null ? null : column.mapFromDriverValue(row[column.name])]),
  ) as Document;

const paramsOf = (arrival: NewArrival): unknown[] => {
  const id = uuidv7();
  const events = arrival.events(id).map((event) => toEventRow(event, arrival.ownerId));
  const { version } = arrival;
  const document = [id, arrival.ownerId, arrival.title, arrival.filename, arrival.mimeType, arrival.sizeBytes, arrival.sha256];
  const reading = [arrival.filePath, arrival.ocrEnabled, arrival.ocrLanguage ?? null, arrival.source, arrival.sourceId ?? null];
  const job = [uuidv7(), JOB_PRIORITIES.normal, arrival.maxAttempts];
  const ledger = [uuidv7(), arrival.path, arrival.modifiedAt ?? null];
  const told = [events.map(({ type }) => type), events.map(({ documentId }) => documentId), events.map(({ data }) => JSON.stringify(data))];
  const remembered = version === undefined ? [] : [version.etag ?? null, version.sizeBytes ?? null, version.modifiedAt ?? null];
  return [
    ...document,
    ...reading,
    ...job,
    ...ledger,
    BYTES_LOCKS,
    ...told,
    arrival.defaultLanguage,
    currentTraceParent() ?? null,
    ...remembered,
  ];
};

/**
 * Creates a document: writes everything that becomes true with a new file in one statement, which is document, job, ledger, events
 * and what is remembered of a source's file. Undefined, with nothing written, when there is more to it: the owner has these bytes,
 * or, unless that was looked at, they came on this route before. Holds the stored bytes, shared, until the end of the transaction.
 */
export const recordNewArrival = async (tx: Db, arrival: NewArrival): Promise<Document | undefined> => {
  const statements = arrival.isLookedAt === true ? LOOKED_AT_STATEMENTS : UNLESS_KNOWN_STATEMENTS;
  const [row] = await runPrepared<Record<string, unknown>>(tx, statements[sortOf(arrival)], paramsOf(arrival));
  return row && toDocument(row);
};
