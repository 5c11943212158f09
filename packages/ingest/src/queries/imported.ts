import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { BYTES_LOCKS } from '@sheaf/documents';
import { toEventRow } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { CHANNELS, type SheafEvent } from '@sheaf/vocabulary/events';
import { JOB_PRIORITIES } from '@sheaf/vocabulary/jobs';
import type { ImportedFiling, ImportedText } from '../imported/ingest-version.ts';

/** A file of an archive whose bytes are stored. */
export interface ImportedRow {
  readonly ownerId: string;
  readonly title: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filePath: string;
  readonly language: string | undefined;
  readonly defaultLanguage: string;
  readonly maxAttempts: number;
  readonly ledgerPath: string;
  readonly importedFrom: string;
  readonly addedAt: Date | undefined;
  readonly modifiedAt: Date | undefined;
  readonly filing: ImportedFiling;
  readonly isSigned: boolean;
  readonly text: (ImportedText & { readonly excerpt: string }) | undefined;
  /** Told in this order. */
  readonly events: (documentId: string) => readonly SheafEvent[];
}

/** Holds stored bytes, shared, until the end of the transaction, in an order that all who hold several keep. */
export const lockBytes = async (tx: Db, hashes: readonly string[]): Promise<void> => {
  await tx.execute(sql`
    select pg_advisory_xact_lock_shared(${BYTES_LOCKS}::int, key)
    from (select distinct hashtext(hash) as key from unnest(${sql.param([...hashes])}::text[]) as hash order by 1) as locks`);
};

/** What most of the pages are written in. */
const usualLanguage = (languages: readonly (string | null)[] = []): string | null => {
  const counts = new Map<string, number>();
  for (const language of languages) if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
};

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

/** Columns of a document as JSON, in the words of the database. */
const toJson = (id: string, { filing, text, ...row }: ImportedRow) => ({
  id,
  owner_id: row.ownerId,
  title: row.title,
  filename: row.filename,
  mime_type: row.mimeType,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  file_path: row.filePath,
  language: row.language ?? null,
  default_language: row.defaultLanguage,
  imported_from: row.importedFrom,
  added_at: row.addedAt ?? null,
  modified_at: row.modifiedAt ?? null,
  document_date: filing.documentDate ?? null,
  archive_number: filing.archiveNumber ?? null,
  correspondent_id: filing.correspondentId ?? null,
  document_type_id: filing.documentTypeId ?? null,
  confirmed_fields: filing.confirmedFields,
  text_language: usualLanguage(text?.languages),
  has_text: text !== undefined,
  is_signed: row.isSigned,
  page_count: text === undefined ? null : (text.pageCount ?? text.pages.length),
  excerpt: text?.excerpt ?? '',
});

interface Inserted extends Record<string, unknown> {
  readonly id: string;
  readonly archive_number: number | null;
}

/** That of documents that are changed ("asn" in hexadecimal): nobody gives these numbers meanwhile. */
const ARCHIVE_NUMBER_LOCK = 0x61_73_6e;

/** Statements that insert at the same time do not see each other's numbers, so they wait. In order, or two could wait for each other. */
const lockArchiveNumbers = async (tx: Db, given: readonly ReturnType<typeof toJson>[]): Promise<void> => {
  const numbers = given.flatMap(({ archive_number: number }) => (number === null ? [] : [number]));
  if (numbers.length > 0)
    await tx.execute(sql`
      select pg_advisory_xact_lock(${ARCHIVE_NUMBER_LOCK}, number)
      from (select distinct number from unnest(${sql.param(numbers)}::int[]) as number order by number) as ordered`);
};

const insertDocuments = async (tx: Db, given: readonly ReturnType<typeof toJson>[]): Promise<Inserted[]> =>
  (
    await tx.execute<Inserted>(sql`
    insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, source,
      document_date, archive_number, correspondent_id, document_type_id, confirmed_fields, page_count, content_excerpt, language, imported_from,
      is_signed, created_at, updated_at, completed_at)
    select g.id, g.owner_id, g.title, g.filename, g.mime_type, g.size_bytes, g.sha256, g.file_path,
      case when g.has_text then 'completed' else 'pending' end,
      coalesce(g.language, (select ocr_default_language from user_settings where user_id = g.owner_id), g.default_language), 'import',
      g.document_date,
      case when exists (select from documents as other where other.archive_number = g.archive_number)
          or row_number() over (
            partition by g.archive_number
            -- one that is not inserted, as its owner has these bytes, takes the number from no other one
            order by exists (select from documents as twin where twin.owner_id = g.owner_id and twin.sha256 = g.sha256), g.id) > 1
        then null else g.archive_number end,
      g.correspondent_id, g.document_type_id, array(select jsonb_array_elements_text(g.confirmed_fields)),
      g.page_count, g.excerpt, g.text_language, g.imported_from,
      g.is_signed, coalesce(g.added_at, now()), coalesce(g.modified_at, g.added_at, now()),
      case when g.has_text then now() end
    from jsonb_to_recordset(${json(given)}) as g (id uuid, owner_id uuid, title text, filename text, mime_type text, size_bytes bigint,
      sha256 text, file_path text, language text, default_language text, imported_from text, added_at timestamptz, modified_at timestamptz,
      document_date date, archive_number int, correspondent_id uuid, document_type_id uuid, confirmed_fields jsonb, has_text boolean,
      page_count int, excerpt text, text_language text, is_signed boolean)
    order by g.id
    on conflict (owner_id, sha256) do nothing
    returning id, archive_number`)
  ).rows;

