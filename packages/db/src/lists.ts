import type { Db } from './client.ts';
import { and, count, type PgTable, type SQL, sql } from './drizzle.ts';
import { type Cut, type CutRequest, type Keyset, type Position, toCut } from './keyset.ts';

/** A part of a list that is found by its number. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** Some rows of a list, and how many it has in all. */
export interface Page<T> {
  readonly rows: T[];
  readonly total: number;
}

/** One page of the rows of `table` that `where` holds for. */
export const selectPage = async <T extends PgTable>(
  db: Db,
  table: T,
  { where, order, page, perPage }: PageRequest & { readonly where: SQL | undefined; readonly order: SQL },
): Promise<Page<T['$inferSelect']>> => {
  const [rows, counted] = await Promise.all([
    db
      .select()
      .from<PgTable>(table)
      .where(where)
      .orderBy(order)
      .limit(perPage)
      .offset((page - 1) * perPage),
    db.select({ total: count() }).from<PgTable>(table).where(where),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
};

/** The rows of `table` that `where` holds for behind `after`, at most `limit`. */
export const selectCut = async <T extends PgTable>(
  db: Db,
  table: T,
  { where, keyset, after, limit }: CutRequest & { readonly where: SQL | undefined; readonly keyset: Keyset },
): Promise<Cut<T['$inferSelect']>> => {
  const from: PgTable = table;
  const found = await db
    .select({ row: from, position: keyset.position })
    .from(from)
    .where(and(where, keyset.behind(after)))
    .orderBy(keyset.order)
    .limit(limit + 1);
  return toCut(found, limit, ({ row }) => row);
};

/** A list whose rows are more than those of one table. */
export interface Selection<Row, T> {
  /** SELECT with its FROM and without WHERE. `more` begins with a comma and goes behind what is selected. */
  readonly select: (more?: SQL) => SQL;
  readonly where: SQL;
  readonly toRow: (row: Row) => T;
}

/** One page of what is selected; `from` has the same rows, for they are counted there. */
export const queryPage = async <Row extends Record<string, unknown>, T>(
  db: Db,
  { select, where, toRow }: Selection<Row, T>,
  { from, order, page, perPage }: PageRequest & { readonly from: SQL; readonly order: SQL },
): Promise<Page<T>> => {
  const [found, counted] = await Promise.all([
    db.execute<Row>(sql`${select()} where ${where} order by ${order} limit ${perPage} offset ${(page - 1) * perPage}`),
    db.execute<{ total: number }>(sql`select count(*)::int as total from ${from} where ${where}`),
  ]);
  return { rows: found.rows.map((row) => toRow(row as Row)), total: counted.rows[0]?.total ?? 0 };
};

/** What is selected behind `after`, at most `limit`. */
export const queryCut = async <Row extends Record<string, unknown>, T>(
  db: Db,
  { select, where, toRow }: Selection<Row, T>,
  { keyset, after, limit }: CutRequest & { readonly keyset: Keyset },
): Promise<Cut<T>> => {
  const { rows } = await db.execute<Row & { readonly position_of_row: Position }>(sql`
    ${select(sql`, ${keyset.position} as position_of_row`)}
    where ${where} and ${keyset.behind(after) ?? sql`true`} order by ${keyset.order} limit ${limit + 1}`);
  return toCut(
    rows.map((row) => ({ row, position: row.position_of_row })),
    limit,
    ({ row }) => toRow(row as Row),
  );
};
