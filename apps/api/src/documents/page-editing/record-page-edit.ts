import { codedError, reasonedError } from '@sheaf/contract';
import type { PageEditRequest } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { moveFacts } from '@sheaf/document-facts';
import { lockDocument, lockStoredBytes } from '@sheaf/documents';
import { editContent, findOtherByHash, type PlacedPage, trimVersions } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { enqueueJobs, markPending } from '@sheaf/ocr-queue';
import { indexDocument } from '@sheaf/search';
import type { Storage } from '@sheaf/storage';
import { recordAudit } from '@sheaf/users';
import { extensionOf } from '@sheaf/vocabulary/file-kinds';
import { CONTENT_EXCERPT_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Actor } from '../../http/actor.ts';
import { takeDocuments } from '../select-documents.ts';
import { lockForReplacement } from '../versions/replace-content.ts';
import type { EditableDocuments } from './editable-documents.ts';
import type { ArrangedFile } from './page-arranger.ts';

/** What becomes of the document. */
export interface PageEdit {
  /** As they were when their pages were arranged. */
  readonly documents: EditableDocuments;
  readonly operations: PageEditRequest['operations'];
  readonly pages: readonly PlacedPage[];
  readonly file: ArrangedFile;
}

interface EditSettings {
  readonly maxAttempts: number;
  readonly versionsKeep: number;
}

const PDF = 'application/pdf';

/** A picture becomes a PDF. */
const nameOf = ({ filename, mimeType }: Document): string => {
  if (mimeType === PDF) return filename;
  const extension = extensionOf(filename);
  return `${extension === '' ? filename : filename.slice(0, -extension.length - 1)}.pdf`;
};

/** Throws where a document is not any more what its pages were taken of. */
const requireSame = (before: Document, { id, version, sha256, status }: Document): void => {
  if (version !== before.version || sha256 !== before.sha256)
    throw codedError('DUPLICATE_RESOURCE', 'VERSION_CHANGED', { document_id: id, version });
  if (status !== 'completed') throw codedError('DUPLICATE_RESOURCE', 'DOCUMENT_NOT_PROCESSED', { document_id: id, status });
};

/** Locks the document to be edited, and those that its new pages are from, and returns it. */
const lockAll = async (tx: Db, { principal }: Actor, [edited, ...others]: EditableDocuments): Promise<Document> => {
  const ids = [edited, ...others].map(({ id }) => id);
  // all at once, so that two who append each other's documents do not wait in a circle
  if (others.length > 0) await takeDocuments(tx, principal, { permission: 'documents.read', purpose: 'read' }, { ids });
  const document = await lockForReplacement(tx, principal, edited.id);
  requireSame(edited, document);
  for (const other of others) requireSame(other, await lockDocument(tx, other.id));
  return document;
};

const movesOf = (id: string, pages: readonly PlacedPage[]) =>
  new Map(
    pages
      .map((placed, at) => ({ ...placed, to: at + 1 }))
      .filter(({ documentId }) => documentId === id)
      .toReversed() // of a page that is there twice, the first one counts
      .map(({ page, to, rotateBy }) => [page, { page: to, rotateBy }]),
  );

/**
 * Makes a file of arranged pages the newest version of its document, in the transaction `tx`, with everything that is true from then on:
 * nothing is recognised again. Returns the hashes of versions that are too many now, or undefined where somebody removed the bytes of the
 * new file meanwhile. Throws as `lockForReplacement` does, VERSION_CHANGED and DOCUMENT_NOT_PROCESSED, and `duplicate_file`.
 */
export const recordPageEdit = async (
  tx: Db,
  storage: Storage,
  by: Actor,
  { documents, operations, pages, file }: PageEdit,
  { maxAttempts, versionsKeep }: EditSettings,
): Promise<readonly string[] | undefined> => {
  const { key, ...content } = file;
  const { sha256 } = content;
  await lockStoredBytes(tx, sha256, 'share');
  // whoever removes bytes holds the lock alone: those that are here now are here when we commit
  if ((await storage.stat(key)) === undefined) return undefined;
  const document = await lockAll(tx, by, documents);
  const { id, ownerId } = document;
  if (sha256 === document.sha256) return [];
  const other = await findOtherByHash(tx, ownerId, sha256, id);
  if (other !== undefined) throw reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: other, requeued: false });
  const filename = nameOf(document);
  await editContent(tx, id, { ...content, mimeType: PDF, filename, pages }, CONTENT_EXCERPT_CHARACTERS);
  await moveFacts(tx, id, movesOf(id, pages));
  await markPending(tx, id);
  await enqueueJobs(tx, [id], { maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
  const version = document.version + 1;
  const changes = {
    version,
    filename,
    sha256,
    size: content.sizeBytes,
    mime_type: PDF,
    page_count: pages.length,
    status: 'pending',
  };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, ownerId);
  await recordAudit(tx, {
    actor: by.principal,
    address: by.address,
    action: 'document.pages_edited',
    outcome: 'success',
    subject: { type: 'document', id },
    details: {
      version,
      sha256,
      previous_sha256: document.sha256,
      operations: [...new Set(operations.map(({ op }) => op))],
      appended_document_ids: documents.slice(1).map((one) => one.id),
    },
  });
  return trimVersions(tx, id, versionsKeep);
};
