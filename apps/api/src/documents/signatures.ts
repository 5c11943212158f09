import { codedError } from '@sheaf/contract';
import { signatureListQuery, signaturesBody } from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { idParams } from '../http/parse-input.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { partOf } from '../http/short-list.ts';
import type { DocumentFileServices, DocumentServices } from './document-services.ts';

export const signatures = ({ database: { db }, documentSignatures }: DocumentServices & DocumentFileServices): Route =>
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
    status: 200,
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
      const { rows, ...more } = partOf(data, query, (signature, field) => signature[field]);
      return { data: rows, ...more };
    },
  });
