import type { Db } from '@sheaf/db';
import { and, count, desc, eq, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { ruleChanges } from '@sheaf/db/schema';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RunLimits } from './apply-rule.ts';
import { undoChanges } from './undo-changes.ts';

export interface Undone {
  /** Changes. */
  readonly undone: number;
  readonly kept: number;
  /** Changes that were not looked at. */
  readonly remaining: number;
}

const LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 100 };

const isOpen = (ruleId: string, behind: SQL | undefined): SQL | undefined =>
  and(eq(ruleChanges.ruleId, ruleId), isNull(ruleChanges.undoneAt), behind);

/**
 * Reverts what the rule has changed, the newest first, where the document still has what the rule set and nobody has confirmed it. Each
 * part is a transaction of its own.
 */
export const undoRule = async (db: Db, principal: Principal, ruleId: string, limits: Partial<RunLimits> = {}): Promise<Undone> => {
  const { most, batch, signal } = { ...LIMITS, ...limits };
  let [undone, kept] = [0, 0];
  for (let behind: SQL | undefined; ; ) {
    signal?.throwIfAborted();
    if (undone + batch > most) {
      const [rest] = await db.select({ count: count() }).from(ruleChanges).where(isOpen(ruleId, behind));
      return { undone, kept, remaining: rest?.count ?? 0 };
    }
    const part = await db.transaction(async (tx) => {
      const changes = await tx
        .select({ change: ruleChanges, position: sql<string>`${ruleChanges.changedAt}::text` })
        .from(ruleChanges)
        .where(isOpen(ruleId, behind))
        .orderBy(desc(ruleChanges.changedAt), desc(ruleChanges.id))
        .limit(batch);
      const ids = await undoChanges(
        tx,
        principal,
        changes.map(({ change }) => change),
      );
      return { changes, undone: ids.length };
    });
    undone += part.undone;
    kept += part.changes.length - part.undone;
    const last = part.changes.at(-1);
    if (last === undefined || part.changes.length < batch) return { undone, kept, remaining: 0 };
    behind = sql`(${ruleChanges.changedAt}, ${ruleChanges.id}) < (${last.position}::timestamptz, ${last.change.id}::uuid)`;
  }
};
