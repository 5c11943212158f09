import {
  documentPageListQuery,
  documentPagesBody,
  type VersionBody,
  versionListQuery,
  versionParams,
  versionsBody,
} from '@sheaf/contract/documents';
import { getDocument } from '@sheaf/documents';
import { getVersion, listVersionPages, listVersions, type Version } from '@sheaf/documents/versions';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { idParams } from '../../http/parse-input.ts';
import { jsonRoute, type Route, streamRoute } from '../../http/route.ts';
import { partOf } from '../../http/short-list.ts';
import type { DocumentServices } from '../document-services.ts';
import { inlineQuery, sendDocumentFile } from '../download.ts';
import { answerPages } from '../pages.ts';
import { sendPreview } from '../preview.ts';
import { FILE_REQUEST_HEADERS, fileAnswers } from '../stored-file.ts';

const toVersionBody = (version: Version): VersionBody => ({
  version: version.version,
  created_at: version.createdAt.toISOString(),
  filename: version.filename,
  mime_type: version.mimeType,
  sha256: version.sha256,
  size: version.sizeBytes,
  page_count: version.pageCount,
  source: version.source,
  is_current: version.isCurrent,
});

export const versions = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions',
    access: 'documents.read',
    summary: 'List the versions of a document, the newest first by default',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND' },
    params: idParams,
    query: versionListQuery,
    status: 200,
    response: versionsBody,
    handle: async ({ params, query, principal }) => {
      const document = await getDocument(db, principal, params.id);
      const { rows, ...more } = partOf((await listVersions(db, document)).map(toVersionBody), query, (version, field) => version[field]);
      return { data: rows, ...more };
    },
  });

export const versionDownload = ({ database: { db }, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/download',
    access: 'documents.read',
    summary: 'Download the file of a version; supports Range and If-None-Match',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('SHA-256 of the file') },
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND', FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: versionParams,
    query: inlineQuery,
    stream: async ({ params, query, principal }, http) => {
      const version = await getVersion(db, await getDocument(db, principal, params.id), params.version);
      await sendDocumentFile(storage, version, query, http);
    },
  });

export const versionPreview = ({ database: { db }, storage }: DocumentServices): Route =>
  streamRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/preview',
    access: 'documents.read',
    summary: 'Get the PDF preview of a version: the converted office document, or the PDF itself',
    description: 'Other types, and an office document that was replaced before it was processed, return 404.',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: fileAnswers('ETag of the preview', 'application/pdf') },
    errors: {
      DOCUMENT_NOT_FOUND: 'NOT_FOUND',
      VERSION_NOT_FOUND: 'NOT_FOUND',
      PREVIEW_NOT_AVAILABLE: 'NOT_FOUND',
      FILE_MISSING: 'NOT_FOUND',
      FILE_DAMAGED: 'NOT_FOUND',
    },
    params: versionParams,
    stream: async ({ params, principal }, http) => {
      const document = await getDocument(db, principal, params.id);
      await sendPreview(storage, document, await getVersion(db, document, params.version), http);
    },
  });

export const versionPages = ({ database: { db } }: DocumentServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/documents/{id}/versions/{version}/pages',
    access: 'documents.read',
    summary: `Get the text of a version by page, at most ${MAX_PAGES_PER_ANSWER} pages per response`,
    description: 'A version that was replaced before it was processed has no pages.',
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', VERSION_NOT_FOUND: 'NOT_FOUND' },
    params: versionParams,
    query: documentPageListQuery,
    status: 200,
    response: documentPagesBody,
    handle: async ({ params, query, principal }) => {
      const version = await getVersion(db, await getDocument(db, principal, params.id), params.version);
      return answerPages(query, (request) => listVersionPages(db, version, request));
    },
  });
