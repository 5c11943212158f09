import { type Action, type Principal, type Scope, scopeOf } from '@sheaf/contract';
import type { PgColumn } from './drizzle.ts';
import { eq, type SQL, sql } from './drizzle.ts';
import { documents } from './schema/documents.ts';
import { ingestLedger } from './schema/ingest-ledger.ts';
import { labels } from './schema/labels.ts';
import { sources } from './schema/sources.ts';

/**
 * The one way from (principal, action) to a SQL predicate over the rows' owner. Lists, counts, facets, search and single
 * rows all use it, so that nobody learns from a total what he may not read.
 */
export const ownedBy = (scope: Scope, userId: string, owner: PgColumn): SQL => {
  if (scope === 'all') return sql`true`;
  return scope === 'own' ? eq(owner, userId) : sql`false`;
};

/** Documents on which `principal` may do `action`. */
export const documentsFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, documents.ownerId);

/** Labels on which `principal` may do `action`; his own are those he has made. */
export const labelsFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, labels.createdBy);

/** Sources on which `principal` may do `action`. */
export const sourcesFor = (principal: Principal, action: Action): SQL =>
  ownedBy(scopeOf(principal.permissions, action), principal.userId, sources.ownerId);

/**
 * Files of the ingest ledger that `principal` may know of: his own, and every one, also those that nobody owns, where he may look
 * after the whole system. A key that is not about documents knows of none: a name alone tells much.
 */
export const ledgerFor = (principal: Principal): SQL => ownedBy(ledgerScope(principal), principal.userId, ingestLedger.ownerId);

const ledgerScope = ({ permissions, via }: Principal): Scope => {
  if (scopeOf(permissions, 'system.read') === 'all') return 'all';
  const isAboutDocuments = (['documents.read', 'documents.create'] as const).some((action) => scopeOf(permissions, action) !== 'none');
  return via === 'key' && !isAboutDocuments ? 'none' : 'own';
};

/** Every document there is: for counts without names, which anyone may see. */
export const everyDocument = (): SQL => sql`true`;
