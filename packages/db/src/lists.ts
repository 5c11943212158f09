import type { Db } from './client.ts';
import { and, count, type PgColumn, type PgTable, type SQL, sql } from './drizzle.ts';

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

/** Where a list goes on: what its last row has of the keys of the order, as PostgreSQL writes them. Nothing is rounded on the way. */
export type Position = readonly (string | null)[];

/** A part of a list that is found by what stands before it, so that neither its place nor its total has to be counted. */
export interface CutRequest {
  /** Undefined: from the beginning. */
  readonly after: Position | undefined;
  readonly limit: number;
}

export interface Cut<T> {
  readonly rows: readonly T[];
  /** Undefined where nothing comes behind them. */
  readonly next: Position | undefined;
}

type KeyType = 'text' | 'timestamptz' | 'bigint' | 'integer' | 'numeric' | 'real' | 'uuid' | 'date' | 'boolean';

interface Key {
  /** Never null, unless `mayBeMissing`. */
  readonly by: SQL | PgColumn;
  /** What PostgreSQL reads the text of a position as. */
  readonly type: KeyType;
  /** The index of the key has nulls below all else: an order that does not say so as well is not its own, even where there are none. */
  readonly hasNullsLowest?: boolean;
  /** Choice: null stands below any value. No index helps an order by such a key. */
  readonly mayBeMissing?: boolean;
}

/** Stands below any value of a type. */
const LOWEST: Readonly<Record<KeyType, string>> = {
  text: '',
  timestamptz: '-infinity',
  bigint: '-9223372036854775808',
  integer: '-2147483648',
  numeric: '-infinity',
  real: '-infinity',
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '-infinity',
  boolean: 'false',
};

/** What is missing is the lowest value of its type, for a comparison with null is neither true nor false. */
const withoutNull = ({ by, type, mayBeMissing = false }: Key): SQL =>
  mayBeMissing ? sql`coalesce(${by}, ${sql.raw(`'${LOWEST[type]}'::${type}`)})` : sql`${by}`;

const orderBy = (key: Key, direction: 'asc' | 'desc'): SQL => {
  const nulls = key.hasNullsLowest === true ? (direction === 'asc' ? 'nulls first' : 'nulls last') : '';
  return sql`${withoutNull(key)} ${sql.raw(`${direction} ${nulls}`)}`;
};

interface Keyset {
  readonly order: SQL;
  /** To be selected with each row. */
  readonly position: SQL<Position>;
  /** The condition for what comes behind `after`; undefined where everything does. */
  behind(after: Position | undefined): SQL | undefined;
}

/**
 * An order of which the last key is unique. All keys run in one direction: then what comes behind a row is one comparison, which an
 * index of these keys answers without reading what stands before.
 */
export const makeKeyset = (direction: 'asc' | 'desc', keys: readonly Key[]): Keyset => {
  const listed = (one: (key: Key, index: number) => SQL): SQL =>
    sql.join(
      keys.map((key, index) => one(key, index)),
      sql`, `,
    );
  return {
    order: listed((key) => orderBy(key, direction)),
    position: sql<Position>`array[${listed((key) => sql`(${withoutNull(key)})::text`)}]`,
    behind: (after) => {
      if (after === undefined) return undefined;
      const values = listed(({ type }, index) => sql`${after[index] ?? null}::${sql.raw(type)}`);
      return sql`(${listed(withoutNull)}) ${direction === 'asc' ? sql`>` : sql`<`} (${values})`;
    },
  };
};

/** Of `found`, of which one more was asked for than `limit`: the rows, and whether there is more behind them. */
export const toCut = <Found extends { readonly position: Position }, T>(
  found: readonly Found[],
  limit: number,
  toRow: (found: Found) => T,
): Cut<T> => {
  const kept = found.slice(0, limit);
  return { rows: kept.map(toRow), next: found.length > limit ? kept.at(-1)?.position : undefined };
};
