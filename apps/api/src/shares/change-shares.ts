import type { FixedConfig } from '@sheaf/config';
import { invalidInput, makeIssue } from '@sheaf/contract';
import {
  type CreatedShareBody,
  createdShareBody,
  createShareRequest,
  type ShareBody,
  shareBody,
  shareListQuery,
} from '@sheaf/contract/documents';
import type { Database } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import {
  createShare,
  listShares,
  listSharesAfter,
  revokeShare,
  type Share,
  type ShareFilter,
  type ShareSubject,
} from '@sheaf/search/shares';
import type { Storage } from '@sheaf/storage';
import { DEFAULT_SHARE_DAYS, MAX_SHARES } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import type { Thumbnails } from '../documents/document-services.ts';
import { type Cursors, listRoute } from '../http/list-route.ts';
import { idParams } from '../http/parse-input.ts';
import { createRoute, emptyRoute, type RequestContext, type Route } from '../http/route.ts';

const DAY_MS = 24 * 3_600_000;

type Wanted = z.infer<typeof createShareRequest>;

/** When a link ends. Throws VALIDATION_ERROR for a time that is over, or later than links may live. */
const expiryOf = ({ expires_at: wanted }: Wanted, { config, clock }: ShareServices): Date => {
  const now = clock.now().getTime();
  const { maxDays } = config.shares;
  if (wanted === undefined) return new Date(now + Math.min(DEFAULT_SHARE_DAYS, maxDays) * DAY_MS);
  const at = Date.parse(wanted);
  // a minute more, as clocks differ: who asks for the most there is gets it
  const latest = now + maxDays * DAY_MS + 60_000;
  const limit = (ms: number): string => new Date(ms).toISOString();
  const issue =
    at <= now
      ? makeIssue('expires_at', 'too_small', { minimum: limit(now) })
      : at > latest
        ? makeIssue('expires_at', 'too_big', { maximum: limit(latest) })
        : undefined;
  if (issue !== undefined) throw invalidInput('body', [issue]);
  return new Date(at);
};

interface SearchRequest {
  readonly principal: Principal;
  readonly context: Pick<RequestContext, 'address'>;
}

const create = async (
  services: ShareServices,
  { principal, context: { address } }: SearchRequest,
  subject: ShareSubject,
  body: Wanted,
): Promise<CreatedShareBody> => {
  const { database, config } = services;
  const expiresAt = expiryOf(body, services);
  const fields = { expiresAt, password: body.password ?? undefined, allowDownload: body.allow_download };
  const { id, token } = await createShare(database.db, { principal, address }, subject, fields);
  return { id, url: `${config.publicUrl}/s/${token}`, expires_at: expiresAt.toISOString() };
};

const ABOUT = `The link works without an account until it expires or is revoked, and as long as you may see and share what it leads to. At most ${MAX_SHARES} active links for each user.`;

export const shareDocument = (services: ShareServices): Route =>
  createRoute({
    path: '/api/documents/{id}/shares',
    access: 'documents.share',
    carriesCredentials: true,
    summary: 'Create a share link for a document; its URL is returned only once',
    description: ABOUT,
    errors: { DOCUMENT_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    params: idParams,
    body: createShareRequest,
    response: createdShareBody,
    handle: ({ params, body, ...requester }) => create(services, requester, { documentId: params.id }, body),
  });

export const shareSavedSearch = (services: ShareServices): Route =>
  createRoute({
    path: '/api/saved-searches/{id}/shares',
    access: 'documents.share',
    carriesCredentials: true,
    summary: 'Create a share link for the results of a saved search; its URL is returned only once',
    description: `${ABOUT} Visitors see what the search finds for you at that moment. Not available with an API key.`,
    errors: { SAVED_SEARCH_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    params: idParams,
    body: createShareRequest,
    response: createdShareBody,
    handle: ({ params, body, ...requester }) => create(services, requester, { savedSearchId: params.id }, body),
  });

export const revoke = ({ database }: ShareServices): Route =>
  emptyRoute({
    method: 'delete',
    path: '/api/shares/{id}',
    access: 'documents.share',
    summary: 'Revoke a share link',
    description: 'It stops working at once. Administrators can revoke the links of all users.',
    done: 'Revoked',
    errors: { SHARE_NOT_FOUND: 'NOT_FOUND', FEATURE_DISABLED: 'NOT_FOUND' },
    params: idParams,
    handle: async ({ params: { id }, principal, context: { address } }) => {
      await revokeShare(database.db, { principal, address }, id);
    },
  });

const toBody = (share: Share): ShareBody => ({
  id: share.id,
  state: share.state,
  document_id: share.documentId,
  saved_search_id: share.savedSearchId,
  title: share.title,
  has_password: share.hasPassword,
  allow_download: share.allowDownload,
  access_count: share.accessCount,
  last_accessed_at: share.lastAccessedAt?.toISOString() ?? null,
  expires_at: share.expiresAt.toISOString(),
  created_by: share.createdBy,
  created_at: share.createdAt.toISOString(),
});

type Query = Omit<z.infer<typeof shareListQuery>, 'page' | 'per_page'>;

const filterOf = ({ document_id: documentId, active, sort, order }: Query): ShareFilter => ({ documentId, active, sort, order });

export const list = ({ cursors }: ShareServices): Route =>
  listRoute({
    cursors,
    path: '/api/shares',
    access: 'documents.share',
    mayReadReplica: true,
    summary: 'List your share links; administrators see those of all users',
    description: 'Links are deleted 30 days after they expired or were revoked.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    query: shareListQuery,
    name: 'data',
    item: shareBody,
    page: async ({ query: { page, per_page: perPage, ...query }, principal, context: { db } }) => {
      const { rows, total } = await listShares(db, principal, { page, perPage, ...filterOf(query) });
      return { rows: rows.map(toBody), total };
    },
    cut: async ({ query, principal, context: { db } }, part) => {
      const { rows, next } = await listSharesAfter(db, principal, { ...filterOf(query), ...part });
      return { rows: rows.map(toBody), next };
    },
  });

/** What the routes of share links use. */
export interface ShareServices {
  readonly config: Pick<FixedConfig, 'publicUrl' | 'shares' | 'signIn' | 'sessions'>;
  readonly database: Database;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly storage: Storage;
  readonly thumbnails: Thumbnails;
}
