import { codedError, documentNotFound, type PageQuery } from '@sheaf/contract';
import {
  documentBody,
  documentListQuery,
  pageParams,
  pageWordsBody,
  signatureListQuery,
  signaturesBody,
  similarDocumentsBody,
  similarListQuery,
  similarParams,
  uploadLimitsBody,
} from '@sheaf/contract/documents';
import { queueItemBody, retryRequest } from '@sheaf/contract/queue';
import type { Db } from '@sheaf/db';
import { getDocument, listDocuments, listDocumentsAfter, readInOrder } from '@sheaf/documents';
import { fieldConditions } from '@sheaf/documents/custom-fields';
import { readPageWords } from '@sheaf/documents/pages';
import { recordEvent } from '@sheaf/events';
import { dismissSimilar, listSimilar } from '@sheaf/filing/near-duplicates';
import { runOcrAgain } from '@sheaf/ingest';
import { getQueueItemOfDocument } from '@sheaf/queue';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import { listRoute, partOf } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { emptyRoute, jsonRoute, type Route } from '../http/route.ts';
import { statusOf, toQueueItemBody } from '../queue/routes.ts';
import { bulkActions } from './bulk-actions.ts';
import { bulkDownload, createDownloadTicket, downloadByTicket } from './bulk-download.ts';
import { type DocumentFileServices, type DocumentServices, nextNumber } from './document-services.ts';
import { download } from './download.ts';
import { type EinvoiceServices, einvoice, einvoiceAttachment, einvoiceView } from './einvoice.ts';
import { choose, facts } from './facts.ts';
import { createNote, notes, removeNote } from './notes.ts';
import { read, remove, update } from './one-document.ts';
import { editPages } from './page-editing/edit-pages.ts';
import { pages, presentDocuments } from './present-documents.ts';
import { preview, thumbnail } from './preview-and-thumbnail.ts';
import { DOCUMENT_ACTIONS, takeDocuments, toFilter } from './select-documents.ts';
import { bulkUpload, upload } from './uploads.ts';
import { versionRoutes } from './versions/routes.ts';

export const documentRoutes = (services: DocumentServices & DocumentFileServices & EinvoiceServices): readonly Route[] => [
  upload(services),
  uploadLimits(services),
  bulkUpload(services),
  bulkActions(services),
  bulkDownload(services),
  createDownloadTicket(services),
  downloadByTicket(services),
  list(services),
  read(services),
  ...update(services),
  remove(services),
  download(services),
  pages(services),
  pageWords(services),
  editPages(services),
  facts(services),
  choose(services),
  einvoice(services),
  einvoiceView(services),
  einvoiceAttachment(services),
  signatures(services),
  similar(services),
  dismiss(services),
  notes(services),
  createNote(services),
  removeNote(services),
  thumbnail(services),
  preview(services),
  retryOcr(services),
  ...versionRoutes(services),
  nextNumber(services),
];

const uploadLimits = ({ ingest: { settings } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/upload-limits',
    access: 'documents.create',
    summary: 'Get the size and types that an upload may have',
    response: uploadLimitsBody,
    handle: async (_input) => {
      const { maxFileBytes, allowedFileTypes } = settings.current();
      return { max_file_bytes: maxFileBytes, extensions: [...allowedFileTypes.upload] };
    },
  });

const pageWords = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/pages/{page}/words',
    access: 'documents.read',
    summary: 'Get the words of a page with their positions',
    description:
      'Words of scanned pages and of text layers. The list is empty where no positions are known: text files, and pages processed by a version that did not store them. Running OCR again stores them.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', PAGE_NOT_FOUND: 'NOT_FOUND' },
    params: pageParams,
    response: pageWordsBody,
    handle: async ({ params: { id, page }, principal }) => {
      const document = await getDocument(db, principal, id);
      const found = await readPageWords(db, document.id, page);
      if (found === undefined) throw codedError('NOT_FOUND', 'PAGE_NOT_FOUND', { document_id: id, page });
      const { width = null, height = null, origin, words = [] } = found;
      return {
        page,
        width,
        height,
        origin,
        words: words.map(({ text, start = 0, box, confidence }) => ({ text, start, ...box, confidence })),
      };
    },
  });

const filterOf = async (db: Db, principal: Principal, query: Omit<z.infer<typeof documentListQuery>, keyof PageQuery>) => ({
  ...toFilter(query, await fieldConditions(db, principal, query.fields)),
  sort: query.sort,
  order: query.order,
});

