import { escapeHtml } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import type { LabelledDocument } from '@sheaf/documents';
import { listPages } from '@sheaf/documents/pages';
import { chooseLocale, type Translator } from '@sheaf/messages';
import { loadTranslator } from '@sheaf/messages/translators';
import type { SavedSearch } from '@sheaf/search/saved-searches';
import {
  AccessCounter,
  findSharedDocument,
  isProof,
  listSharedResults,
  makeProof,
  type OpenShare,
  openShare,
  type SharedResult,
  tryPassword,
} from '@sheaf/search/shares';
import { documentKey } from '@sheaf/storage';
import { MAX_SEARCH_RESULTS, SHARE_PASSWORD_CHARACTERS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import express from 'express';
import { z } from 'zod';
import { readCookie } from '../auth/session-cookie.ts';
import { FORMATS, formatOf } from '../documents/preview-and-thumbnail.ts';
import { FILE_REQUEST_HEADERS, fileAnswers, sendStoredFile } from '../documents/stored-file.ts';
import { behindFeature } from '../http/offered-routes.ts';
import { type DeclaredAnswer, type Route, streamRoute } from '../http/route.ts';
import { list, revoke, type ShareServices, shareDocument, shareSavedSearch } from './change-shares.ts';
import { NEVER_KEPT, type SharePage, sendSharePage, setShareHeaders } from './page-frame.ts';

/** What a browser keeps after a right password. It is sent to the one link only. */
const PROOF_COOKIE = 'sheaf_share';

interface Http {
  readonly request: Request;
  readonly response: Response;
}

/** The language that a visitor prefers. */
const translatorOf = (request: Request): Promise<Translator> => loadTranslator(chooseLocale(request.acceptsLanguages()));

const pathOf = (token: string): string => `/s/${encodeURIComponent(token)}`;

interface Visit {
  readonly share: OpenShare;
  readonly translator: Translator;
  readonly path: string;
  /** Whether the password still has to be given. */
  readonly isLocked: boolean;
}

const isLocked = ({ id, passwordHash }: OpenShare, request: Request, { config, clock }: ShareServices): boolean =>
  passwordHash !== null &&
  !isProof(config.sessions.secret, { id, passwordHash }, readCookie(request.headers.cookie, PROOF_COOKIE), clock.now());

/** Opens a link for a visitor. Who comes to none is answered, and undefined returned. */
const visit = async (services: ShareServices, token: string, { request, response }: Http): Promise<Visit | undefined> => {
  const { config, database } = services;
  setShareHeaders(response);
  const translator = await translatorOf(request);
  const share = config.shares.enabled ? await openShare(database.db, config.signIn.roles, token) : undefined;
  if (share === undefined) {
    sendNoShare(response, translator);
    return undefined;
  }
  return { share, translator, path: pathOf(token), isLocked: isLocked(share, request, services) };
};

/** The same, for what lies behind the page of the link: who has not given its password is led to where it is asked for. */
const visitBehind = async (services: ShareServices, token: string, http: Http): Promise<Visit | undefined> => {
  const visited = await visit(services, token, http);
  if (visited === undefined || !visited.isLocked) return visited;
  http.response.redirect(303, visited.path);
  return undefined;
};

/** The one answer to a link that shows nothing, whatever the reason. */
const sendNoShare = (response: Response, translator: Translator): void => {
  const { t } = translator;
  sendSharePage(response, 404, translator, { title: t('sharePage.notFound'), body: `<p>${escapeHtml(t('sharePage.notFoundHint'))}</p>` });
};

/** Asks for the password of a link; `problem` says what was wrong with the last one. */
const passwordPage = (path: string, { t }: Translator, problem?: string): SharePage => {
  const wrong = problem === undefined ? '' : `<p class="wrong" id="wrong" role="alert">${escapeHtml(problem)}</p>\n`;
  const described = problem === undefined ? '' : ' aria-describedby="wrong" aria-invalid="true"';
  return {
    title: t('sharePage.password'),
    body: `<p>${escapeHtml(t('sharePage.passwordHint'))}</p>
${wrong}<form method="post" action="${escapeHtml(path)}">
<label for="password">${escapeHtml(t('sharePage.passwordField'))}</label>
<input id="password" name="password" type="password" required maxlength="${SHARE_PASSWORD_CHARACTERS.maximum}" autocomplete="off" autofocus${described}>
<div><button type="submit">${escapeHtml(t('sharePage.open'))}</button></div>
</form>`,
  };
};

/** While share links are off, their pages answer as to links that do not exist. */
export const shareRoutes = (services: ShareServices): readonly Route[] => [
  ...behindFeature('FEATURE_SHARE_LINKS', services.config.shares.enabled, [
    shareDocument(services),
    shareSavedSearch(services),
    list(services),
    revoke(services),
  ]),
  ...publicShareRoutes(services),
  givePassword(services),
];

const MAX_FORM_BYTES = 4_096;
const readFields = express.urlencoded({ extended: false, limit: MAX_FORM_BYTES, parameterLimit: 10 });
const passwordForm = z.object({ password: z.string().max(SHARE_PASSWORD_CHARACTERS.maximum) });

/** The password of the form; undefined where there is none that could be right. */
const readPassword = async (request: Request, response: Response): Promise<string | undefined> => {
  await new Promise<void>((resolve, reject) =>
    readFields(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error))),
  );
  return passwordForm.safeParse(request.body).data?.password;
};

