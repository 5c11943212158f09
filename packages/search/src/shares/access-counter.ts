import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { recordEvent } from '@sheaf/events';

/** An access to a link, and from where. */
export interface ShareAccess {
  readonly shareId: string;
  readonly address: string | undefined;
}

interface Noted {
  count: number;
  /** Of the first of them. */
  readonly address: string | undefined;
}

interface CountedRow extends Record<string, unknown> {
  readonly id: string;
  readonly is_first: boolean;
  readonly created_by: string;
  readonly document_id: string | null;
  readonly saved_search_id: string | null;
}

const writeCounts = (db: Db, noted: ReadonlyMap<string, Noted>): Promise<void> =>
  db.transaction(async (tx) => {
    const ids = sql.param([...noted.keys()]);
    const counts = sql.param([...noted.values()].map(({ count }) => count));
    const { rows } = await tx.execute<CountedRow>(sql`
      with noted as (select * from unnest(${ids}::uuid[], ${counts}::int[]) as noted (id, count)),
      before as (select shares.id, access_count = 0 as is_first, count from shares join noted using (id) order by shares.id for update of shares)
      update shares set access_count = access_count + before.count, last_accessed_at = now(),
        first_accessed_at = coalesce(first_accessed_at, now())
      from before where shares.id = before.id
      returning shares.id, is_first, created_by, document_id, saved_search_id`);
    for (const { id, created_by: createdBy, document_id, saved_search_id } of rows.filter((row) => row.is_first)) {
      await recordEvent(tx, { type: 'share_opened', share_id: id, document_id, saved_search_id }, createdBy);
      await recordAudit(tx, {
        address: noted.get(id)?.address,
        action: 'share.opened',
        outcome: 'success',
        subject: { type: 'share', id },
        details: { document_id, saved_search_id },
      });
    }
  });

/** A statement that counts, and whom it tells when it has. */
class Batch {
  readonly noted = new Map<string, Noted>();
  readonly outcome = Promise.withResolvers<void>();

  add({ shareId, address }: ShareAccess): void {
    const before = this.noted.get(shareId);
    if (before === undefined) this.noted.set(shareId, { count: 1, address });
    else before.count += 1;
  }
}

/**
 * Counts accesses to links. One statement at a time is under way and takes along all accesses that came during the one before: however many
 * there are, the rows are written no more often than the database answers. The first access of a link is an event and stands in the audit log.
 */
export class AccessCounter {
  readonly #db: Db;
  #next = new Batch();
  #isWriting = false;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Ends when the access is counted. Throws what the database throws. */
  async note(access: ShareAccess): Promise<void> {
    const batch = this.#next;
    batch.add(access);
    if (!this.#isWriting) void this.#write();
    await batch.outcome.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#next.noted.size > 0) {
      const batch = this.#next;
      this.#next = new Batch();
      try {
        await writeCounts(this.#db, batch.noted);
        batch.outcome.resolve();
      } catch (error) {
        batch.outcome.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
