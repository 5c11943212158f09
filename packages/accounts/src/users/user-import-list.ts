import { type AppError, codedError } from '@sheaf/contract';
import { type Cut, type CutRequest, type Db, makeKeyset, type Page, type PageRequest, selectCut, selectPage } from '@sheaf/db';
import { and, eq, type SQL, sql } from '@sheaf/db/drizzle';
import { type UserImport, userImports } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import type { SortOrder, UserImportSortField } from '@sheaf/vocabulary/sort-fields';

interface UserImportOrder {
  readonly sort: UserImportSortField;
  readonly order: SortOrder;
}

const SORT_KEYS = {
  created_at: { by: userImports.createdAt, type: 'timestamptz' },
  id: { by: userImports.id, type: 'uuid' },
  state: { by: userImports.state, type: 'text' },
  total: { by: userImports.total, type: 'integer' },
  done: { by: userImports.done, type: 'integer' },
  imported: { by: sql`(${userImports.done} - ${userImports.skipped})`, type: 'integer' },
  skipped: { by: userImports.skipped, type: 'integer' },
  error: { by: sql`case when ${userImports.state} = 'failed' then ${userImports.error} end`, type: 'text', mayBeMissing: true },
  error_code: { by: userImports.errorCode, type: 'text', mayBeMissing: true },
  finished_at: { by: userImports.finishedAt, type: 'timestamptz', mayBeMissing: true },
} as const satisfies Record<UserImportSortField, unknown>;

const keysetOf = ({ sort, order }: UserImportOrder) => makeKeyset(order, [SORT_KEYS[sort], { by: userImports.id, type: 'uuid' }]);

/** The imports that somebody may see: their own, and those of everybody for whoever manages users. */
const visibleTo = ({ userId, permissions }: Principal): SQL | undefined =>
  scopeOf(permissions, 'users.update') === 'all' ? undefined : eq(userImports.requestedBy, userId);

const notFound = (id: string): AppError => codedError('NOT_FOUND', 'IMPORT_NOT_FOUND', { import_id: id });

/** Throws IMPORT_NOT_FOUND, also where the import is not the principal's to see. */
export const getUserImport = async (db: Db, principal: Principal, id: string): Promise<UserImport> => {
  const [row] = await db
    .select()
    .from(userImports)
    .where(and(eq(userImports.id, id), visibleTo(principal)));
  if (row === undefined) throw notFound(id);
  return row;
};

/** One page of the imports that the principal may see, and how many there are. */
export const listUserImports = (
  db: Db,
  principal: Principal,
  { page, perPage, ...order }: UserImportOrder & PageRequest,
): Promise<Page<UserImport>> => selectPage(db, userImports, { where: visibleTo(principal), order: keysetOf(order).order, page, perPage });

/** The same behind a position. */
export const listUserImportsAfter = (
  db: Db,
  principal: Principal,
  { after, limit, ...order }: UserImportOrder & CutRequest,
): Promise<Cut<UserImport>> => selectCut(db, userImports, { where: visibleTo(principal), keyset: keysetOf(order), after, limit });
