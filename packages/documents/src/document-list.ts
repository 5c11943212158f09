import {
  type Cut,
  type CutRequest,
  type Db,
  documentsFor,
  isNotTrashed,
  makeKeyset,
  type Position,
  type ScopedPrincipal,
  toCut,
} from '@sheaf/db';
import { and, asc, desc, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { documents } from '@sheaf/db/schema';
import { FIELD_FILTERS } from '@sheaf/vocabulary/document-fields';
import { DEFAULT_PER_PAGE } from '@sheaf/vocabulary/limits';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { DocumentSortField } from '@sheaf/vocabulary/sort-fields';
import { sortKeyOf } from './document-fields.ts';
import { type DocumentFilter, type LabelLookup, labelsOf, matching } from './document-filter.ts';
import { type Tallied, tallied } from './document-tallies.ts';
import { type LabelledDocument, labelNames } from './documents.ts';

interface OrderedFilter extends DocumentFilter {
  readonly sort: DocumentSortField;
  readonly order: 'asc' | 'desc';
}

const orderOf = ({ sort, order }: Pick<OrderedFilter, 'sort' | 'order'>): SQL[] => {
  const { by, hasNullsLowest } = sortKeyOf(sort);
  const [key, id] = order === 'asc' ? [asc(by), asc(documents.id)] : [desc(by), desc(documents.id)];
  if (hasNullsLowest) return [order === 'asc' ? sql`${key} nulls first` : sql`${key} nulls last`, id];
  // the id makes the order total, so that no row stands on two pages
  return [key, id];
};

/** What of a filter the index of an order answers by itself: the walk along it begins and ends where that holds. */
const ofSortKey = ({ sort, from, before, status, mimeTypes, values = {} }: OrderedFilter): DocumentFilter => {
  switch (sort) {
    case 'created_at':
      return { from, before };
    case 'status':
      return { status };
    case 'mime_type':
      return { mimeTypes };
    default:
      return { values: Object.fromEntries(FIELD_FILTERS.flatMap(({ name, field }) => (field.key === sort ? [[name, values[name]]] : []))) };
  }
};

export interface DocumentListRequest extends OrderedFilter {
  readonly page: number;
  readonly perPage: number;
}

const offsetOf = ({ page, perPage }: DocumentListRequest): number => (page - 1) * perPage;

const makeReader = (db: Db) =>
  db
    .select({ document: documents, labels: labelNames })
    .from(documents)
    .where(sql`${documents.id} = any(${sql.placeholder('ids')}::uuid[])`)
    // planned once a connection: planning takes longer than reading 20 rows (0.32 ms against 0.12)
    .prepare('documents_by_id');

const readers = new WeakMap<Db, ReturnType<typeof makeReader>>();

/** The documents with these ids, in no order. */
const readLabelled = async (db: Db, ids: readonly string[]): Promise<LabelledDocument[]> => {
  const reader = readers.get(db) ?? makeReader(db);
  readers.set(db, reader);
  return (await reader.execute({ ids })).map(({ document, labels }) => ({ ...document, labels }));
};

/** The documents with these ids, which the caller may read, in their order; one may have been deleted meanwhile. */
export const readInOrder = async (db: Db, ids: readonly string[]): Promise<LabelledDocument[]> => {
  if (ids.length === 0) return [];
  const found = new Map((await readLabelled(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

const isPlain = (request: DocumentFilter): boolean =>
  isTallied(request) &&
  labelsOf(request).length === 0 &&
  [request.status, request.sourceId, request.from, request.before].every((value) => value === undefined);

const isFirstLook = (request: DocumentListRequest): boolean =>
  request.page === 1 && request.perPage === DEFAULT_PER_PAGE && isPlain(request);

const makeFirstLook = (db: Db, { permissions }: Principal, request: DocumentListRequest) => {
  const principal: ScopedPrincipal = { permissions, userId: sql.placeholder('user') };
  const order = orderOf(request);
  const page = sql`
    select ${tallied(principal, {})} as total, array(
      select documents.id from documents where ${documentsFor(principal, 'documents.read')}
      order by ${sql.join(order, sql`, `)} limit ${sql.raw(String(DEFAULT_PER_PAGE))}) as ids`;
  return db
    .select({ total: sql<number>`page.total`, document: documents, labels: labelNames })
    .from(sql`(${page}) as page`)
    .leftJoin(documents, sql`documents.id = any(page.ids)`)
    .orderBy(...order)
    .prepare(`documents_page_${scopeOf(permissions, 'documents.read')}_${request.sort}_${request.order}`);
};

type FirstLook = ReturnType<typeof makeFirstLook>;
const firstLooks = new WeakMap<Db, Map<string, FirstLook>>();

/**
 * The first page of all documents, which is what most people look at most of the time, in one statement that is made once for each
 * order and planned once a connection: for the others, planning takes longer than finding. With a place for the limit PostgreSQL would
 * plan each time, as it does not know how many are wanted; and a plan for each limit is more than a connection should keep.
 */
const firstLook = (db: Db, principal: Principal, request: DocumentListRequest): FirstLook => {
  const known = firstLooks.get(db) ?? new Map<string, FirstLook>();
  firstLooks.set(db, known);
  const name = `${scopeOf(principal.permissions, 'documents.read')} ${request.sort} ${request.order}`;
  const look = known.get(name) ?? makeFirstLook(db, principal, request);
  known.set(name, look);
  return look;
};

interface CountedDocuments extends Record<string, unknown> {
  readonly total: number;
  readonly readable: number;
}

const count = async (db: Db, principal: Principal, request: DocumentFilter): Promise<CountedDocuments> => {
  const { rows } = await db.execute<CountedDocuments>(
    sql`select ${totalOf(principal, request)} as total, ${tallied(principal, {})} as readable`,
  );
  return rows[0] ?? { total: 0, readable: 0 };
};

const needsOthers = (request: DocumentFilter): boolean => !isTallied(request) || labelsOf(request).length > 0;

/** How many match, and the ids of one page of them. A page beyond the last one is not looked for. */
const findPage = async (db: Db, principal: Principal, request: DocumentListRequest): Promise<{ total: number; ids: string[] }> => {
  const { total, readable } = await count(db, principal, request);
  const offset = offsetOf(request);
  const wanted = Math.min(request.perPage, total - offset);
  if (wanted <= 0) return { total, ids: [] };
  let ids: string[] = [];
  for (const way of waysToPage({ total, readable, needed: offset + wanted, needsOthers: needsOthers(request) })) {
    const { rows } = await db.execute<{ id: string }>(sql`
      select documents.id from ${rowsBy(way, principal, request)}
      order by ${sql.join(orderOf(request), sql`, `)} limit ${request.perPage} offset ${offset}`);
    ids = rows.map(({ id }) => id);
    if (ids.length >= wanted) break;
  }
  return { total, ids };
};

/** One page of the documents that `principal` may read, and how many there are in all. Never reads text. */
export const listDocuments = async (
  db: Db,
  principal: Principal,
  request: DocumentListRequest,
): Promise<{ rows: LabelledDocument[]; total: number }> => {
  if (isFirstLook(request)) {
    const found = await firstLook(db, principal, request).execute({ user: principal.userId });
    const rows = found.flatMap(({ document, labels }) => (document === null ? [] : [{ ...document, labels }]));
    return { rows, total: found[0]?.total ?? 0 };
  }
  const { total, ids } = await findPage(db, principal, request);
  return { rows: await readInOrder(db, ids), total };
};

export interface ListRequestBy extends DocumentFilter {
  /** Any total order of rows of `documents`. */
  readonly by: readonly SQL[];
  readonly page: number;
  readonly perPage: number;
}

/** The same in an order that no index has: all that match are sorted. */
export const listDocumentsBy = async (
  db: Db,
  principal: Principal,
  { by, page, perPage, ...filter }: ListRequestBy,
): Promise<{ rows: LabelledDocument[]; total: number }> => {
  const { total } = await count(db, principal, filter);
  const { rows } = await db.execute<{ id: string }>(sql`
    select documents.id from documents where ${matching(principal, filter)}
    order by ${sql.join([...by], sql`, `)} limit ${perPage} offset ${(page - 1) * perPage}`);
  return {
    rows: await readInOrder(
      db,
      rows.map(({ id }) => id),
    ),
    total,
  };
};

interface FoundPlace extends Record<string, unknown> {
  readonly id: string;
  readonly position: Position;
}

type PlacesBy = (way: Way) => SQL;

/** Ids and positions of documents with a value to sort by, behind `after` where that has one. */
const placesWith =
  (principal: Principal, request: OrderedFilter & CutRequest): PlacesBy =>
  (way) => {
    const { sort, order, after, limit } = request;
    const key = sortKeyOf(sort);
    const keyset = makeKeyset(order, [key, { by: documents.id, type: 'uuid' }]);
    const behind = after?.[0] === null ? undefined : keyset.behind(after);
    const nulls = key.hasNullsLowest ? sql`${key.by} is not null` : undefined;
    return sql`select documents.id, ${keyset.position} as position from ${rowsBy(way, principal, request, and(nulls, behind))}
      order by ${keyset.order} limit ${limit + 1}`;
  };

/** The same of documents without a value, which stand below any. */
const placesWithout =
  (principal: Principal, request: OrderedFilter & CutRequest): PlacesBy =>
  (way) => {
    const { sort, order, after, limit } = request;
    const keyset = makeKeyset(order, [{ by: documents.id, type: 'uuid' }]);
    const behind = after?.[0] === null ? keyset.behind(after.slice(1)) : undefined;
    return sql`select documents.id, array[null, documents.id::text] as position
      from ${rowsBy(way, principal, request, and(isNull(sortKeyOf(sort).by), behind))} order by ${keyset.order} limit ${limit + 1}`;
  };

/**
 * The statements that find the places of a cut, one behind the other. Where the value may be missing, the two parts are two walks
 * through its index, as a condition that holds for both would have to begin at the first row each time.
 */
const placesOf = (principal: Principal, request: OrderedFilter & CutRequest): PlacesBy[] => {
  if (!sortKeyOf(request.sort).hasNullsLowest) return [placesWith(principal, request)];
  const isIn = request.after === undefined ? undefined : request.after[0] === null ? 'without' : 'with';
  return request.order === 'asc'
    ? [...(isIn === 'with' ? [] : [placesWithout(principal, request)]), placesWith(principal, request)]
    : [...(isIn === 'without' ? [] : [placesWith(principal, request)]), placesWithout(principal, request)];
};

/** Where counting would take longer than it saves, a walk to the end. */
const waysToCut = async (db: Db, principal: Principal, request: OrderedFilter & CutRequest): Promise<readonly Way[]> =>
  isPlain(request) || needsOthers(request)
    ? [WHOLE_WALK]
    : waysToPage({ ...(await count(db, principal, request)), needed: request.limit + 1, needsOthers: false });

/** The documents that `principal` may read behind `after`, at most `limit`. Reads neither text nor what stands before them. */
export const listDocumentsAfter = async (
  db: Db,
  principal: Principal,
  request: OrderedFilter & CutRequest,
): Promise<Cut<LabelledDocument>> => {
  const ways = await waysToCut(db, principal, request);
  const places: FoundPlace[] = [];
  for (const placesBy of placesOf(principal, request)) {
    if (places.length > request.limit) break;
    let found: readonly FoundPlace[] = [];
    for (const way of ways) {
      found = (await db.execute<FoundPlace>(placesBy(way))).rows;
      if (found.length > request.limit) break;
    }
    places.push(...found);
  }
  const { rows: ids, next } = toCut(places, request.limit, ({ id }) => id);
  return { rows: await readInOrder(db, ids), next };
};

interface PageWanted {
  /** Documents that match. */
  readonly total: number;
  /** Documents that the caller may read. */
  readonly readable: number;
  /** Documents of the order to be found: those of the page and those before it. */
  readonly needed: number;
  /** Whether a condition may need other tables, as labels and custom fields do. */
  readonly needsOthers: boolean;
}

/**
 * How a page is found. `gather`: all documents that match, to be sorted. `walk`: along the index of the order until enough of them match,
 * at most over `reach` documents.
 */
type Way = { readonly kind: 'gather' } | { readonly kind: 'walk'; readonly reach: number; readonly lookup: LabelLookup };

/** Along the index to its end. */
const WHOLE_WALK: Way = { kind: 'walk', reach: Number.POSITIVE_INFINITY, lookup: 'planned' };

/** A document that is gathered costs as much as four that are walked over: the walk reads nothing but an index. */
const GATHERED_COST = 4;

/** To put a document into a table of hashes costs a fifth of a look at its labels on the way. */
const HASHED_PER_LOOK = 5;

/** A walk that goes on for so many times what was expected has met a filter that depends on the order. */
const PATIENCE = 4;

/** A walk over fewer documents is a short one. */
const SHORT_WALK = 1_000;

/**
 * The ways to try one after the other, the last of which finds the page in any case. PostgreSQL expects what matches to be spread evenly
 * over any order. It is not: what was imported last year is at one end of most of them, and a walk from the other end passes the whole
 * library (2 s at a million documents). How many match is known, so that a walk can be given up that takes longer than it should, or longer
 * than it takes to gather them. Where other tables are needed, the planner knows better when to begin with those.
 */
export const waysToPage = ({ total, readable, needed, needsOthers }: PageWanted): readonly Way[] => {
  if (total >= readable) return [WHOLE_WALK];
  const expected = (needed * readable) / Math.max(1, total);
  if (needsOthers) {
    const isFar = expected > SHORT_WALK && total < HASHED_PER_LOOK * expected;
    return [isFar ? { ...WHOLE_WALK, lookup: 'hashed' } : WHOLE_WALK];
  }
  if (GATHERED_COST * total < expected) return [{ kind: 'gather' }];
  if (GATHERED_COST * total >= readable) return [WHOLE_WALK];
  const reach = Math.max(SHORT_WALK, Math.min(Math.ceil(PATIENCE * expected), GATHERED_COST * total));
  return reach >= readable ? [WHOLE_WALK] : [{ kind: 'walk', reach, lookup: 'planned' }, { kind: 'gather' }];
};

/** Rows of `documents` by one of the ways, with the condition that is left to check on them: what to put behind `from`. */
const rowsBy = (way: Way, principal: Principal, request: OrderedFilter, behind?: SQL): SQL => {
  const wanted = and(matching(principal, request, way.kind === 'walk' ? way.lookup : 'planned'), behind);
  // `offset 0` keeps PostgreSQL from walking along the index of the order after all
  if (way.kind === 'gather') return sql`(select * from documents where ${wanted} offset 0) as documents`;
  if (way.reach === Number.POSITIVE_INFINITY) return sql`documents where ${wanted}`;
  const passed = and(matching(principal, ofSortKey(request)), behind);
  return sql`(select * from documents where ${passed} order by ${sql.join(orderOf(request), sql`, `)} limit ${sql.raw(String(way.reach))}) as documents
    where ${wanted}`;
};

const counted = (principal: Principal, filter: DocumentFilter): SQL =>
  sql`(select count(*)::int from documents where ${matching(principal, filter)})`;

const monthOf = (time: Date, months = 0): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
const isMonth = (time: Date): boolean => monthOf(time).getTime() === time.getTime();
const toDay = (month: Date): string => month.toISOString().slice(0, 10);

/** Whole months from the tallies, and what is before and behind them one by one. */
const countedByMonths = (principal: Principal, filter: DocumentFilter, by: Tallied): SQL => {
  const { from, before } = filter;
  const firstMonth = from && (isMonth(from) ? from : monthOf(from, 1));
  const lastMonth = before && monthOf(before);
  if (firstMonth !== undefined && lastMonth !== undefined && firstMonth >= lastMonth) return counted(principal, filter);
  const parts = [tallied(principal, { ...by, months: { from: firstMonth && toDay(firstMonth), before: lastMonth && toDay(lastMonth) } })];
  if (from !== undefined && !isMonth(from)) parts.push(counted(principal, { ...filter, before: firstMonth }));
  if (before !== undefined && !isMonth(before)) parts.push(counted(principal, { ...filter, from: lastMonth }));
  return sql.join(parts, sql` + `);
};

const IS_HERE = isNotTrashed(sql`document_labels.document_id`);

const idsWith = (labelId: string): SQL => sql`select document_id from document_labels where label_id = ${labelId}::uuid and ${IS_HERE}`;

/** Documents that have each of some labels: two walks side by side through the index of labels, 0.12 s for 400,000 and 50,000 documents. */
const countedWithAll = (first: string, others: readonly string[]): SQL => {
  const joined = others.map((labelId) => sql`join (${idsWith(labelId)}) as ${sql.identifier(`with_${labelId}`)} using (document_id)`);
  return sql`(select count(*)::int from (${idsWith(first)}) as with_first ${sql.join(joined, sql` `)})`;
};

/**
 * Documents that have any of some labels. What two have together is fewer documents than each of them has, so that it is counted and
 * taken away: 0.12 s instead of 1.3 s, as nothing has to be hashed.
 */
const countedWithAny = (principal: Principal, labelIds: readonly string[]): SQL => {
  const [first = '', second, ...others] = labelIds;
  if (second !== undefined && others.length === 0)
    return sql`(${tallied(principal, { labelId: first })} + ${tallied(principal, { labelId: second })} - ${countedWithAll(first, [second])})`;
  return sql`(select count(distinct document_id)::int from document_labels where label_id = any(${sql.param([...labelIds])}::uuid[]) and ${IS_HERE})`;
};

/** Whether nothing is asked for that the tallies do not know. */
const isTallied = ({ mimeTypes = [], correspondentIds = [], documentTypeIds = [], ...filter }: DocumentFilter): boolean =>
  [mimeTypes, correspondentIds, documentTypeIds].every((wanted) => wanted.length === 0) &&
  [filter.language, filter.ownerId, filter.hasLabels, filter.hasCorrespondent, filter.hasDocumentType, filter.hasSimilar].every(
    (value) => value === undefined,
  ) &&
  FIELD_FILTERS.every(({ name }) => filter.values?.[name] === undefined) &&
  [filter.importedFrom, filter.fields, filter.further].every((value) => value === undefined);

/** How many documents match, as an SQL expression: by the tallies, or one by one where several labels meet. */
const totalOf = (principal: Principal, filter: DocumentFilter): SQL => {
  const { status, sourceId, from, before } = filter;
  if (!isTallied(filter)) return counted(principal, filter);
  const isDated = from !== undefined || before !== undefined;
  const [labelId, ...others] = labelsOf(filter);
  if (labelId !== undefined && others.length > 0) {
    // where labels are all that is asked for, the table of documents has nothing to add
    const isByLabels =
      scopeOf(principal.permissions, 'documents.read') === 'all' && !isDated && status === undefined && sourceId === undefined;
    if (!isByLabels) return counted(principal, filter);
    return filter.labelMatch === 'all' ? countedWithAll(labelId, others) : countedWithAny(principal, [labelId, ...others]);
  }
  const by = { labelId, status, sourceId };
  return isDated ? countedByMonths(principal, filter, by) : tallied(principal, by);
};