/** Takes the password of a link, and gives the browser a cookie for this link alone. */
const givePassword = (services: ShareServices): Route =>
  streamRoute({
    method: 'post',
    path: '/s/{token}',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Enter the password of a share link',
    description:
      'Accepts a form (application/x-www-form-urlencoded) with the field `password`. After too many wrong passwords, the link rejects all passwords for a while.',
    content: {
      answers: [
        { status: 303, description: 'Right: to the page of the link, with a cookie that is valid for this link and an hour' },
        { status: 403, description: 'Wrong', contentTypes: ['text/html'] },
        NO_SHARE,
        {
          status: 429,
          description: 'Too many wrong passwords',
          contentTypes: ['text/html'],
          headers: { 'Retry-After': 'Seconds until the next attempt' },
        },
      ],
    },
    params: z.strictObject({ token: z.string() }),
    query: z.object({}),
    stream: async ({ params: { token }, context }, { request, response }) => {
      const visited = await visit(services, token, { request, response });
      if (visited === undefined) return;
      const { share, translator, path } = visited;
      const { t, find } = translator;
      const { id, passwordHash } = share;
      if (passwordHash === null) return response.redirect(303, path);
      const again = (status: number, problem: string): void =>
        sendSharePage(response, status, translator, passwordPage(path, translator, problem));
      const password = await readPassword(request, response);
      if (password === undefined) return again(403, t('sharePage.passwordWrong'));
      const outcome = await tryPassword(services.database.db, { id, passwordHash }, password, context.address);
      if (outcome.kind === 'wrong') return again(403, t('sharePage.passwordWrong'));
      if (outcome.kind === 'limited') {
        response.setHeader('Retry-After', outcome.retryAfterSeconds);
        return again(429, find('sharePage.passwordLimited', { retry_after_seconds: outcome.retryAfterSeconds }) ?? '');
      }
      const { config, clock } = services;
      const { proof, expiresAt } = makeProof(config.sessions.secret, { id, passwordHash }, clock.now());
      const secure = config.sessions.cookie.secure ?? context.connection.isSecure;
      const attributes = { path, httpOnly: true, secure, sameSite: 'lax', expires: expiresAt } as const;
      context.setCookie(stringifySetCookie({ name: PROOF_COOKIE, value: proof, ...attributes }, { encode: (value) => value }));
      response.redirect(303, path);
    },
  });

/** Of one answer: each is a request more, and who has no account may not make many. */
const PAGES_AT_ONCE = 10;
/** Of one page of text; what is longer is no page that somebody reads here. */
const MAX_TEXT_CHARACTERS = 20_000;

interface DocumentView {
  readonly document: LabelledDocument;
  /** The first page that is shown. */
  readonly from: number;
  /** Where the link is, /s/TOKEN. */
  readonly path: string;
  readonly allowDownload: boolean;
  /** The documents of a search have a way back to all of them. */
  readonly isOfSearch: boolean;
}

const dayOf = ({ documentDate, createdAt }: LabelledDocument): string => documentDate ?? createdAt.toISOString().slice(0, 10);

const link = (href: string, text: string, className = ''): string =>
  `<a href="${escapeHtml(href)}"${className === '' ? '' : ` class="${className}"`}>${escapeHtml(text)}</a>`;

