import { deleteDocument } from '@sheaf/documents';
import type { TestDatabase } from '@sheaf/testkit';

/** Moves a document to the trash, as far as its file is concerned. */
export const moveFileToTrash = async ({ db, pool }: TestDatabase, id: string): Promise<void> => {
  await pool.query(
    `insert into trashed_documents
        (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at, reason, was_indexed)
      select id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at, 'deleted', false
      from documents where id = $1`,
    [id],
  );
  await deleteDocument(db, id);
};

/** Makes the file of the document `from`, which goes, an earlier version of the document `id`. */
export const moveFileToVersion = async ({ db, pool }: TestDatabase, from: string, id: string): Promise<void> => {
  await pool.query(
    `insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at)
      select $2, 1, filename, mime_type, size_bytes, sha256, file_path, ocr_language, source, created_at from documents where id = $1`,
    [from, id],
  );
  await pool.query('update documents set version = 2 where id = $1', [id]);
  await deleteDocument(db, from);
};
