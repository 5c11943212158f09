import { createHash, randomBytes } from 'node:crypto';
import { hashPassword } from '@sheaf/accounts/passwords';
import { recordAudit } from '@sheaf/accounts/users';
import { type AppError, codedError, permissionNeeded, reasonedError } from '@sheaf/contract';
import {
  type Cut,
  type CutRequest,
  type Db,
  documentsFor,
  isNotTrashed,
  makeKeyset,
  ownedBy,
  type Page,
  type PageRequest,
  queryCut,
  queryPage,
  savedSearchesFor,
} from '@sheaf/db';
import { and, eq, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { findPrincipalOfUser } from '@sheaf/db/requester';
import { shares } from '@sheaf/db/schema';
import { getDocument } from '@sheaf/documents';
import { recordEvent } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { MAX_SHARES } from '@sheaf/vocabulary/limits';
import { type ConfiguredRoles, narrower, type Principal, permissionOf, scopeOf, shareScope } from '@sheaf/vocabulary/permissions';
import type { ShareSortField, SortOrder } from '@sheaf/vocabulary/sort-fields';
import { getSavedSearch } from '../saved-searches/index.ts';

/** Who changes something, and from where. */
export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
}

export type ShareSubject = { readonly documentId: string } | { readonly savedSearchId: string };

/** What the maker of a link decides. */
export interface ShareFields {
  readonly expiresAt: Date;
  readonly password: string | undefined;
  readonly allowDownload: boolean;
}

/** What is stored of a token: who reads the table cannot open the link. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

interface Named {
  readonly documentId: string | null;
  readonly savedSearchId: string | null;
  readonly name: string;
}

/** What is to be shared, if the principal may. Throws DOCUMENT_NOT_FOUND, SAVED_SEARCH_NOT_FOUND and FORBIDDEN. */
const findSubject = async (db: Db, principal: Principal, subject: ShareSubject): Promise<Named> => {
  if ('documentId' in subject) {
    const { documentId } = subject;
    const { title, ownerId } = await getDocument(db, principal, documentId);
    const isWithin = scopeOf(principal.permissions, 'documents.share') === 'all' || ownerId === principal.userId;
    if (!isWithin) throw permissionNeeded('documents.share');
    return { documentId, savedSearchId: null, name: title };
  }
  // the link shows what its maker may see, which may be more than their key may
  if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  const { name } = await getSavedSearch(db, sharingPrincipal(principal), subject.savedSearchId);
  return { documentId: null, savedSearchId: subject.savedSearchId, name };
};

/** Links to a document in the trash are there again when it is restored. */
const LEADS_SOMEWHERE = isNotTrashed(shares.documentId);

/** Links that still open are counted, and nobody else makes one for the user until the end of the transaction. */
const requireRoom = async (tx: Db, userId: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x73_68_6c}, hashtext(${userId}))`);
  const { rows } = await tx.execute<{ total: number }>(
    sql`select count(*)::int as total from shares where created_by = ${userId}::uuid and revoked_at is null and expires_at > now() and ${LEADS_SOMEWHERE}`,
  );
  if ((rows[0]?.total ?? 0) >= MAX_SHARES) throw reasonedError('VALIDATION_ERROR', 'too_many_shares', { limit: MAX_SHARES });
};

/**
 * Makes a link and answers its id and token, which is not stored and never told again. Throws DOCUMENT_NOT_FOUND, SAVED_SEARCH_NOT_FOUND,
 * FORBIDDEN and `too_many_shares`.
 */
export const createShare = async (
  db: Db,
  { principal, address }: Actor,
  subject: ShareSubject,
  { expiresAt, password, allowDownload }: ShareFields,
): Promise<{ id: string; token: string }> => {
  await findSubject(db, principal, subject); // before the work of a hash
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const token = randomBytes(32).toString('base64url');
  return db.transaction(async (tx) => {
    await requireRoom(tx, principal.userId);
    const { name, documentId, savedSearchId } = await findSubject(tx, principal, subject);
    const id = uuidv7();
    const row = { id, tokenHash: hashToken(token), createdBy: principal.userId, documentId, savedSearchId, passwordHash };
    await tx.insert(shares).values({ ...row, allowDownload, expiresAt });
    const event = { type: 'share_created', share_id: id, document_id: documentId, saved_search_id: savedSearchId } as const;
    await recordEvent(tx, event, principal.userId);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'share.created',
      outcome: 'success',
      subject: { type: 'share', id },
      details: {
        name,
        document_id: documentId,
        saved_search_id: savedSearchId,
        expires_at: expiresAt.toISOString(),
        has_password: passwordHash !== null,
        allow_download: allowDownload,
      },
    });
    return { id, token };
  });
};

/** Revokes a link at once. Throws SHARE_NOT_FOUND, also for one that is revoked. */
export const revokeShare = (db: Db, { principal, address }: Actor, id: string): Promise<void> =>
  db.transaction(async (tx) => {
    const [row] = await tx
      .update(shares)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(shares.id, id), isNull(shares.revokedAt), sharesFor(principal), LEADS_SOMEWHERE))
      .returning({ createdBy: shares.createdBy, documentId: shares.documentId, savedSearchId: shares.savedSearchId });
    if (row === undefined) throw shareNotFound(id);
    const { createdBy, documentId, savedSearchId } = row;
    const subject = { document_id: documentId, saved_search_id: savedSearchId };
    await recordEvent(tx, { type: 'share_revoked', share_id: id, ...subject }, createdBy);
    await recordAudit(tx, {
      actor: principal,
      address,
      action: 'share.revoked',
      outcome: 'success',
      subject: { type: 'share', id },
      details: subject,
    });
  });

/** The principal without all but reading and searching, and these no further than they may share. */
const sharingPrincipal = (principal: Principal): Principal => {
  const scope = (action: 'documents.read' | 'documents.share' | 'search.query') => scopeOf(principal.permissions, action);
  const sharing = scope('documents.share');
  const permissions = (['documents.read', 'search.query'] as const).flatMap((action) =>
    permissionOf(action, narrower(scope(action), sharing)),
  );
  return { ...principal, permissions };
};

/** What the user who made a link may show today; undefined where they may show nothing, or their account is off. */
export const findSharer = async (db: Db, roles: ConfiguredRoles, userId: string): Promise<Principal | undefined> => {
  const user = await findPrincipalOfUser(db, roles, userId);
  const sharer = user && sharingPrincipal(user);
  return sharer === undefined || sharer.permissions.length === 0 ? undefined : sharer;
};

/** Whether a link still opens: as long as its maker may see what it leads to, which is not looked at for lists. */
type ShareState = 'active' | 'expired' | 'revoked';

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
const sharesFor = (principal: Principal): SQL => ownedBy(shareScope(principal), principal.userId, shares.createdBy);

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

const shareNotFound = (id: string): AppError => codedError('NOT_FOUND', 'SHARE_NOT_FOUND', { share_id: id });

export interface ShareFilter {
  /** Only links to this document. */
  readonly documentId?: string | undefined;
  /** Only links that their dates and their makers let open, or only the others. */
  readonly active?: boolean | undefined;
  readonly sort: ShareSortField;
  readonly order: SortOrder;
}

interface ShareListRequest extends ShareFilter, PageRequest {}

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
  return sql`${sharesFor(principal)} and ${which} and ${of} and ${LEADS_SOMEWHERE}`;
};

const selectionOf = (principal: Principal, filter: ShareFilter) => ({
  select: (more?: SQL) => selectShares(principal, more),
  where: listed(principal, filter),
  toRow: toShare,
});

/** One page of the links of `principal`, of all links where they look after the system, and how many there are. */
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