const pageItem = (own: string, page: number, total: number, text: string, { t }: Translator): string => {
  const name = t('sharePage.page', { page, total });
  const shown = text.trim().slice(0, MAX_TEXT_CHARACTERS);
  const details =
    shown === ''
      ? ''
      : `\n<details><summary>${escapeHtml(t('sharePage.text', { page }))}</summary><pre dir="auto">${escapeHtml(shown)}</pre></details>`;
  return `<li class="card"><img src="${escapeHtml(`${own}/pages/${page}`)}" alt="${escapeHtml(name)}" loading="lazy">${details}</li>`;
};

/** The pages of a document as pictures, each with its text below. */
const documentPage = async (db: Db, view: DocumentView, translator: Translator): Promise<SharePage> => {
  const { document, from, path, allowDownload, isOfSearch } = view;
  const { t, format } = translator;
  const own = `${path}/documents/${document.id}`;
  const { pages, total: known } = await listPages(db, document.id, { from, to: from + PAGES_AT_ONCE - 1 });
  // before it is processed its first page may be drawn already
  const total = Math.max(1, known);
  const last = Math.min(total, from + PAGES_AT_ONCE - 1);
  const numbers = Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => from + index);
  const textOf = (number: number): string => pages.find(({ page }) => page === number)?.content ?? '';
  const around = isOfSearch ? own : path;
  const ways = [
    ...(isOfSearch ? [link(path, t('sharePage.back'))] : []),
    ...(from > 1 ? [link(`${around}?from=${Math.max(1, from - PAGES_AT_ONCE)}`, t('sharePage.previous'))] : []),
    ...(last < total ? [link(`${around}?from=${last + 1}`, t('sharePage.next'))] : []),
  ];
  const body = [
    `<p class="soft">${escapeHtml(format.day(dayOf(document)))}</p>`,
    ...(allowDownload
      ? [`<p>${link(`${own}/download`, t('sharePage.download', { size: format.bytes(document.sizeBytes) }), 'button')}</p>`]
      : []),
    ...(known === 0 ? [`<p class="soft">${escapeHtml(t('sharePage.processing'))}</p>`] : []),
    `<ol class="pages">\n${numbers.map((page) => pageItem(own, page, total, textOf(page), translator)).join('\n')}\n</ol>`,
    ...(ways.length === 0 ? [] : [`<nav aria-label="${escapeHtml(t('sharePage.navigation'))}">${ways.join('\n')}</nav>`]),
  ];
  return { title: document.title, body: body.join('\n') };
};

const RESULTS_AT_ONCE = 50;
const MAX_RESULT_PAGES = MAX_SEARCH_RESULTS / RESULTS_AT_ONCE;

interface ResultsView {
  readonly search: SavedSearch;
  /** As whom is searched. */
  readonly sharer: Principal;
  readonly page: number;
  /** Where the link is, /s/TOKEN. */
  readonly path: string;
}

const resultItem = ({ id, title, documentDate, createdAt }: SharedResult, path: string, { format }: Translator): string =>
  `<li><a href="${escapeHtml(`${path}/documents/${id}`)}">${escapeHtml(title)}</a>
<span class="soft">${escapeHtml(format.day(documentDate ?? createdAt.toISOString().slice(0, 10)))}</span></li>`;

/** What a saved search finds, as a list of links to the documents. */
const resultsPage = async (db: Db, { search, sharer, page, path }: ResultsView, translator: Translator): Promise<SharePage> => {
  const { t } = translator;
  const { results, total } = await listSharedResults(db, sharer, search, { page, perPage: RESULTS_AT_ONCE });
  const hasNext = page * RESULTS_AT_ONCE < Math.min(total, MAX_SEARCH_RESULTS);
  const way = (to: number, text: string): string => `<a href="${escapeHtml(`${path}?page=${to}`)}">${escapeHtml(text)}</a>`;
  const ways = [...(page > 1 ? [way(page - 1, t('sharePage.previous'))] : []), ...(hasNext ? [way(page + 1, t('sharePage.next'))] : [])];
  const body = [
    `<p class="soft">${escapeHtml(t('sharePage.count', { count: total }))}</p>`,
    `<ul class="results">\n${results.map((result) => resultItem(result, path, translator)).join('\n')}\n</ul>`,
    ...(ways.length === 0 ? [] : [`<nav aria-label="${escapeHtml(t('sharePage.navigation'))}">${ways.join('\n')}</nav>`]),
  ];
  return { title: search.name, body: body.join('\n') };
};

const HTML = ['text/html'];
const NO_SHARE: DeclaredAnswer = {
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
const publicShareRoutes = (services: ShareServices): readonly Route[] => {
  const counter = new AccessCounter(services.database.db);
  return [open(services, counter), openDocument(services), picture(services), download(services, counter)];
};