const insertPages = async (tx: Db, rows: ReadonlyMap<string, ImportedRow>): Promise<void> => {
  const pages = [...rows].flatMap(([id, { text }]) =>
    (text?.pages ?? []).map((content, at) => ({ id, page: at + 1, content, language: text?.languages?.[at] ?? null })),
  );
  if (pages.length > 0)
    await tx.execute(sql`
      insert into document_pages (document_id, page, content, confidence, origin, language)
      select id, page, content, 1, 'import', language
      from jsonb_to_recordset(${json(pages)}) as g (id uuid, page int, content text, language text)`);
};

/** What is told of the documents, where they came from, and who reads those without text. */
const insertRelatedRows = async (tx: Db, rows: ReadonlyMap<string, ImportedRow>): Promise<void> => {
  const ledger = [...rows].map(([id, { ledgerPath, ownerId, sizeBytes, modifiedAt, sha256 }]) => ({
    entry: uuidv7(),
    path: ledgerPath,
    owner_id: ownerId,
    size_bytes: sizeBytes,
    modified_at: modifiedAt ?? null,
    sha256,
    id,
  }));
  const events = [...rows].flatMap(([id, row]) =>
    row.events(id).map((event) => {
      const { type, ownerId, documentId, data } = toEventRow(event, row.ownerId);
      return { type, owner_id: ownerId, document_id: documentId, data };
    }),
  );
  const jobs = [...rows].flatMap(([id, { text, maxAttempts }]) => (text === undefined ? [{ job: uuidv7(), id, maxAttempts }] : []));
  await tx.execute(sql`
    with noted as (
      insert into ingest_ledger (id, route, path, owner_id, size_bytes, modified_at, sha256, state, document_id)
      select entry, 'import', path, owner_id, size_bytes, modified_at, sha256, 'ingested', id
      from jsonb_to_recordset(${json(ledger)}) as g (entry uuid, path text, owner_id uuid, size_bytes bigint, modified_at timestamptz,
        sha256 text, id uuid)
    ), queued as (
      insert into ocr_jobs (id, document_id, status, priority, max_attempts)
      select job, id, 'pending', ${JOB_PRIORITIES.low}::smallint, "maxAttempts"
      from jsonb_to_recordset(${json(jobs)}) as g (job uuid, id uuid, "maxAttempts" int)
    )
    insert into events (type, owner_id, document_id, data)
    select type, owner_id, document_id, data
    from jsonb_to_recordset(${json(events)}) as g (type text, owner_id uuid, document_id uuid, data jsonb)`);
  await tx.execute(sql`select pg_notify(${CHANNELS.events}, '')${jobs.length === 0 ? sql`` : sql`, pg_notify(${CHANNELS.jobs}, '')`}`);
};

/**
 * Creates documents with everything that becomes true with them: pages, ledger, events, and jobs for those without text. Answers for each
 * row what it became, or undefined where its owner has these bytes. An archive number that another document has is left out.
 */
export const insertImported = async (
  tx: Db,
  rows: readonly ImportedRow[],
): Promise<({ readonly documentId: string; readonly archiveNumber: number | null } | undefined)[]> => {
  const ids = rows.map(() => uuidv7());
  const given = rows.map((row, at) => toJson(ids[at] ?? '', row));
  await lockArchiveNumbers(tx, given);
  const inserted = new Map((await insertDocuments(tx, given)).map((row) => [row.id, row]));
  const made = new Map(rows.flatMap((row, at) => (inserted.has(ids[at] ?? '') ? [[ids[at] ?? '', row] as const] : [])));
  if (made.size > 0) {
    await insertPages(tx, made);
    await insertRelatedRows(tx, made);
  }
  return ids.map((id) => {
    const row = inserted.get(id);
    return row && { documentId: id, archiveNumber: row.archive_number };
  });
};

/** The bytes of an owner. */
interface OwnedBytes {
  readonly ownerId: string;
  readonly received: { readonly sha256: string };
}

/** Answers the document of an owner with these bytes, which throws where it was deleted meanwhile. Locked until the end of the transaction. */
export const findByHashes = async (tx: Db, wanted: readonly OwnedBytes[]): Promise<(one: OwnedBytes) => string> => {
  const { rows } =
    wanted.length === 0
      ? { rows: [] }
      : await tx.execute<{ id: string; owner_id: string; sha256: string }>(sql`
          select id, owner_id, sha256 from documents where (owner_id, sha256) in (
            select owner_id, sha256
            from jsonb_to_recordset(${json(wanted.map(({ ownerId, received: { sha256 } }) => ({ owner_id: ownerId, sha256 })))})
              as g (owner_id uuid, sha256 text))
          order by id for no key update`);
  const found = new Map(rows.map((row) => [`${row.owner_id} ${row.sha256}`, row.id]));
  return ({ ownerId, received: { sha256 } }) => {
    const id = found.get(`${ownerId} ${sha256}`);
    if (id === undefined) throw reasonedError('SERVICE_UNAVAILABLE', 'duplicate_just_deleted');
    return id;
  };
};

/** What is here already of what a file would bring: its bytes, and its archive number. */
export const findImportedClash = async (
  db: Db,
  { ownerId, sha256, archiveNumber }: { readonly ownerId: string; readonly sha256: string; readonly archiveNumber: number | undefined },
): Promise<{ readonly documentId: string | undefined; readonly isNumberTaken: boolean }> => {
  const { rows } = await db.execute<{ id: string | null; taken: boolean }>(sql`
    select (select id from documents where owner_id = ${ownerId}::uuid and sha256 = ${sha256}) as id,
      exists (select from documents where archive_number = ${archiveNumber ?? null}::int) as taken`);
  return { documentId: rows[0]?.id ?? undefined, isNumberTaken: rows[0]?.taken === true };
};
