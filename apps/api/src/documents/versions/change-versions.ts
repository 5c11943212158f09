import { recordAudit } from '@sheaf/accounts/users';
import { AppError, reasonedError } from '@sheaf/contract';
import { documentBody, type SplitInto } from '@sheaf/contract/documents';
import { type Db, violates } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { getDocument, lockDocument, lockStoredBytes, readWholeDocument, type SelectedDocument } from '@sheaf/documents';
import { copyLabels } from '@sheaf/documents/labels';
import { findOtherByHash, getVersion, moveNotes, restoreContent, trimVersions, type Version } from '@sheaf/documents/versions';
import { recordEvent } from '@sheaf/events';
import { ingestVersion, removeTrimmed, toRefusalError, type VersionResult } from '@sheaf/ingest';
import { findParts, forgetSplit, readSplit, recordWholeEntry } from '@sheaf/ingest/split';
import { moveToTrash } from '@sheaf/ingest/trash';
import { enqueueJobs, markPending } from '@sheaf/queue';
import { indexDocument } from '@sheaf/search';
import { CONTENT_EXCERPT_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { idParams, parseInput } from '../../http/parse-input.ts';
import { jsonRoute, type RequestContext, type Route, streamRoute } from '../../http/route.ts';
import { readUploadForm } from '../../http/upload-form.ts';
import type { DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { DOCUMENT_ACTIONS, findDocuments, takeDocuments } from '../select-documents.ts';
import { uploadedFile } from '../uploads.ts';

/** There are none beside the file. */
const OTHER_FIELDS = z.strictObject({});

/** Why a file did not become the newest version. */
const toVersionError = (result: Extract<VersionResult, { outcome: 'refused' | 'duplicate' }>): AppError =>
  result.outcome === 'refused'
    ? toRefusalError(result)
    : reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: result.documentId, requeued: false });

/** The document, which the caller may change, with its job locked so that its file can be replaced. Throws as `takeDocuments` does. */
export const lockForReplacement = async (tx: Db, principal: Principal, id: string) => {
  await takeDocuments(tx, principal, DOCUMENT_ACTIONS.replace, { ids: [id] });
  return lockDocument(tx, id);
};

export const replaceContent = (services: DocumentServices): Route =>
  streamRoute({
    method: 'put',
    path: '/api/documents/{id}/content',
    access: 'documents.update',
    countsAs: 'upload',
    summary: 'Replace the file of a document; the previous file becomes an earlier version',
    description:
      'The document keeps its ID, title, labels, notes and everything that was set by a user, and is processed again. The same limits apply as to uploads. A file that the document has already changes nothing; a file that another document of the owner has returns 409 with its ID.',
    content: {
      form: OTHER_FIELDS.extend({ file: z.file() }),
      answers: [{ status: 200, description: 'The document, queued for processing unless its file is unchanged', schema: documentBody }],
    },
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      INCOMPLETE_FILE: 'VALIDATION_ERROR',
      QUEUE_FULL: 'SERVICE_UNAVAILABLE',
    },
    params: idParams,
    stream: async ({ params: { id }, principal, context: { signal, address } }, { request, response }) => {
      const { db } = services.database;
      const { ownerId } = await getDocument(db, principal, id);
      await findDocuments(db, principal, DOCUMENT_ACTIONS.replace.permission, { ids: [id] }); // before anything is read
      await services.ingest.queue?.requireRoom();
      const { maxFileBytes } = services.ingest.settings.current();
      const result = await readUploadForm(request, { maxFileBytes }, ({ filename, body }, late) =>
        ingestVersion(
          {
            ...uploadedFile(filename, body, principal, services),
            ownerId,
            documentId: id,
            signal,
            deferredOptions: async () => {
              parseInput(OTHER_FIELDS, await late(), 'body');
              return {};
            },
            lock: (tx) => lockForReplacement(tx, principal, id),
            onReplaced: (tx, before, after) =>
              recordAudit(tx, {
                actor: principal,
                address,
                action: 'document.content_replaced',
                outcome: 'success',
                subject: { type: 'document', id },
                details: { version: after.version, sha256: after.sha256, previous_sha256: before.sha256 },
              }),
          },
          services.ingest,
        ),
      );
      if (result.outcome === 'refused' || result.outcome === 'duplicate') throw toVersionError(result);
      const document = await readWholeDocument(db, principal, id);
      response.status(200).json(documentBody.parse(await presentDocument(db, principal, document, document.content)));
    },
  });

const notSplit = (id: string): AppError => reasonedError('DUPLICATE_RESOURCE', 'document_not_split', { document_id: id });

interface SplitDocument {
  readonly document: Document;
  readonly split: SplitInto;
  readonly whole: Version;
  /** Those that there still are. */
  readonly parts: readonly SelectedDocument[];
}

