import type { Db } from '@sheaf/db';
import { and, eq, inArray, type PgTable, sql } from '@sheaf/db/drizzle';
import { importItems } from '@sheaf/db/schema';

/** What an id of the other system became here. */
export interface ImportedItem {
  readonly localId: string;
  /** Whether it is a row that was here, not one that was made of it. */
  readonly isJoined: boolean;
  readonly fingerprint: string | null;
}

export interface NewItem {
  readonly foreignId: string;
  readonly localId: string;
  readonly isJoined?: boolean;
  readonly fingerprint?: string | null;
}

/** Rows of one statement: seven values each, of which a statement takes 65,535. */
const BATCH = 1_000;

/** What was taken over from one source: an id that is here is not taken over again. */
export class ImportItems {
  readonly #kind: string;
  readonly #source: string;

  constructor(kind: string, source: string) {
    this.#kind = kind;
    this.#source = source;
  }

  /** What became of these ids; those that were not taken over are missing. Without ids: of all. */
  async find(db: Db, model: string, foreignIds?: readonly string[]): Promise<Map<string, ImportedItem>> {
    if (foreignIds?.length === 0) return new Map();
    const rows = await db
      .select()
      .from(importItems)
      .where(
        and(
          eq(importItems.kind, this.#kind),
          eq(importItems.source, this.#source),
          eq(importItems.model, model),
          foreignIds === undefined ? undefined : inArray(importItems.foreignId, [...foreignIds]),
        ),
      );
    return new Map(rows.map(({ foreignId, localId, isJoined, fingerprint }) => [foreignId, { localId, isJoined, fingerprint }]));
  }

  /**
   * The rows of `table` that these ids became, by the ids; null where the row was deleted since, which is not made again. Those that were
   * not taken over are missing.
   */
  async findRows(db: Db, model: string, table: PgTable): Promise<Map<string, string | null>> {
    const found = await this.find(db, model);
    const ids = [...new Set([...found.values()].map(({ localId }) => localId))];
    const rows =
      ids.length === 0
        ? []
        : (await db.execute<{ id: string }>(sql`select id from ${table} where id = any(${sql.param(ids)}::uuid[])`)).rows;
    const there = new Set(rows.map(({ id }) => id));
    return new Map([...found].map(([foreignId, { localId }]) => [foreignId, there.has(localId) ? localId : null]));
  }

  /** Pass the transaction that makes the rows. Throws where one of the ids was taken over meanwhile. */
  async add(tx: Db, model: string, items: readonly NewItem[]): Promise<void> {
    for (let at = 0; at < items.length; at += BATCH)
      await tx.insert(importItems).values(
        items.slice(at, at + BATCH).map(({ foreignId, localId, isJoined = false, fingerprint = null }) => ({
          kind: this.#kind,
          source: this.#source,
          model,
          foreignId,
          localId,
          isJoined,
          fingerprint,
        })),
      );
  }

  /** Whether anything was ever taken over. */
  async hasAny(db: Db): Promise<boolean> {
    const { rows } = await db.execute(sql`
      select 1 from import_items where kind = ${this.#kind} and source = ${this.#source} limit 1`);
    return rows.length > 0;
  }
}
