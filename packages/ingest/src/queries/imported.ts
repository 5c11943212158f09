import { reasonedError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { Document } from '@sheaf/db/schema';
import { BYTES_LOCKS } from '@sheaf/documents';
import { areTaken, type UniqueFields, withFreeFields } from '@sheaf/documents/unique-fields';
import type { SheafEvent } from '@sheaf/vocabulary/events';
import type { ImportedText } from '../imported/ingest-version.ts';
import { insertDocuments, type NewDocument } from './insert-documents.ts';

/** A file of an archive whose bytes are stored. */
export interface ImportedRow extends NewDocument {
  readonly maxAttempts: number;
  readonly ledgerPath: string;
  readonly modifiedAt: Date | undefined;
  readonly text: ImportedText | undefined;
  /** Told in this order. */
  readonly events: (documentId: string) => readonly SheafEvent[];
}

/** Holds stored bytes, shared, until the end of the transaction, in an order that all who hold several keep. */
export const lockBytes = async (tx: Db, hashes: readonly string[]): Promise<void> => {
  await tx.execute(sql`
    select pg_advisory_xact_lock_shared(${BYTES_LOCKS}::int, key)
    from (select distinct hashtext(hash) as key from unnest(${sql.param([...hashes])}::text[]) as hash order by 1) as locks`);
};

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

const pagesOf = (document: Document | undefined, text: ImportedText | undefined) =>
  document === undefined || text === undefined
    ? []
    : text.pages.map((content, at) => ({ id: document.id, page: at + 1, content, language: text.languages?.[at] ?? null }));

const insertPages = async (tx: Db, rows: readonly ImportedRow[], made: readonly (Document | undefined)[]): Promise<void> => {
  const pages = made.flatMap((document, place) => pagesOf(document, rows[place]?.text));
  if (pages.length > 0)
    await tx.execute(sql`
      insert into document_pages (document_id, page, content, confidence, origin, language)
      select id, page, content, 1, 'import', language
      from jsonb_to_recordset(${json(pages)}) as g (id uuid, page int, content text, language text)`);
};

/**
 * Creates documents with everything that becomes true with them: pages, ledger, events, and jobs for those without text. Answers for each
 * row what it became, or undefined where its owner has these bytes. An archive number that another document has is left out.
 */
export const insertImported = async (tx: Db, rows: readonly ImportedRow[]): Promise<(Document | undefined)[]> => {
  const made = await insertDocuments(tx, await withFreeFields(tx, rows), {
    ledger: ({ ledgerPath, modifiedAt }) => ({ path: ledgerPath, modifiedAt }),
    events: ({ events }, id) => events(id),
    jobs: ({ text, maxAttempts }) => (text === undefined ? { priority: 'low', maxAttempts } : undefined),
  });
  await insertPages(tx, rows, made);
  return made;
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

/** What exists already of what a file would bring: its bytes, and its archive number. */
export const findImportedClash = async (
  db: Db,
  { ownerId, sha256, fields }: { readonly ownerId: string; readonly sha256: string; readonly fields: UniqueFields },
): Promise<{ readonly documentId: string | undefined; readonly isNumberTaken: boolean }> => {
  const { rows } = await db.execute<{ id: string | null; taken: boolean }>(sql`
    select (select id from documents where owner_id = ${ownerId}::uuid and sha256 = ${sha256}) as id, ${areTaken(fields)} as taken`);
  return { documentId: rows[0]?.id ?? undefined, isNumberTaken: rows[0]?.taken === true };
};
