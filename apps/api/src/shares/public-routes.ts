import { AccessCounter, findSharedDocument } from '@sheaf/search/shares';
import { documentKey } from '@sheaf/storage';
import { z } from 'zod';
import { FILE_REQUEST_HEADERS, fileAnswers, sendStoredFile } from '../documents/stored-file.ts';
import { FORMATS, formatOf } from '../documents/thumbnail.ts';
import { type DeclaredAnswer, type Route, streamRoute } from '../http/route.ts';
import { documentPage } from './document-page.ts';
import { passwordPage, sendNoShare } from './entry-pages.ts';
import { NEVER_KEPT, sendSharePage } from './page-frame.ts';
import { MAX_RESULT_PAGES, resultsPage } from './results-page.ts';
import type { ShareServices } from './share-services.ts';
import { visit, visitBehind } from './visit.ts';

const HTML = ['text/html'];
export const NO_SHARE: DeclaredAnswer = {
  status: 404,
  description: 'The link does not exist, has expired or was revoked, or its creator can no longer see what it leads to',
  contentTypes: HTML,
};
const TO_PASSWORD: DeclaredAnswer = { status: 303, description: 'To the page of the link, which asks for the password' };

/** Whatever stands in the path is a link or none: nothing of it is refused otherwise. */
const shareParams = z.strictObject({ token: z.string() });
const documentParams = z.strictObject({ token: z.string(), id: z.string() });
const pageParams = z.strictObject({ token: z.string(), id: z.string(), page: z.string() });

/** A number of an address; 1 for what is none. Others may have added anything to the address of a link. */
const numberIn = (maximum: number) => z.coerce.number().int().min(1).max(maximum).catch(1);
const MAX_PAGE = 1_000_000;
const shareQuery = z.object({ from: numberIn(MAX_PAGE), page: numberIn(MAX_RESULT_PAGES) }).partial();

const HEAD = {
  access: 'anyone',
  carriesCredentials: true,
} as const;

const open = (services: ShareServices, counter: AccessCounter): Route =>
  streamRoute({
    ...HEAD,
    method: 'get',
    path: '/s/{token}',
    summary: 'Open a share link: a page with the document or the results of the search, or a form for the password',
    content: {
      requestHeaders: { 'Accept-Language': 'Language of the page' },
      answers: [{ status: 200, description: 'The page', contentTypes: HTML }, NO_SHARE],
    },
    params: shareParams,
    query: shareQuery,
    stream: async ({ params: { token }, query: { from = 1, page = 1 }, context: { address } }, http) => {
      const visited = await visit(services, token, http);
      if (visited === undefined) return;
      const { share, translator, path, isLocked } = visited;
      const { db } = services.database;
      if (isLocked) return sendSharePage(http.response, 200, translator, passwordPage(path, translator));
      if (http.request.method === 'GET' && from === 1 && page === 1) await counter.note({ shareId: share.id, address });
      const { subject, sharer, allowDownload } = share;
      const shown =
        subject.kind === 'document'
          ? await documentPage(db, { document: subject.document, from, path, allowDownload, isOfSearch: false }, translator)
          : await resultsPage(db, { search: subject.search, sharer, page, path }, translator);
      sendSharePage(http.response, 200, translator, shown);
    },
  });

const openDocument = (services: ShareServices): Route =>
  streamRoute({
    ...HEAD,
    method: 'get',
    path: '/s/{token}/documents/{id}',
    summary: 'Open a document of a share link',
    content: { answers: [{ status: 200, description: 'The page', contentTypes: HTML }, TO_PASSWORD, NO_SHARE] },
    params: documentParams,
    query: shareQuery,
    stream: async ({ params: { token, id }, query: { from = 1 } }, http) => {
      const visited = await visitBehind(services, token, http);
      if (visited === undefined) return;
      const { share, translator, path } = visited;
      const { db } = services.database;
      const document = await findSharedDocument(db, share, id);
      if (document === undefined) return sendNoShare(http.response, translator);
      const view = { document, from, path, allowDownload: share.allowDownload, isOfSearch: share.subject.kind === 'search' };
      sendSharePage(http.response, 200, translator, await documentPage(db, view, translator));
    },
  });

/** Pixels of the longer side: legible, and far from the original. */
const PICTURE = { width: 1_600, height: 1_600 };

const picture = (services: ShareServices): Route =>
  streamRoute({
    ...HEAD,
    method: 'get',
    path: '/s/{token}/documents/{id}/pages/{page}',
    countsAs: 'picture',
    summary: 'Get the picture of a page of a shared document',
    content: {
      requestHeaders: { Accept: 'image/jpeg or image/png instead of WebP' },
      answers: [{ status: 200, description: 'Image', contentTypes: Object.keys(FORMATS) }, TO_PASSWORD, NO_SHARE],
    },
    errors: { FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: pageParams,
    query: shareQuery,
    stream: async ({ params: { token, id, page }, context }, http) => {
      const visited = await visitBehind(services, token, http);
      if (visited === undefined) return;
      const { request, response } = http;
      const { share, translator } = visited;
      const document = await findSharedDocument(services.database.db, share, id);
      const wanted = { page: numberIn(MAX_PAGE).parse(page), format: formatOf(request), principal: share.sharer };
      const found = document && (await services.thumbnails.find({ document, ...wanted }, PICTURE, context.signal));
      if (found === undefined) return sendNoShare(response, translator);
      response.status(200).type(`image/${wanted.format}`).vary('Accept');
      response.setHeader('Content-Length', found.length);
      response.end(found);
    },
  });

const download = (services: ShareServices, counter: AccessCounter): Route =>
  streamRoute({
    ...HEAD,
    method: 'get',
    path: '/s/{token}/documents/{id}/download',
    summary: 'Download the original file of a shared document, where the link allows it; supports Range',
    content: { requestHeaders: FILE_REQUEST_HEADERS, answers: [...fileAnswers('SHA-256 of the file'), TO_PASSWORD, NO_SHARE] },
    errors: { FILE_MISSING: 'NOT_FOUND', FILE_DAMAGED: 'NOT_FOUND' },
    params: documentParams,
    query: shareQuery,
    stream: async ({ params: { token, id }, context: { address } }, http) => {
      const visited = await visitBehind(services, token, http);
      if (visited === undefined) return;
      const { share, translator } = visited;
      const document = share.allowDownload ? await findSharedDocument(services.database.db, share, id) : undefined;
      if (document === undefined) return sendNoShare(http.response, translator);
      // the parts of one download are one access
      if (http.request.method === 'GET' && http.request.headers.range === undefined) await counter.note({ shareId: share.id, address });
      const { sha256, filename, mimeType, sizeBytes } = document;
      const file = { key: documentKey(sha256), filename, mimeType, sizeBytes, etag: `"${sha256}"` };
      await sendStoredFile(services.storage, { ...file, disposition: 'attachment', cacheControl: NEVER_KEPT }, http);
    },
  });

/** What visitors of links see. None of it asks who they are. */
export const publicShareRoutes = (services: ShareServices): readonly Route[] => {
  const counter = new AccessCounter(services.database.db);
  return [open(services, counter), openDocument(services), picture(services), download(services, counter)];
};
