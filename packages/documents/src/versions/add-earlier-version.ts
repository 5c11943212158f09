import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import type { DocumentVersion } from '@sheaf/db/schema';

/** A file that a document had in another system, with its text there. */
export interface EarlierVersion
  extends Pick<
    DocumentVersion,
    'version' | 'filename' | 'mimeType' | 'sizeBytes' | 'sha256' | 'filePath' | 'pageCount' | 'source' | 'createdAt'
  > {
  readonly pages: readonly { readonly content: string; readonly language: string | null }[];
  /** The number of the file that the document has now, and when that came. */
  readonly newest: number;
  readonly newestCreatedAt: Date;
}

/**
 * Puts a file below the one that a document has. False where there is no such document any more, or it has got another file since: then
 * its numbers are others. A version that is there stays.
 */
export const addEarlierVersion = async (tx: Db, id: string, earlier: EarlierVersion): Promise<boolean> => {
  const { version, filename, mimeType, sizeBytes, sha256, filePath, pageCount, source, createdAt, pages, newest, newestCreatedAt } =
    earlier;
  const { rowCount } = await tx.execute(sql`
    update documents set version = ${newest}, version_created_at = ${newestCreatedAt.toISOString()}::timestamptz
    where id = ${id} and version in (1, ${newest})`);
  if (rowCount !== 1) return false;
  const added = await tx.execute(sql`
    insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language, source, created_at)
    select id, ${version}::int, ${filename}::text, ${mimeType}::text, ${sizeBytes}::bigint, ${sha256}::text, ${filePath}::text, ${pageCount}::int,
      ocr_language, ${source}::text, ${createdAt.toISOString()}::timestamptz
    from documents where id = ${id}
    on conflict do nothing`);
  if (added.rowCount === 1)
    await tx.execute(sql`
      insert into document_version_pages (document_id, version, page, content, confidence, origin, language)
      select ${id}::uuid, ${version}::int, page, content, 1, 'import', language
      from jsonb_to_recordset(${JSON.stringify(pages.map((page, at) => ({ ...page, page: at + 1 })))}::jsonb) as given (page int, content text, language text)`);
  return true;
};
