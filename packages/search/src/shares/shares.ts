import { type AppError, codedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  documentsFor,
  makeKeyset,
  ownedBy,
  type Page,
  type PageRequest,
  queryCut,
  queryPage,
  savedSearchesFor,
} from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import { shares } from '@sheaf/db/schema';
import { type Principal, shareScope } from '@sheaf/vocabulary/permissions';
import type { ShareSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';

/** Whether a link still opens: as long as its maker may see what it leads to, which is not looked at for lists. */
export type ShareState = 'active' | 'expired' | 'revoked';

/** A share link as lists show it. The token is known to nobody but who made it. */
export interface Share {
  readonly id: string;
  readonly state: ShareState;
  readonly documentId: string | null;
  readonly savedSearchId: string | null;
  /** Of the document, or the name of the saved search; null where the reader may not see it. */
  readonly title: string | null;
  readonly hasPassword: boolean;
  readonly allowDownload: boolean;
  readonly accessCount: number;
  readonly lastAccessedAt: Date | null;
  readonly expiresAt: Date;
  readonly createdBy: { readonly id: string; readonly name: string };
  readonly createdAt: Date;
}

interface ShareRow extends Record<string, unknown> {
  readonly id: string;
  readonly state: ShareState;
  readonly document_id: string | null;
  readonly saved_search_id: string | null;
  readonly title: string | null;
  readonly has_password: boolean;
  readonly allow_download: boolean;
  readonly access_count: string;
  readonly last_accessed_at: string | null;
  readonly expires_at: string;
  readonly created_by: string;
  readonly creator: string;
  readonly created_at: string;
}

/** Share links that `principal` may list and revoke. */
export const sharesFor = (principal: Principal): SQL => ownedBy(shareScope(principal), principal.userId, shares.createdBy);

const STATE = sql`case when shares.revoked_at is not null then 'revoked' when shares.expires_at <= now() then 'expired' else 'active' end`;

const selectShares = (principal: Principal, more: SQL = sql``): SQL => sql`
  select shares.id, ${STATE} as state, shares.document_id, shares.saved_search_id, shares.password_hash is not null as has_password,
    shares.allow_download, shares.access_count, shares.last_accessed_at, shares.expires_at, shares.created_by, maker.username as creator,
    shares.created_at, coalesce(documents.title, saved_searches.name) as title ${more}
  from shares join users as maker on maker.id = shares.created_by
  left join documents on documents.id = shares.document_id and ${documentsFor(principal, 'documents.read')}
  left join saved_searches on saved_searches.id = shares.saved_search_id and ${savedSearchesFor(principal)}`;

const toShare = (row: ShareRow): Share => ({
  id: row.id,
  state: row.state,
  documentId: row.document_id,
  savedSearchId: row.saved_search_id,
  title: row.title,
  hasPassword: row.has_password,
  allowDownload: row.allow_download,
  accessCount: Number(row.access_count),
  lastAccessedAt: row.last_accessed_at === null ? null : new Date(row.last_accessed_at),
  expiresAt: new Date(row.expires_at),
  createdBy: { id: row.created_by, name: row.creator },
  createdAt: new Date(row.created_at),
});

export const shareNotFound = (id: string): AppError => codedError('NOT_FOUND', 'SHARE_NOT_FOUND', { share_id: id });

export interface ShareFilter {
  /** Only links to this document. */
  readonly documentId?: string | undefined;
  /** Only links that their dates and their makers let open, or only the others. */
  readonly active?: boolean | undefined;
  readonly sort: ShareSortField;
  readonly order: SortOrder;
}

export interface ShareListRequest extends ShareFilter, PageRequest {}

const SORT_KEYS = {
  created_at: { by: sql`shares.created_at`, type: 'timestamptz' },
  expires_at: { by: sql`shares.expires_at`, type: 'timestamptz' },
  access_count: { by: sql`shares.access_count`, type: 'bigint' },
  id: { by: sql`shares.id`, type: 'uuid' },
  state: { by: STATE, type: 'text' },
  document_id: { by: sql`shares.document_id`, type: 'uuid', mayBeMissing: true },
  saved_search_id: { by: sql`shares.saved_search_id`, type: 'uuid', mayBeMissing: true },
  title: { by: sql`coalesce(documents.title, saved_searches.name)`, type: 'text', mayBeMissing: true },
  has_password: { by: sql`shares.password_hash is not null`, type: 'boolean' },
  allow_download: { by: sql`shares.allow_download`, type: 'boolean' },
  last_accessed_at: { by: sql`shares.last_accessed_at`, type: 'timestamptz', mayBeMissing: true },
} as const satisfies Record<ShareSortField, unknown>;

const keysetOf = ({ sort, order }: ShareFilter) => makeKeyset(order, [SORT_KEYS[sort], { by: sql`shares.id`, type: 'uuid' }]);

const listed = (principal: Principal, { documentId, active }: ShareFilter): SQL => {
  const isActive = sql`(shares.revoked_at is null and shares.expires_at > now())`;
  const which = active === undefined ? sql`true` : active ? isActive : sql`not ${isActive}`;
  const of = documentId === undefined ? sql`true` : sql`shares.document_id = ${documentId}::uuid`;
  return sql`${sharesFor(principal)} and ${which} and ${of}`;
};

const selectionOf = (principal: Principal, filter: ShareFilter) => ({
  select: (more?: SQL) => selectShares(principal, more),
  where: listed(principal, filter),
  toRow: toShare,
});

/** One page of the links of `principal`, of all links where he looks after the system, and how many there are. */
export const listShares = (db: Db, principal: Principal, { page, perPage, ...filter }: ShareListRequest): Promise<Page<Share>> =>
  queryPage(db, selectionOf(principal, filter), { from: sql`shares`, order: keysetOf(filter).order, page, perPage });

/** The same behind `after`, at most `limit`. */
export const listSharesAfter = (db: Db, principal: Principal, { after, limit, ...filter }: ShareFilter & CutRequest): Promise<Cut<Share>> =>
  queryCut(db, selectionOf(principal, filter), { keyset: keysetOf(filter), after, limit });

/** Forgets at most `limit` links that have not opened since `before`; returns how many. */
export const deleteSharesEndedBefore = async (db: Db, before: Date, limit: number): Promise<number> => {
  const { rowCount } = await db.execute(sql`
    delete from shares where id in (
      select id from shares where expires_at < ${before.toISOString()}::timestamptz or revoked_at < ${before.toISOString()}::timestamptz
      order by id limit ${limit} for update skip locked)`);
  return rowCount ?? 0;
};