const list = ({ cursors }: DocumentServices): Route =>
  listRoute({
    cursors,
    path: '/api/documents',
    access: 'documents.read',
    mayReadReplica: true,
    summary: 'List documents',
    query: documentListQuery,
    name: 'data',
    item: documentBody,
    page: async ({ query: q, principal, context: { db } }) => {
      const filter = await filterOf(db, principal, q);
      const { rows, total } = await listDocuments(db, principal, { page: q.page, perPage: q.per_page, ...filter });
      return { rows: await presentDocuments(db, principal, rows), total };
    },
    cut: async ({ query: q, principal, context: { db } }, part) => {
      const { rows, next } = await listDocumentsAfter(db, principal, { ...(await filterOf(db, principal, q)), ...part });
      return { rows: await presentDocuments(db, principal, rows), next };
    },
  });

const retryOcr = (services: DocumentServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/retry-ocr',
    access: 'ocr.update',
    summary:
      'Run OCR again, optionally with another language or priority; the previous text remains until it is replaced, text that was edited also then',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', DOCUMENT_IS_PROCESSING: 'DUPLICATE_RESOURCE' },
    params: idParams,
    body: retryRequest.optional(),
    // Choice: the specification's table of operations says 200, which goes before the contract's 202.
    response: queueItemBody,
    handle: async ({ params, body = {}, principal }) => {
      const { database, clock, ingest } = services;
      const document = await getDocument(database.db, principal, params.id);
      await services.languages.requireInstalled(body.language);
      await database.db.transaction(async (tx) => {
        const documents = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.retry_ocr, { ids: [document.id] });
        const { replace_edited: replacesEdited, ...order } = body;
        await runOcrAgain(tx, documents, { maxAttempts: ingest.settings.current().maxAttempts, ...order, replacesEdited });
      });
      return toQueueItemBody(
        await getQueueItemOfDocument(database.db, principal, document.id),
        await statusOf(principal, services),
        clock.now(),
      );
    },
  });

const signatures = ({ database: { db }, documentSignatures }: DocumentServices & DocumentFileServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/signatures',
    access: 'documents.read',
    summary: 'Get the digital signatures of a PDF',
    description:
      'The list is empty for documents without signatures and for other file types. `is_valid` says that the signed part of the file is unchanged. Whether the certificate belongs to the signer is not checked.',
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      SIGNATURES_UNREADABLE: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
    },
    params: idParams,
    query: signatureListQuery,
    response: signaturesBody,
    handle: async ({ params, query, principal, context }) => {
      const document = await getDocument(db, principal, params.id);
      const found = await documentSignatures.find(document, principal, context.signal);
      if (!found.ok) throw codedError('NOT_FOUND', 'SIGNATURES_UNREADABLE', { document_id: document.id, problem: found.problem });
      const data = found.signatures.map(({ signer, signedAt, isValid, coversWholeDocument, problem }) => ({
        signer: signer ?? null,
        signed_at: signedAt?.toISOString() ?? null,
        is_valid: isValid,
        covers_whole_document: coversWholeDocument,
        reason: problem ?? null,
      }));
      return partOf('data', data, query, (signature, field) => signature[field]);
    },
  });

const similar = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/similar',
    access: 'documents.read',
    summary: 'List the near-duplicates of a document',
    description:
      'Documents visible to the caller with nearly the same text, such as a second scan of the same paper, at most 50, the most similar first by default. `sort=title` and `sort=created_at` sort by the documents. They are found some seconds after processing. Dismissed ones are left out.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: similarListQuery,
    response: similarDocumentsBody,
    handle: async ({ params, query, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      const found = await listSimilar(db, principal, id);
      const rows = await readInOrder(
        db,
        found.map(({ documentId }) => documentId),
      );
      const similarities = new Map(found.map(({ documentId, similarity }) => [documentId, similarity]));
      const bodies = await presentDocuments(db, principal, rows);
      const data = bodies.map((document) => ({ document, similarity: similarities.get(document.id) ?? 0 }));
      return partOf('data', data, query, (row, field) => (field === 'similarity' ? row.similarity : row.document[field]));
    },
  });

const dismiss = ({ database: { db } }: DocumentServices): Route =>
  emptyRoute({
    method: 'post',
    path: '/api/documents/{id}/similar/{other_id}/dismiss',
    access: 'documents.update',
    summary: 'Remember that two documents are not duplicates',
    description:
      'For both documents, in either order. They are no longer listed as near-duplicates of each other, also after processing again.',
    done: 'Dismissed',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: similarParams,
    handle: async ({ params: { id, other_id: otherId }, principal }) => {
      if (id === otherId) throw documentNotFound(otherId); // none is a duplicate of itself
      await db.transaction(async (tx) => {
        const both = await takeDocuments(tx, principal, DOCUMENT_ACTIONS.update, { ids: [id, otherId] });
        await dismissSimilar(tx, id, otherId);
        for (const document of both) {
          const changes = { similar_dismissed: true };
          await recordEvent(tx, { type: 'document_updated', document_id: document.id, changes }, document.ownerId);
        }
      });
    },
  });
