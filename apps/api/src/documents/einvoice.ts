import { createHash } from 'node:crypto';
import type { FixedConfig } from '@sheaf/config';
import { type AppError, codedError } from '@sheaf/contract';
import { type EinvoiceBody, einvoiceAttachmentParams, einvoiceBody, einvoiceViewQuery } from '@sheaf/contract/documents';
import type { Database } from '@sheaf/db';
import { getDocument, type LabelledDocument } from '@sheaf/documents';
import { EINVOICE_STYLE, type EinvoiceFile, type EinvoiceFiles, type EinvoiceQuestion } from '@sheaf/extraction/einvoice';
import { type ComparedEinvoice, einvoiceUnreadable, getEinvoice } from '@sheaf/filing/facts';
import { documentKey, type Storage, TempArea } from '@sheaf/storage';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { contentDisposition } from './stored-file.ts';

const toBody = ({ invoice, rules, violations, differences, attachments }: ComparedEinvoice): EinvoiceBody => ({
  ...invoice,
  is_valid: violations.length === 0,
  rules,
  violations: [...violations],
  differences: [...differences],
  attachments: [...attachments],
});

const ERRORS = { DOCUMENT_NOT_FOUND: 'NOT_FOUND', EINVOICE_NOT_FOUND: 'NOT_FOUND', EINVOICE_UNREADABLE: 'NOT_FOUND' } as const;
const FILE_ERRORS = { ...ERRORS, FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' } as const;

export const einvoice = ({ database: { db } }: EinvoiceServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/einvoice',
    access: 'documents.read',
    summary: 'Get the data of an e-invoice: an XML invoice, or the XML in a ZUGFeRD or Factur-X PDF',
    description:
      'Documents without an e-invoice return 404 with the code EINVOICE_NOT_FOUND. Where the XML in a PDF cannot be read, the reason is einvoice_unreadable and `details.problem` names the cause.',
    errors: ERRORS,
    params: idParams,
    response: einvoiceBody,
    handle: async ({ params, principal }) => {
      const { id } = await getDocument(db, principal, params.id);
      return toBody(await getEinvoice(db, id));
    },
  });

const STYLE_HASH = createHash('sha256').update(EINVOICE_STYLE).digest('base64');
/** Nothing in it runs, is loaded or leads elsewhere, even if a text of the invoice became markup. */
const VIEW_POLICY = `sandbox; default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

export const einvoiceView = ({ database: { db }, einvoices }: EinvoiceServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/einvoice/view',
    access: 'documents.read',
    summary: 'Get an e-invoice as a page to read and print, in English or German',
    content: { answers: [{ status: 200, description: 'The invoice as HTML, without scripts and links', contentTypes: ['text/html'] }] },
    errors: FILE_ERRORS,
    params: idParams,
    query: einvoiceViewQuery,
    stream: async ({ params, query: { language }, principal, context: { signal } }, { response }) => {
      const document = await getDocument(db, principal, params.id);
      await getEinvoice(db, document.id);
      const { bytes } = await einvoices.make(document, { want: 'view', language }, signal);
      response.setHeader('Content-Security-Policy', VIEW_POLICY);
      response.setHeader('X-Frame-Options', 'SAMEORIGIN');
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.setHeader('Content-Language', language);
      response.status(200).type('text/html; charset=utf-8').end(bytes);
    },
  });

export const einvoiceAttachment = ({ database: { db }, einvoices }: EinvoiceServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/einvoice/attachments/{number}',
    access: 'documents.read',
    summary: 'Download a document that is embedded in an e-invoice',
    description: 'The type that the sender states is not trusted: every attachment is application/octet-stream.',
    content: {
      answers: [
        {
          status: 200,
          description: 'The attachment',
          contentTypes: ['application/octet-stream'],
          headers: { 'Content-Disposition': 'attachment, with the file name (RFC 6266)' },
        },
      ],
    },
    errors: { ...FILE_ERRORS, ATTACHMENT_NOT_FOUND: 'NOT_FOUND' },
    params: einvoiceAttachmentParams,
    stream: async ({ params: { id, number }, principal, context: { signal } }, { response }) => {
      const document = await getDocument(db, principal, id);
      const { attachments } = await getEinvoice(db, document.id);
      if (attachments.find((one) => one.number === number)?.is_embedded !== true) throw attachmentNotFound(id, number);
      const { bytes, name } = await einvoices.make(document, { want: 'attachment', number }, signal);
      response.setHeader('Content-Disposition', contentDisposition('attachment', name ?? `attachment-${number}`));
      response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
      response.setHeader('X-Content-Type-Options', 'nosniff');
      response.status(200).type('application/octet-stream').end(bytes);
    },
  });

const attachmentNotFound = (documentId: string, number: number): AppError =>
  codedError('NOT_FOUND', 'ATTACHMENT_NOT_FOUND', { document_id: documentId, number });

/** What the routes of e-invoices use. */
export interface EinvoiceServices {
  readonly database: Database;
  readonly einvoices: EinvoiceSource;
}

interface Parts {
  readonly config: Pick<FixedConfig, 'storage' | 'ocr'>;
  readonly storage: Storage;
  readonly files: EinvoiceFiles;
}

/** What people see of an e-invoice, made of the stored document. */
export interface EinvoiceSource {
  /** Throws EINVOICE_UNREADABLE, ATTACHMENT_NOT_FOUND and what the storage throws. */
  make(document: LabelledDocument, question: EinvoiceQuestion, signal: AbortSignal): Promise<EinvoiceFile>;
}

export const makeEinvoiceSource = ({ config, storage, files }: Parts): EinvoiceSource => ({
  make: async ({ id, sha256, mimeType }, question, signal) => {
    await using scratch = await new TempArea(config.storage.tempPath).makeScratch('einvoice');
    const path = await storage.localPath(documentKey(sha256), scratch.path);
    const answer = await files.make({ path, mimeType, scratchPath: scratch.path, limits: config.ocr.limits, signal }, question);
    if (answer.ok) return answer.file;
    if (question.want === 'attachment' && answer.problem === 'not_there') throw attachmentNotFound(id, question.number);
    throw einvoiceUnreadable(id, answer.problem);
  },
});
