import { searchFilters } from '@sheaf/contract/search';
import { type Db, isCancelledStatement, readRoles } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { principalOfUser } from '@sheaf/db/requester';
import { type AlertAudience, createNotification } from '@sheaf/events/notifications';
import type { Logger } from '@sheaf/process';
import { type Principal, type RolePermissions, scopeOf } from '@sheaf/vocabulary/permissions';
import { countMatching, findMatching, type MatchCount, type StoredQuestion } from '../index.ts';
import type { SavedSearch } from './saved-searches.ts';

/** Documents of one pass, and searches that are read at once. */
const DOCUMENTS_AT_ONCE = 200;
const SEARCHES_AT_ONCE = 200;
/** A statement about so few documents takes milliseconds. What takes longer is tried once more, and then left out. */
const STATEMENT_MS = 2_000;
/** Matches of one search within this time are one notification, as long as it is unread: a large import is no flood. */
const FOLDING_MS = 3_600_000;
/** Documents that a notification names. */
const MAX_NAMED = 100;

interface Candidate extends Record<string, unknown> {
  readonly document_id: string;
  readonly owner_id: string;
  readonly completed_at: string;
}

interface Watched extends Record<string, unknown> {
  readonly id: string;
  readonly owner_id: string;
  readonly username: string;
  readonly role: string;
  readonly query: string;
  readonly filters: Readonly<Record<string, unknown>>;
  readonly notify_since: string;
}

interface Deps {
  readonly db: Db;
  readonly audience: AlertAudience;
  readonly log: Logger;
}

const listCandidates = async (db: Db): Promise<Candidate[]> => {
  const { rows } = await db.execute<Candidate>(sql`
    select document_id, documents.owner_id, saved_search_candidates.completed_at
    from saved_search_candidates join documents on documents.id = document_id
    order by saved_search_candidates.completed_at, document_id limit ${DOCUMENTS_AT_ONCE}`);
  return rows;
};

const listWatched = async (db: Db, after: string | undefined): Promise<Watched[]> => {
  const { rows } = await db.execute<Watched>(sql`
    select saved_searches.id, owner_id, username, role, query, filters, notify_since
    from saved_searches join users on users.id = owner_id
    where notify_since is not null and disabled_at is null and ${after === undefined ? sql`true` : sql`saved_searches.id > ${after}`}
    order by saved_searches.id limit ${SEARCHES_AT_ONCE}`);
  return rows;
};

/** Those that the owner of a search may find, as far as that is known without a search. */
const possibleFor = (principal: Principal, { notify_since: since }: Watched, candidates: readonly Candidate[]): string[] => {
  if (scopeOf(principal.permissions, 'search.query') === 'none') return [];
  const reach = scopeOf(principal.permissions, 'documents.read');
  return candidates
    .filter(({ owner_id: owner }) => reach === 'all' || (reach === 'own' && owner === principal.userId))
    .filter(({ completed_at: at }) => new Date(at) >= new Date(since))
    .map(({ document_id: id }) => id);
};

/** Those of the candidates that each of the searches finds within the rights of its owner, by the id of the search. */
const findMatches = async (
  { db, log }: Deps,
  watched: readonly Watched[],
  candidates: readonly Candidate[],
  roles: RolePermissions,
): Promise<Map<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>();
  const matchesOf = async (one: Watched): Promise<readonly string[] | undefined> => {
    const question = questionOf(one);
    const principal = principalOfUser(roles, { ...one, userId: one.owner_id });
    const ids = possibleFor(principal, one, candidates);
    if (question === undefined || ids.length === 0) return [];
    return withinMs(db, STATEMENT_MS, (tx) => findMatching(tx, principal, { ...question, documentIds: ids, limit: ids.length }));
  };
  const slow: Watched[] = [];
  for (const one of watched) {
    const ids = await matchesOf(one);
    if (ids === undefined) slow.push(one);
    else if (ids.length > 0) found.set(one.id, ids);
  }
  for (const one of slow) {
    const ids = await matchesOf(one);
    if (ids === undefined) log.warn({ saved_search_id: one.id, documents: candidates.length }, 'saved search skipped: it took too long');
    else if (ids.length > 0) found.set(one.id, ids);
  }
  return found;
};

interface PinnedSearch extends Record<string, unknown> {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
}

const titleOf = (count: number, name: string): string => `${count} new ${count === 1 ? 'document' : 'documents'}: ${name}`;