/** The document and its parts, locked: it may be changed by the caller, and they may be deleted by them. Throws why it cannot be undone. */
const takeSplit = async (tx: Db, principal: Principal, id: string): Promise<SplitDocument> => {
  const split = readSplit(await getDocument(tx, principal, id));
  if (split === undefined) throw notSplit(id);
  const ids = await findParts(tx, id, split);
  await findDocuments(tx, principal, DOCUMENT_ACTIONS.update.permission, { ids: [id] });
  await findDocuments(tx, principal, DOCUMENT_ACTIONS.delete.permission, { ids });
  // jobs and documents are locked in one order, whatever is done to each
  const taken = await takeDocuments(tx, principal, { permission: 'documents.read', purpose: 'delete' }, { ids: [id, ...ids] });
  const document = await lockDocument(tx, id);
  const version = readSplit(document)?.version;
  if (version === undefined) throw notSplit(id); // undone in this moment
  if (document.version !== version + 1 || version !== split.version)
    throw reasonedError('DUPLICATE_RESOURCE', 'split_changed', { document_id: id });
  return { document, split, whole: await findWhole(tx, document, version), parts: taken.filter((one) => one.id !== id) };
};

const findWhole = async (tx: Db, document: Document, version: number): Promise<Version> => {
  try {
    return await getVersion(tx, document, version);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VERSION_NOT_FOUND') throw error;
    throw reasonedError('DUPLICATE_RESOURCE', 'split_trimmed', { document_id: document.id }, error);
  }
};

/** What people have added to the parts goes to the document; notes that it has no room for stay with their part in the trash. */
const takeOver = async (tx: Db, { id, notesCount }: Document, parts: readonly SelectedDocument[]) => {
  let [notes, labels] = [notesCount, undefined as readonly string[] | undefined];
  for (const part of parts) {
    labels = await copyLabels(tx, part.id, id);
    const own = (await lockDocument(tx, part.id)).notesCount;
    if (notes + own <= MAX_NOTES) notes = await moveNotes(tx, part.id, id);
  }
  return { notes_count: notes, ...(labels === undefined ? {} : { labels }) };
};

/** Returns the hashes of versions that are too many now. */
const undoIn = async (
  tx: Db,
  id: string,
  principal: Principal,
  { address }: Pick<RequestContext, 'address'>,
  { maxAttempts, versionsKeep }: { readonly maxAttempts: number; readonly versionsKeep: number },
): Promise<string[]> => {
  const { document, split, whole, parts } = await takeSplit(tx, principal, id);
  const taken = await takeOver(tx, document, parts);
  await moveToTrash(tx, parts, { reason: 'deleted', by: { principal, address }, details: { split_of: id } });
  await forgetSplit(tx, id);
  await restoreFile(tx, document, whole, maxAttempts);
  await recordWholeEntry(tx, document);
  const { sha256, sizeBytes: size, filename, mimeType } = whole;
  const version = document.version + 1;
  const changes = { version, restored_version: split.version, filename, sha256, size, mime_type: mimeType, status: 'pending', ...taken };
  await recordEvent(tx, { type: 'document_updated', document_id: id, changes }, document.ownerId);
  await recordAudit(tx, {
    actor: principal,
    address,
    action: 'document.split_undone',
    outcome: 'success',
    subject: { type: 'document', id },
    details: { version, restored_version: split.version, parts: parts.map((part) => part.id) },
  });
  return trimVersions(tx, id, versionsKeep);
};

export const undoSplit = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/split/undo',
    access: 'documents.update',
    summary: 'Undo the split of a document',
    description:
      'The document has all of its pages again, as its newest version, and the other parts move to the trash; their labels and notes are added to the document. `metadata.split_into` of the document names the parts. Requires documents.update for the document and documents.delete for the parts. Returns 409 with the reason `document_not_split`, `split_changed` if the file of the document was replaced since, or `split_trimmed` if VERSIONS_KEEP has removed the version with all pages.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    params: idParams,
    response: documentBody,
    handle: ({ params: { id }, principal, context }) =>
      restoreAndPresent(services, principal, id, (tx) => undoIn(tx, id, principal, context, services.ingest.settings.current())),
  });

/** The owner has the file as another document; undefined: it came in this moment. */
const fileOfAnother = (documentId: string | undefined) =>
  reasonedError('DUPLICATE_RESOURCE', 'duplicate_file', { document_id: documentId ?? null, requeued: false });

/** Makes the file of an earlier version of a locked document the newest one, and queues what is left to do. Throws `duplicate_file`. */
export const restoreFile = async (tx: Db, { id, ownerId }: Document, { version, sha256 }: Version, maxAttempts: number): Promise<void> => {
  await lockStoredBytes(tx, sha256, 'share');
  const other = await findOtherByHash(tx, ownerId, sha256, id);
  if (other !== undefined) throw fileOfAnother(other);
  await restoreContent(tx, id, version, CONTENT_EXCERPT_CHARACTERS);
  await markPending(tx, id);
  // its pages are there, so that nothing is recognised again: what is left are the facts, the e-invoice and the rules
  await enqueueJobs(tx, [id], { maxAttempts, priority: 'high' });
  await indexDocument(tx, id);
};

/**
 * Runs `change`, which restores a file and returns the hashes of versions that are too many then, and removes their bytes. Returns the document as
 * the caller sees it.
 */
export const restoreAndPresent = async (
  { database: { db }, storage }: Pick<DocumentServices, 'database' | 'storage'>,
  principal: Principal,
  id: string,
  change: (tx: Db) => Promise<string[]>,
) => {
  try {
    await removeTrimmed({ db, storage }, await db.transaction(change));
  } catch (error) {
    if (violates(error, 'documents_owner_sha256_key')) throw fileOfAnother(undefined); // uploaded in this moment
    throw error;
  }
  const document = await readWholeDocument(db, principal, id);
  return presentDocument(db, principal, document, document.content);
};
