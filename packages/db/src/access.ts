import type { EventType } from '@sheaf/vocabulary/events';
import { type Action, narrower, type Principal, type Scope, scopeOf, shareScope, wider } from '@sheaf/vocabulary/permissions';
import { eq, type PgColumn, type Placeholder, type SQL, sql } from './drizzle.ts';
import { correspondents, documents, documentTypes } from './schema/documents.ts';
import { deliveries, events, notifications } from './schema/events.ts';
import { labels, rules } from './schema/filing.ts';
import { ingestLedger } from './schema/ingest.ts';
import { savedSearches } from './schema/shares.ts';
import { sources } from './schema/sources.ts';
import { trashedDocuments } from './schema/trash.ts';

/**
 * The one way from (principal, action) to a SQL predicate over the rows' owner. Lists, counts, facets, search and single
 * rows all use it, so that nobody learns from a total what they may not read.
 */
export const ownedBy = (scope: Scope, userId: string | Placeholder, owner: PgColumn | SQL<string>): SQL => {
  if (scope === 'all') return sql`true`;
  // eq does the same with both, but has no one signature for them
  return scope === 'own' ? eq(owner as PgColumn, userId) : sql`false`;
};

/** The same for one row whose owner is known, or that nobody owns. */
export const isOwnedBy = (scope: Scope, userId: string, ownerId: string | null): boolean =>
  scope === 'all' || (scope === 'own' && ownerId === userId);

/** A principal; or, in a statement that is prepared for all who may do the same, the place that their id comes to. */
export type ScopedPrincipal = Pick<Principal, 'permissions'> & { readonly userId: string | Placeholder };

/** Documents on which `principal` may do `action`. */
export const documentsFor = (principal: ScopedPrincipal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, documents.ownerId);

/** What can be done with documents in the trash: restored with `documents.delete`, removed with `documents.purge`. */
type TrashAction = 'documents.delete' | 'documents.purge';

/**
 * Whose documents in the trash `principal` may see, or do `action` with: of those that they could read where they were, those that they may
 * restore or remove for good. Who deletes something has not shown it to everybody who could read it.
 */
const trashScope = ({ permissions }: Pick<Principal, 'permissions'>, action?: TrashAction): Scope => {
  const acting = (one: TrashAction): Scope => scopeOf(permissions, one);
  const scope = action === undefined ? wider(acting('documents.delete'), acting('documents.purge')) : acting(action);
  return narrower(scopeOf(permissions, 'documents.read'), scope);
};

/** Documents in the trash that `principal` may see, or do `action` with. */
export const trashFor = (principal: Principal, action?: TrashAction): SQL =>
  ownedBy(trashScope(principal, action), principal.userId, trashedDocuments.ownerId);

/**
 * Whether the document with the id `documentId` is not in the trash. For reads of what hangs on documents that do not read the documents
 * themselves: it stays where it is while they are in the trash.
 */
export const isNotTrashed = (documentId: PgColumn | SQL): SQL =>
  sql`not exists (select from trashed_documents where trashed_documents.id = ${documentId})`;

/** Whose documents are meant: everybody's, those of one user, or nobody's. */
export interface Reach {
  readonly scope: Scope;
  readonly userId: string;
}

/** Of those that `principal` may read. */
export const readingReach = ({ permissions, userId }: Principal): Reach => ({ scope: scopeOf(permissions, 'documents.read'), userId });

/** Of those that count in the figures of `principal`: that they may read, as far as they may see figures. */
export const figuresReach = ({ permissions, userId }: Principal): Reach => {
  const scopes = (['documents.read', 'analytics.read'] as const).map((action) => scopeOf(permissions, action));
  if (scopes.includes('none')) return { scope: 'none', userId };
  return { scope: scopes.includes('own') ? 'own' : 'all', userId };
};

/** Rows about documents within `reach`, by the owner of the document. */
export const within = ({ scope, userId }: Reach, owner: PgColumn | SQL<string>): SQL => ownedBy(scope, userId, owner);

const PAIRED = sql`(select pair.document_id, pair.other_id, pair.is_dismissed from near_duplicates as pair
  union all select pair.other_id, pair.document_id, pair.is_dismissed from near_duplicates as pair)`;

/** Whether the document with the id `documentId` has a near-duplicate that `principal` may read too: of others they learn nothing. */
export const hasSimilarFor = (principal: ScopedPrincipal, documentId: SQL): SQL =>
  sql`(${documentId} in (select paired.document_id from ${PAIRED} as paired join documents as partner on partner.id = paired.other_id
    where not paired.is_dismissed
      and ${ownedBy(scopeOf(principal.permissions, 'documents.read'), principal.userId, sql<string>`partner.owner_id`)})) is true`;

/** Labels on which `principal` may do `action`; their own are those they have made. */
export const labelsFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, labels.createdBy);

/** Correspondents on which `principal` may do `action`, one of those on labels; their own are those they have made. */
export const correspondentsFor = (principal: ScopedPrincipal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, correspondents.createdBy);

/** The same of document types. */
export const documentTypesFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, documentTypes.createdBy);

