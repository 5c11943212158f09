import { createdShareBody } from '@sheaf/contract/documents';
import type { Db } from '@sheaf/db';
import { getDocument } from '@sheaf/documents';
import { numbersOf } from '@sheaf/paperless';
import { listShares, type Share } from '@sheaf/search/shares';
import { MAX_SHARES } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { createRoute, jsonRoute, type Route, streamRoute } from '../http/route.ts';
import { revoke as revokeOwn, shareDocument as shareOwn } from '../shares/change-shares.ts';
import { anyQuery, numberParams, requireKnown, requireNumber, requireNumbers, withNumber } from './query.ts';
import { askRoute, deleteRoute, PAPERLESS_PREFIX, type PaperlessServices, pageBody, readPage, requestBody, toPage } from './requests.ts';

const PATH = `${PAPERLESS_PREFIX}/share_links`;

/** Links of one answer. */
const MAX_LINKS = 10 * MAX_SHARES;

const linkBody = z.strictObject({
  id: z.int(),
  created: z.iso.datetime(),
  expiration: z.iso.datetime(),
  slug: z.string(),
  document: z.int(),
  file_version: z.literal('original'),
});
type LinkBody = z.infer<typeof linkBody>;

/** A link to a document whose token is known only right after it was made. */
type DocumentShare = Share & { readonly documentId: string };

const isOfDocument = (share: Share): share is DocumentShare => share.documentId !== null;

const present = async (db: Db, shares: readonly DocumentShare[]): Promise<LinkBody[]> => {
  const numberOf = await numbersOf(
    db,
    shares.flatMap(({ id, documentId }) => [
      { kind: 'share', id },
      { kind: 'document', id: documentId },
    ]),
  );
  return shares.map(({ id, documentId, createdAt, expiresAt }) => ({
    id: numberOf('share', id),
    created: createdAt.toISOString(),
    expiration: expiresAt.toISOString(),
    slug: '',
    document: numberOf('document', documentId),
    file_version: 'original',
  }));
};

/** The links to documents that open, the newest first; none while links are off, or where the caller makes none: apps ask for them with each document. */
const readLinks = async (
  { config, database: { db } }: PaperlessServices,
  principal: Principal,
  documentId?: string,
): Promise<LinkBody[]> => {
  if (!config.shares.enabled || scopeOf(principal.permissions, 'documents.share') === 'none') return [];
  const request = { active: true, documentId, page: 1, perPage: MAX_LINKS, sort: 'created_at', order: 'desc' } as const;
  return present(db, (await listShares(db, principal, request)).rows.filter(isOfDocument));
};

export const list = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'documents.read',
    summary: 'List share links of documents',
    query: anyQuery,
    response: pageBody(linkBody),
    handle: async ({ query, principal, context }) => {
      requireKnown(query, () => false);
      const links = await readLinks(services, principal);
      const page = readPage(query, MAX_LINKS);
      const from = (page.page - 1) * page.perPage;
      const listed = { count: links.length, all: links.map(({ id }) => id), results: links.slice(from, from + page.perPage) };
      return toPage(listed, page, { path: '/share_links', query, context });
    },
  });

export const listOfDocument = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/share_links`,
    access: 'documents.read',
    summary: 'List your share links of a document',
    params: numberParams,
    query: anyQuery,
    response: z.array(linkBody),
    handle: async ({ params, query, principal }) => {
      requireKnown(query, () => false);
      const { db } = services.database;
      const { id } = await getDocument(db, principal, await requireNumber(db, 'document', params));
      return readLinks(services, principal, id);
    },
  });

const linkRequest = requestBody(
  {
    document: z.int(),
    expiration: z.string().max(50).nullish(),
    file_version: z.string().max(50).nullish(),
  },
  linkBody,
);

/** In Paperless a link shows the file, so visitors may download it here. One without an end gets the usual one. */
export const create = (services: PaperlessServices): Route =>
  createRoute({
    path: PATH,
    access: 'documents.share',
    carriesCredentials: true,
    summary: 'Create a share link for a document; its slug is told only once',
    query: anyQuery,
    body: linkRequest,
    response: linkBody,
    handle: async ({ body: { document, expiration }, principal, context }) => {
      const { db } = services.database;
      const [id = ''] = await requireNumbers(db, 'document', [document], 'document');
      const end = typeof expiration === 'string' && expiration !== '' ? { expires_at: expiration } : {};
      const made = await askRoute(shareOwn(services), createdShareBody, {
        params: { id },
        body: { ...end, allow_download: true },
        principal,
        context,
      });
      const numberOf = await numbersOf(db, [{ kind: 'share', id: made.id }]);
      return {
        id: numberOf('share', made.id),
        created: services.clock.now().toISOString(),
        expiration: made.expires_at,
        slug: made.url.slice(made.url.lastIndexOf('/') + 1),
        document,
        file_version: 'original' as const,
      };
    },
  });

export const read = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PATH}/{id}`,
    access: 'documents.share',
    summary: 'Get a share link',
    params: numberParams,
    query: anyQuery,
    response: linkBody,
    handle: async ({ params, principal }) => withNumber(await readLinks(services, principal), Number(params.id)),
  });

export const remove = (services: PaperlessServices): Route =>
  deleteRoute(services.database.db, 'share', revokeOwn(services), {
    path: `${PATH}/{id}`,
    access: 'documents.share',
    summary: 'Revoke a share link',
    done: 'Revoked',
  });

/** Where apps believe that the link of a slug is: they put it behind the address of the server. */
export const openLink = ({ config }: PaperlessServices): Route =>
  streamRoute({
    method: 'get',
    path: '/paperless/share/{slug}',
    access: 'anyone',
    carriesCredentials: true,
    summary: 'Go to the page of a share link',
    content: { answers: [{ status: 303, description: 'To the page of the link' }] },
    params: z.strictObject({ slug: z.string().regex(/^[\w-]{1,100}$/) }),
    query: anyQuery,
    stream: async ({ params: { slug } }, { response }) => {
      response.redirect(303, `${config.publicUrl}/s/${slug}`);
    },
  });