const notifyOwner = (
  tx: Db,
  { policy }: AlertAudience,
  search: PinnedSearch,
  documents: readonly { id: string; title: string }[],
): Promise<void> => {
  const { id, owner_id: userId, name } = search;
  const count = documents.length;
  const title = documents.at(-1)?.title ?? '';
  return createNotification(tx, policy, {
    userId,
    type: 'saved_search_match',
    title: titleOf(count, name),
    message: count === 1 ? title : `Most recent: ${title}`,
    recent: title,
    data: { saved_search_id: id, name, title, count, document_ids: documents.slice(-MAX_NAMED).map((document) => document.id) },
    folded: (all) => titleOf(all, name),
    foldedWith: { field: 'saved_search_id', withinMs: FOLDING_MS },
  });
};

/**
 * Takes the candidates out of the queue and writes the notifications about them, in one transaction: after a kill at any time, either all of it
 * happened or nothing did. What was deleted or disabled meanwhile is left out.
 */
const settle = (
  { db, audience }: Deps,
  candidates: readonly Candidate[],
  matches: ReadonlyMap<string, readonly string[]>,
): Promise<number> =>
  db.transaction(async (tx) => {
    const ids = candidates.map(({ document_id: id }) => id);
    const taken = await tx.execute<{ id: string; title: string }>(sql`
      with taken as (delete from saved_search_candidates where document_id = any(${sql.param(ids)}::uuid[]) returning document_id, completed_at)
      select id, title from documents join taken on document_id = id order by taken.completed_at, id`);
    const searches = await tx.execute<PinnedSearch>(sql`
      select id, owner_id, name from saved_searches
      where id = any(${sql.param([...matches.keys()])}::uuid[]) and notify_since is not null order by owner_id, id`);
    let notified = 0;
    for (const search of searches.rows) {
      const documents = taken.rows.filter(({ id }) => matches.get(search.id)?.includes(id));
      if (documents.length === 0) continue;
      await notifyOwner(tx, audience, search, documents);
      notified += 1;
    }
    return notified;
  });

/**
 * Notifies owners of saved searches of the documents that can be searched since the last pass, as far as they may read them. For one process at
 * a time. Each document is looked at once, in the order of their completion. Returns whether there may be more of them.
 */
export const notifyMatches = async (deps: Deps): Promise<boolean> => {
  const { db, audience, log } = deps;
  const candidates = await listCandidates(db);
  if (candidates.length === 0) return false;
  const roles = await readRoles(db, audience.roles);
  const matches = new Map<string, readonly string[]>();
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const watched = await listWatched(db, after);
    for (const [id, ids] of await findMatches(deps, watched, candidates, roles)) matches.set(id, ids);
    after = watched.at(-1)?.id;
    isLast = watched.length < SEARCHES_AT_ONCE;
  }
  const notified = await settle(deps, candidates, matches);
  if (notified > 0) log.info({ documents: candidates.length, saved_searches: notified }, 'matches of saved searches notified');
  return candidates.length === DOCUMENTS_AT_ONCE;
};

/** How long each statement of one count may take, and how long the counts of one list may take before the others are left out. */
export interface CountLimits {
  readonly statementMs: number;
  readonly totalMs: number;
}

const LIMITS: CountLimits = { statementMs: 500, totalMs: 2_000 };

/** What is asked; undefined where this version does not understand the filters. */
export const questionOf = ({ query, filters }: Pick<SavedSearch, 'query' | 'filters'>): StoredQuestion | undefined => {
  const parsed = searchFilters.safeParse(filters);
  return parsed.success ? { query, filters: parsed.data } : undefined;
};

/** What `work` answers with statements of at most `ms`; undefined where one took longer. */
const withinMs = async <T>(db: Db, ms: number, work: (tx: Db) => Promise<T>): Promise<T | undefined> => {
  try {
    return await db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(ms)))}, true)`);
      return work(tx);
    });
  } catch (error) {
    if (isCancelledStatement(error)) return undefined;
    throw error;
  }
};

/** How many documents `principal` finds by each of the searches, by its id. Missing where that is not known within the limits. */
export const countResults = async (
  db: Db,
  principal: Principal,
  searches: readonly SavedSearch[],
  { statementMs, totalMs }: CountLimits = LIMITS,
): Promise<Map<string, MatchCount>> => {
  const endMs = performance.now() + totalMs;
  const counts = new Map<string, MatchCount>();
  for (const search of searches) {
    const leftMs = endMs - performance.now();
    const question = questionOf(search);
    if (leftMs <= 0 || question === undefined) continue;
    const counted = await withinMs(db, Math.min(statementMs, leftMs), (tx) => countMatching(tx, principal, question));
    if (counted !== undefined) counts.set(search.id, counted);
  }
  return counts;
};
