import { type DocumentBody, pageEditBody, pageEditRequest } from '@sheaf/contract/documents';
import { readWholeDocument } from '@sheaf/documents';
import { MAX_EDITED_PAGES } from '@sheaf/vocabulary/limits';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type Route } from '../../http/route.ts';
import type { DocumentFileServices, DocumentServices } from '../document-services.ts';
import { presentDocument } from '../present-documents.ts';
import { editDocumentPages } from './edit-document-pages.ts';

export const editPages = (services: DocumentServices & DocumentFileServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/documents/{id}/pages/edit',
    access: 'documents.update',
    mayTakeLong: true,
    summary: 'Rotate, delete, move, append and split pages',
    description: `The operations are applied in order and make one new version; the file before stays as an earlier version. Text, words and facts move with their pages, and nothing is recognized again. PDFs and pictures can be edited; a picture becomes a PDF. At most ${MAX_EDITED_PAGES} pages. \`append\` adds the pages of another document that the caller can read, and leaves that document as it is. A signed PDF returns 409 with the reason \`document_is_signed\` unless \`break_signature\` is true. \`split\` also requires documents.create; the new documents have the owner and the labels of this one, and a part that the owner has as a document already is that document. Operations that change nothing make no version.`,
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      DOCUMENT_IS_SIGNED: 'DUPLICATE_RESOURCE',
      DOCUMENT_NOT_PROCESSED: 'DUPLICATE_RESOURCE',
      PAGES_NOT_EDITABLE: 'DUPLICATE_RESOURCE',
      VERSION_CHANGED: 'DUPLICATE_RESOURCE',
    },
    params: idParams,
    body: pageEditRequest,
    status: 200,
    response: pageEditBody,
    handle: async ({ params: { id }, body: request, principal, context }) => {
      const { db } = services.database;
      const by = { principal, address: context.address };
      const ids = await editDocumentPages(services, { id, request, by, signal: context.signal });
      const documents: DocumentBody[] = [];
      for (const one of ids) {
        const document = await readWholeDocument(db, principal, one);
        documents.push(await presentDocument(db, principal, document, document.content));
      }
      return request.operations.at(-1)?.op === 'split' ? { documents } : (documents[0] ?? { documents });
    },
  });
