import type { Db } from './client.ts';

/** A statement with $1, $2 in it. `name` is its own: the server keeps the plan under it. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

interface PreparingSession {
  readonly session: {
    prepareQuery(
      query: { sql: string; params: unknown[] },
      fields: undefined,
      name: string,
      isArrayMode: false,
    ): { execute(): Promise<unknown> };
  };
}

/**
 * The rows of a statement that the server parses and plans once for each connection. drizzle prepares only what its own builder
 * made; planning a statement that writes to six tables takes longer than running it.
 */
export const runPrepared = async <T>(db: Db, { name, text }: PreparedStatement, params: readonly unknown[]): Promise<T[]> => {
  const { session } = db as unknown as PreparingSession;
  const result = await session.prepareQuery({ sql: text, params: [...params] }, undefined, name, false).execute();
  return (result as { rows: T[] }).rows;
};