/** Saved searches that `principal` may use: their own, and those that others share with everybody who may search everything. */
export const savedSearchesFor = ({ permissions, userId }: Principal): SQL => {
  const scope = scopeOf(permissions, 'search.query');
  const own = ownedBy(scope === 'none' ? 'none' : 'own', userId, savedSearches.ownerId);
  return scope === 'all' ? sql`(${own} or ${savedSearches.isShared})` : own;
};

/** Sources on which `principal` may do `action`. */
export const sourcesFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, sources.ownerId);

/** Rules of `principal`, where they may do `action` on documents: whatever their role, they are their own. */
export const rulesFor = (principal: Principal, action: 'documents.read' | 'documents.update'): SQL =>
  ownedBy(scopeOf(principal.permissions, action) === 'none' ? 'none' : 'own', principal.userId, rules.createdBy);

/** Deliveries on which `principal` may do `action`; their own tell them something. */
export const deliveriesFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, sql<string>`(${deliveries.payload} -> 'data' ->> 'user_id')`);

/**
 * Files of the ingest ledger that `principal` may know of: their own, and every one, also those that nobody owns, where they may look
 * after the whole system. A key that is not about documents knows of none: a name alone tells much.
 */
export const ledgerFor = (principal: Principal): SQL => ownedBy(ledgerScope(principal), principal.userId, ingestLedger.ownerId);

const ledgerScope = ({ permissions, via }: Principal): Scope => {
  if (scopeOf(permissions, 'system.read') === 'all') return 'all';
  const isAboutDocuments = (['documents.read', 'documents.create'] as const).some((action) => scopeOf(permissions, action) !== 'none');
  return via === 'key' && !isAboutDocuments ? 'none' : 'own';
};

interface EventScopes {
  /** Of events whose subject belongs to somebody. */
  readonly owned: Scope;
  /** Of those that are about nobody's thing. */
  readonly unowned: Scope;
}

const same = (scope: Scope): EventScopes => ({ owned: scope, unowned: scope });

const byAction =
  (action: Action) =>
  ({ permissions }: Principal): EventScopes =>
    same(scopeOf(permissions, action));

/** A notification tells of documents and of the account, so a key hears of their owner's only where it is about either. */
const notificationScope = ({ permissions, via }: Principal): Scope => {
  const isAboutThem = (['documents.read', 'system.read'] as const).some((action) => scopeOf(permissions, action) !== 'none');
  return via === 'key' && !isAboutThem ? 'none' : 'own';
};

/** Notifications that `principal` may know of: always their own, whatever their role. */
export const notificationsFor = (principal: Principal): SQL =>
  ownedBy(notificationScope(principal), principal.userId, notifications.userId);

/** Whose events of each type somebody hears: those whose subject they may see. */
const EVENT_SCOPES: Readonly<Record<EventType, (principal: Principal) => EventScopes>> = {
  document_created: byAction('documents.read'),
  document_updated: byAction('documents.read'),
  document_deleted: byAction('documents.read'),
  document_restored: byAction('documents.read'),
  document_purged: (principal) => same(trashScope(principal)),
  ocr_progress: byAction('documents.read'),
  queue_status: byAction('documents.read'),
  share_created: (principal) => same(shareScope(principal)),
  share_revoked: (principal) => same(shareScope(principal)),
  share_opened: (principal) => same(shareScope(principal)),
  ingest: (principal) => same(ledgerScope(principal)),
  sync_progress: byAction('sources.read'),
  // an import makes users
  import_progress: byAction('users.update'),
  notification: (principal) => same(notificationScope(principal)),
  notification_updated: (principal) => same(notificationScope(principal)),
  notification_deleted: (principal) => same(notificationScope(principal)),
  // one that belongs to somebody is of their source, the others are of the system
  alert: ({ permissions }) => ({ owned: scopeOf(permissions, 'sources.read'), unowned: scopeOf(permissions, 'system.read') }),
};

/** Events that `principal` may hear of, among the rows that are kept. */
export const eventsFor = (principal: Principal): SQL => {
  const ofType = Object.entries(EVENT_SCOPES).map(([type, scopesOf]) => {
    const { owned, unowned } = scopesOf(principal);
    const isHis = (scope: Scope): SQL => ownedBy(scope, principal.userId, events.ownerId);
    return sql`when ${type} then case when ${events.ownerId} is null then ${isHis(unowned)} else ${isHis(owned)} end`;
  });
  return sql`case ${events.type} ${sql.join(ofType, sql` `)} else false end`;
};

/** What decides about an event beside who hears it. */
export interface HeardEvent {
  readonly type: EventType;
  /** Of its subject. */
  readonly ownerId: string | null;
}

/** The same for one event in memory. What `principal` may is looked up once, and not for each event. */
export const canReceive = (principal: Principal): ((event: HeardEvent) => boolean) => {
  const scopes = new Map(Object.entries(EVENT_SCOPES).map(([type, scopesOf]) => [type, scopesOf(principal)]));
  return ({ type, ownerId }) => {
    const { owned, unowned } = scopes.get(type) ?? same('none');
    return isOwnedBy(ownerId === null ? unowned : owned, principal.userId, ownerId);
  };
};
