import type { TrashedDocumentBody } from '@sheaf/contract/documents';
import type { TrashedDocument } from '@sheaf/trash';

/** A document in the trash as it goes over the wire, where it stays for `retentionMs`. */
export const toTrashedBody = (trashed: TrashedDocument, retentionMs: number): TrashedDocumentBody => ({
  id: trashed.id,
  title: trashed.title,
  filename: trashed.filename,
  mime_type: trashed.mimeType,
  size: trashed.sizeBytes,
  sha256: trashed.sha256,
  page_count: trashed.pageCount,
  owner: { id: trashed.ownerId, name: trashed.owner },
  source: trashed.source,
  created_at: trashed.createdAt.toISOString(),
  trashed_at: trashed.trashedAt.toISOString(),
  trashed_by: trashed.trashedBy,
  reason: trashed.reason,
  purge_at: new Date(trashed.trashedAt.getTime() + retentionMs).toISOString(),
});
