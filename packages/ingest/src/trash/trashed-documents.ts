import { documentNotFound, reasonedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, queryCut, queryPage, trashFor } from '@sheaf/db';
import { type SQL, sql } from '@sheaf/db/drizzle';
import type { TrashedDocument as Row } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SortOrder, TrashSortField } from '@sheaf/vocabulary/sort-fields';

/** A document in the trash. */
export interface TrashedDocument
  extends Pick<
    Row,
    | 'id'
    | 'ownerId'
    | 'title'
    | 'filename'
    | 'mimeType'
    | 'sizeBytes'
    | 'sha256'
    | 'pageCount'
    | 'source'
    | 'createdAt'
    | 'trashedAt'
    | 'reason'
  > {
  /** Its owner's name. */
  readonly owner: string;
  /** Who deleted it; null: nobody, or who is gone. */
  readonly trashedBy: { readonly id: string; readonly name: string } | null;
}

interface TrashRow extends Record<string, unknown> {
  readonly id: string;
  readonly owner_id: string;
  readonly owner: string;
  readonly title: string;
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes: string;
  readonly sha256: string;
  readonly page_count: number | null;
  readonly source: Row['source'];
  readonly created_at: string;
  readonly trashed_at: string;
  readonly trashed_by: string | null;
  readonly trasher: string | null;
  readonly reason: Row['reason'];
}

const selectTrash = (more: SQL = sql``): SQL => sql`
  select trashed_documents.id, owner_id, owner.username as owner, title, filename, mime_type, size_bytes, sha256, page_count, source,
    trashed_documents.created_at, trashed_at, trashed_by, trasher.username as trasher, reason ${more}
  from trashed_documents join users as owner on owner.id = owner_id left join users as trasher on trasher.id = trashed_by`;

const toTrashed = (row: TrashRow): TrashedDocument => ({
  id: row.id,
  ownerId: row.owner_id,
  owner: row.owner,
  title: row.title,
  filename: row.filename,
  mimeType: row.mime_type,
  sizeBytes: Number(row.size_bytes),
  sha256: row.sha256,
  pageCount: row.page_count,
  source: row.source,
  createdAt: new Date(row.created_at),
  trashedAt: new Date(row.trashed_at),
  trashedBy: row.trashed_by === null || row.trasher === null ? null : { id: row.trashed_by, name: row.trasher },
  reason: row.reason,
});

export interface TrashQuestion {
  readonly sort: TrashSortField;
  readonly order: SortOrder;
}

const SORT_KEYS = {
  trashed_at: { by: sql`trashed_documents.trashed_at`, type: 'timestamptz' },
  created_at: { by: sql`trashed_documents.created_at`, type: 'timestamptz' },
  title: { by: sql`trashed_documents.title`, type: 'text' },
  filename: { by: sql`trashed_documents.filename`, type: 'text' },
  size: { by: sql`trashed_documents.size_bytes`, type: 'bigint' },
  id: { by: sql`trashed_documents.id`, type: 'uuid' },
  mime_type: { by: sql`trashed_documents.mime_type`, type: 'text' },
  sha256: { by: sql`trashed_documents.sha256`, type: 'text' },
  page_count: { by: sql`trashed_documents.page_count`, type: 'integer', mayBeMissing: true },
  source: { by: sql`trashed_documents.source`, type: 'text' },
  reason: { by: sql`trashed_documents.reason`, type: 'text' },
  // the same time later for all
  purge_at: { by: sql`trashed_documents.trashed_at`, type: 'timestamptz' },
} as const satisfies Record<TrashSortField, unknown>;

const keysetOf = ({ sort, order }: TrashQuestion) => makeKeyset(order, [SORT_KEYS[sort], { by: sql`trashed_documents.id`, type: 'uuid' }]);

const selectionOf = (principal: Principal) => ({ select: selectTrash, where: trashFor(principal), toRow: toTrashed });

/** One page of the trash, as far as `principal` may see it, and how many documents lie there. */
export const listTrash = (
  db: Db,
  principal: Principal,
  { page, perPage, ...question }: TrashQuestion & PageRequest,
): Promise<Page<TrashedDocument>> =>
  queryPage(db, selectionOf(principal), { from: sql`trashed_documents`, order: keysetOf(question).order, page, perPage });

/** The same behind `after`, at most `limit`. */
export const listTrashAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...question }: TrashQuestion & CutRequest,
): Promise<Cut<TrashedDocument>> => queryCut(db, selectionOf(principal), { keyset: keysetOf(question), after, limit });

/** A document in the trash, if `principal` may see it there. */
export const findTrashed = async (db: Db, principal: Principal, id: string): Promise<TrashedDocument | undefined> => {
  const { rows } = await db.execute<TrashRow>(sql`${selectTrash()} where trashed_documents.id = ${id} and ${trashFor(principal)}`);
  return rows[0] && toTrashed(rows[0]);
};

/** The same. Throws DOCUMENT_NOT_FOUND where there is none. */
export const getTrashed = async (db: Db, principal: Principal, id: string): Promise<TrashedDocument> => {
  const trashed = await findTrashed(db, principal, id);
  if (trashed === undefined) throw documentNotFound(id);
  return trashed;
};

/** The same, if they may do `action` with it there as well. Throws FORBIDDEN otherwise. */
export const requireTrashed = async (
  db: Db,
  principal: Principal,
  action: 'documents.delete' | 'documents.purge',
  id: string,
): Promise<TrashedDocument> => {
  const allowed = sql`, (${trashFor(principal, action)}) as is_allowed`;
  const { rows } = await db.execute<TrashRow & { readonly is_allowed: boolean }>(
    sql`${selectTrash(allowed)} where trashed_documents.id = ${id} and ${trashFor(principal)}`,
  );
  const [row] = rows;
  if (row === undefined) throw documentNotFound(id);
  if (!row.is_allowed) throw reasonedError('FORBIDDEN', 'not_your_own', { document_ids: [id] });
  return toTrashed(row);
};

/** How many documents lie in the trash that `principal` may remove for good, and the moment that this was true. */
export const countPurgeable = async (db: Db, principal: Principal): Promise<{ readonly total: number; readonly asOf: string }> => {
  // as text: a date would lose the microseconds
  const { rows } = await db.execute<{ total: number; as_of: string }>(sql`
    select count(*)::int as total, now()::text as as_of from trashed_documents where ${trashFor(principal, 'documents.purge')}`);
  return { total: rows[0]?.total ?? 0, asOf: rows[0]?.as_of ?? 'now' };
};

/** The document in the trash of this owner that has these bytes, the newest where there are several. */
export const findTrashedBytes = async (db: Db, ownerId: string, sha256: string): Promise<Pick<Row, 'id' | 'reason'> | undefined> => {
  const { rows } = await db.execute<Pick<Row, 'id' | 'reason'>>(sql`
    select id, reason from trashed_documents where owner_id = ${ownerId} and sha256 = ${sha256} order by trashed_at desc, id limit 1`);
  return rows[0];
};
