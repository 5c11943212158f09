import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { and, asc, count, desc, eq, inArray, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, type RuleChange, ruleChanges } from '@sheaf/db/schema';
import { listLabelsBelow, removeLabelsFromDocuments } from '@sheaf/labels';
import { MAX_BULK_DOCUMENTS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RunLimits } from './apply-rule.ts';
import { lockStates } from './document-states.ts';
import { type DocumentState, valueOf } from './plan-changes.ts';
import { announceChanges, type DocumentChange, setField } from './write-changes.ts';

export interface Undone {
  /** Changes. */
  readonly undone: number;
  readonly kept: number;
  /** Changes that were not looked at. */
  readonly remaining: number;
}

const LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 100 };

type LabelsBelow = Awaited<ReturnType<typeof listLabelsBelow>>;

/** A document while its changes are undone: what it has, and what it had before. */
interface Undoing {
  readonly document: DocumentState;
  readonly labels: Set<string>;
  readonly values: Map<string, RuleValue | null>;
}

/**
 * Whether the document still has what the change set, and may be changed. Notes what it has then. A label stays while the document has one
 * below it, which would go with it.
 */
const takeBack = (undoing: Undoing | undefined, { field, from, to }: RuleChange, below: LabelsBelow): boolean => {
  if (undoing?.document.isAllowed !== true) return false;
  const { document, labels, values } = undoing;
  if (field === 'label') return below.get(to.id)?.some((id) => labels.has(id)) !== true && labels.delete(to.id);
  const current = values.has(field) ? values.get(field) : valueOf(document, field);
  if (current?.id !== to.id || document.confirmedFields.includes(field)) return false;
  values.set(field, from);
  return true;
};

/** Of the values before, those that are still there, held until the end of the transaction. */
const findThere = async (tx: Db, field: 'correspondent' | 'document_type', ids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const table = field === 'correspondent' ? correspondents : documentTypes;
  const rows = await tx
    .select({ id: table.id })
    .from(table)
    .where(inArray(table.id, [...ids]))
    .orderBy(asc(table.id))
    .for('key share');
  return new Set(rows.map(({ id }) => id));
};

const writeField = async (tx: Db, field: 'correspondent' | 'document_type', undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
  const own = undoing.flatMap(({ document, values }) => (values.has(field) ? [{ document, field, value: values.get(field) ?? null }] : []));
  const there = await findThere(tx, field, [...new Set(own.flatMap(({ value }) => (value === null ? [] : [value.id])))]);
  const changes = own.map((change) => ({ ...change, value: change.value !== null && there.has(change.value.id) ? change.value : null }));
  await setField(
    tx,
    field,
    changes.map(({ document, value }) => ({ documentId: document.id, value })),
  );
  return changes;
};

const writeLabels = async (tx: Db, undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
  const gone = undoing.flatMap(({ document, labels }) =>
    document.labelIds.filter((id) => !labels.has(id)).map((labelId) => ({ document, labelId })),
  );
  for (const [labelId, sameLabel] of Map.groupBy(gone, (one) => one.labelId))
    await removeLabelsFromDocuments(
      tx,
      sameLabel.map(({ document }) => document.id),
      [labelId],
    );
  return gone.map(({ document }) => ({ document, field: 'label', value: null }));
};

/** Undoes these changes, the newest first; answers the ids of those that could be undone. */
const undoChanges = async (tx: Db, principal: Principal, changes: readonly RuleChange[]): Promise<string[]> => {
  const documents = await lockStates(tx, principal, [...new Set(changes.map(({ documentId }) => documentId))]);
  const undoing = new Map(
    documents.map((document) => [
      document.id,
      { document, labels: new Set(document.labelIds), values: new Map<string, RuleValue | null>() },
    ]),
  );
  const below = await listLabelsBelow(
    tx,
    changes.filter(({ field }) => field === 'label').map(({ to }) => to.id),
  );
  const undone = changes.filter((change) => takeBack(undoing.get(change.documentId), change, below)).map(({ id }) => id);
  const all = [...undoing.values()];
  const written = [
    ...(await writeField(tx, 'correspondent', all)),
    ...(await writeField(tx, 'document_type', all)),
    ...(await writeLabels(tx, all)),
  ];
  await announceChanges(tx, written);
  if (undone.length > 0) await tx.update(ruleChanges).set({ undoneAt: sql`now()` }).where(inArray(ruleChanges.id, undone));
  return undone;
};

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
