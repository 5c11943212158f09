import { type PgColumn, type SQL, sql } from './drizzle.ts';

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

interface Key {
  /** Never null, for null is neither before nor behind anything. */
  readonly by: SQL | PgColumn;
  /** What PostgreSQL reads the text of a position as. */
  readonly type: 'text' | 'timestamptz' | 'bigint' | 'integer' | 'numeric' | 'real' | 'uuid' | 'date';
  /** The index of the key has nulls below all else: an order that does not say so as well is not its own, even where there are none. */
  readonly hasNullsLowest?: boolean;
}

const orderBy = ({ by, hasNullsLowest = false }: Key, direction: 'asc' | 'desc'): SQL =>
  direction === 'asc'
    ? sql`${by} asc ${sql.raw(hasNullsLowest ? 'nulls first' : '')}`
    : sql`${by} desc ${sql.raw(hasNullsLowest ? 'nulls last' : '')}`;

export interface Keyset {
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
    position: sql<Position>`array[${listed(({ by }) => sql`${by}::text`)}]`,
    behind: (after) => {
      if (after === undefined) return undefined;
      const values = listed(({ type }, index) => sql`${after[index] ?? null}::${sql.raw(type)}`);
      return sql`(${listed(({ by }) => sql`${by}`)}) ${direction === 'asc' ? sql`>` : sql`<`} (${values})`;
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
