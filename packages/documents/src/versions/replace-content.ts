import type { Db } from '@sheaf/db';
import { eq, type SQL, sql } from '@sheaf/db/drizzle';
import { type Document, documentEinvoices, documentFacts, documents } from '@sheaf/db/schema';

/** What the new file of a document is, where it lies, and, where that differs from the file before, how it came. */
export type DocumentContent = Pick<Document, 'sha256' | 'sizeBytes' | 'mimeType' | 'filePath'> &
  Partial<Pick<Document, 'filename' | 'source' | 'sourceId'>>;

/** Pages wait as stale for those of a new file: of a version that was never processed to its end, these are pages of the one before. */
const areOfEarlierVersion = sql`document_pages.is_stale and documents.version_created_at is not null
  and (documents.completed_at is null or documents.completed_at < documents.version_created_at)`;

/** Copies the file that a document has now, with its pages, among its earlier versions. Lock the document first. */
export const keepVersion = async (tx: Db, id: string): Promise<void> => {
  await tx.execute(sql`
    insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language,
      ocr_confidence, language, source, source_id, created_at)
    select id, version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language, ocr_confidence, language, source, source_id,
      coalesce(version_created_at, created_at)
    from documents where id = ${id}`);
  await tx.execute(sql`
    insert into document_version_pages (document_id, version, page, content, confidence, origin, error, words, language)
    select documents.id, documents.version, page, content, confidence, origin, error, words, document_pages.language
    from document_pages join documents on documents.id = document_pages.document_id
    where documents.id = ${id} and not (${areOfEarlierVersion})`);
};

/** Of a document that has another file: what was known of the one before is of that one. */
export const FORGOTTEN = {
  hasEinvoice: false,
  isSigned: false,
  sourceRemovedAt: null,
  needsAttention: false,
  missingLanguage: null,
} as const;

/** Of a document that gets another file: it is its next version. */
export const nextVersion = { version: sql`${documents.version} + 1`, versionCreatedAt: sql`now()`, updatedAt: sql`now()` };

/** Forgets what stood on the pages of a document that gets other pages; its facts stay until they are found anew, in no place. */
const forgetPages = async (tx: Db, id: string): Promise<void> => {
  await tx.delete(documentEinvoices).where(eq(documentEinvoices.documentId, id));
  const nowhere = { page: null, x: null, y: null, width: null, height: null };
  await tx.update(documentFacts).set(nowhere).where(eq(documentFacts.documentId, id));
};

/**
 * Puts another file under the document, which is its next version; the file before is kept as an earlier one. Lock the document first, and
 * queue it to be processed: its pages stay those of the old file until then.
 */
export const replaceContent = async (tx: Db, id: string, content: DocumentContent): Promise<void> => {
  await keepVersion(tx, id);
  await forgetPages(tx, id);
  await tx
    .update(documents)
    .set({ ...content, ...FORGOTTEN, ...nextVersion, pageCount: null, ocrConfidence: null, language: null })
    .where(eq(documents.id, id));
};

/** What lists show of the text of a document. */
export const excerptOf = (id: string, characters: number): SQL => sql`coalesce((
  select left(string_agg(left(content, ${characters}::int), ' ' order by page), ${characters}::int)
  from (select page, content from document_pages where document_id = ${id} and content <> '' order by page limit 20) as first_pages), '')`;

/**
 * Makes the file of an earlier version, which exists, the newest one again, with the pages that it had. Lock the document first, and queue
 * it to be finished: facts and search entry are still those of the file before.
 */
export const restoreContent = async (tx: Db, id: string, version: number, excerptCharacters: number): Promise<void> => {
  await keepVersion(tx, id);
  await tx.execute(sql`delete from document_pages where document_id = ${id}`);
  await tx.execute(sql`
    insert into document_pages (document_id, page, content, confidence, origin, error, words, language)
    select document_id, page, content, confidence, origin, error, words, language
    from document_version_pages where document_id = ${id} and version = ${version}`);
  await forgetPages(tx, id);
  await tx.execute(sql`
    update documents set filename = earlier.filename, mime_type = earlier.mime_type, size_bytes = earlier.size_bytes, sha256 = earlier.sha256,
      file_path = earlier.file_path, page_count = earlier.page_count, ocr_language = earlier.ocr_language,
      ocr_confidence = earlier.ocr_confidence, language = earlier.language, source = earlier.source, source_id = earlier.source_id,
      content_excerpt = ${excerptOf(id, excerptCharacters)}
    from document_versions as earlier where earlier.document_id = documents.id and earlier.version = ${version} and documents.id = ${id}`);
  await tx
    .update(documents)
    .set({ ...FORGOTTEN, ...nextVersion })
    .where(eq(documents.id, id));
};

/** Removes the pages of the version before from a document whose own file could not be processed. */
export const deleteEarlierPages = async (tx: Db, id: string): Promise<void> => {
  await tx.execute(sql`
    delete from document_pages using documents
    where documents.id = document_pages.document_id and documents.id = ${id} and ${areOfEarlierVersion}`);
};

/**
 * Forgets the earlier versions of a document but the last `keep`, all of them being kept by 0, and returns the hashes of those that went:
 * their bytes are to be removed after the commit.
 */
export const trimVersions = async (tx: Db, id: string, keep: number): Promise<string[]> => {
  if (keep === 0) return [];
  const { rows } = await tx.execute<{ sha256: string }>(sql`
    delete from document_versions where document_id = ${id} and version not in (
      select version from document_versions where document_id = ${id} order by version desc limit ${keep})
    returning sha256`);
  return [...new Set(rows.map(({ sha256 }) => sha256))];
};
