import type { DryRunBody, RuleDraft, RuleValue } from '@sheaf/contract/rules';
import { type Db, isNotTrashed } from '@sheaf/db';
import { and, asc, count, desc, eq, inArray, isNull, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, type Rule, type RuleChange, ruleChanges } from '@sheaf/db/schema';
import { listLabelsBelow, removeLabelsFromDocuments } from '@sheaf/documents/labels';
import { findMatching } from '@sheaf/search';
import { MAX_BULK_DOCUMENTS, MAX_RULE_CHANGES_SHOWN } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { fieldIdsOf, lockStates, readStates } from './document-states.ts';
import { type DocumentState, isSame, keyOf, planChanges, valueOf } from './plan-changes.ts';
import {
  announceChanges,
  type DocumentChange,
  findTargets,
  holdFormerOwners,
  setCustomFields,
  setFiling,
  setOwners,
  withoutImpossibleOwners,
  writeChanges,
} from './rule-targets.ts';

export interface Undone {
  /** Changes. */
  readonly undone: number;
  readonly kept: number;
  /** Changes that were not looked at. */
  readonly remaining: number;
}

const LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 100 };

const isOpen = (ruleId: string, behind: SQL | undefined): SQL | undefined =>
  and(eq(ruleChanges.ruleId, ruleId), isNull(ruleChanges.undoneAt), isNotTrashed(ruleChanges.documentId), behind);

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

/** How much one request looks at or changes, and in which parts. */
interface RunLimits {
  readonly most: number;
  /** Documents of one transaction. */
  readonly batch: number;
  readonly signal?: AbortSignal;
}

const DRY_RUN_LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 1_000 };
const APPLY_LIMITS: RunLimits = { most: MAX_BULK_DOCUMENTS, batch: 100 };
/** Ids alone are short. */
const COUNT_BATCH = 10_000;

type Condition = Pick<RuleDraft, 'query' | 'filters'>;

/** How many documents match behind `after`. */
const countBehind = async (
  db: Db,
  principal: Principal,
  { query, filters }: Condition,
  start: string | undefined,
  signal?: AbortSignal,
) => {
  let count = 0;
  for (let after = start; ; ) {
    signal?.throwIfAborted();
    const ids = await findMatching(db, principal, { query, filters, after, limit: COUNT_BATCH });
    count += ids.length;
    if (ids.length < COUNT_BATCH) return count;
    after = ids.at(-1);
  }
};

type Sample = DryRunBody['changes'];

/** What the rule would change now, of the first `most` documents that match. Changes nothing. */
export const dryRun = async (db: Db, principal: Principal, rule: RuleDraft, limits: Partial<RunLimits> = {}): Promise<DryRunBody> => {
  const { most, batch, signal } = { ...DRY_RUN_LIMITS, ...limits };
  const { query, filters } = rule;
  const targets = await findTargets(db, principal, rule.actions);
  const changes: Sample = [];
  let [matched, wouldChange] = [0, 0];
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const limit = Math.min(batch, most - matched);
    const ids = await findMatching(db, principal, { query, filters, after, limit });
    matched += ids.length;
    after = ids.at(-1) ?? after;
    const states = await readStates(db, principal, ids, fieldIdsOf(rule.actions));
    const planned = states.map((document) => ({ document, changes: planChanges(document, targets) }));
    for (const { document, changes: own } of await withoutImpossibleOwners(db, planned)) {
      if (own.length > 0) wouldChange += 1;
      const room = MAX_RULE_CHANGES_SHOWN - changes.length;
      changes.push(...own.slice(0, room).map((change) => ({ document_id: document.id, title: document.title, ...change })));
    }
    if (ids.length < limit || matched === most) {
      const rest = matched < most ? 0 : await countBehind(db, principal, rule, after, signal);
      return { matched: matched + rest, would_change: wouldChange, is_lower_bound: rest > 0, changes };
    }
  }
};

interface Applied {
  readonly matched: number;
  /** Documents. */
  readonly changed: number;
  /** Documents that match and were not looked at. */
  readonly remaining: number;
}

/**
 * Applies a rule to the documents that match now, each part in a transaction of its own, until `most` are changed. What is
 * aborted stays as far as it came.
 */
export const applyRule = async (db: Db, principal: Principal, rule: Rule, limits: Partial<RunLimits> = {}): Promise<Applied> => {
  const { most, batch, signal } = { ...APPLY_LIMITS, ...limits };
  const { query, filters } = rule;
  let [matched, changed] = [0, 0];
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    if (changed + batch > most) {
      const remaining = await countBehind(db, principal, rule, after, signal);
      return { matched: matched + remaining, changed, remaining };
    }
    const part = await db.transaction(async (tx) => {
      const ids = await findMatching(tx, principal, { query, filters, after, limit: batch });
      const states = await lockStates(tx, principal, ids, fieldIdsOf(rule.actions));
      const targets = await findTargets(tx, principal, rule.actions);
      const planned = states.map((document) => ({ document, changes: planChanges(document, targets) }));
      return { ids, changed: await writeChanges(tx, rule, planned) };
    });
    matched += part.ids.length;
    changed += part.changed;
    after = part.ids.at(-1) ?? after;
    if (part.ids.length < batch) return { matched, changed, remaining: 0 };
  }
};

type FieldOfOne = Exclude<RuleField, 'label'>;

/** What a document gets back: `value` is null where it had none. Of a custom field, `of` is the field, which `value` has alone where it was empty. */
interface Restored {
  readonly field: FieldOfOne;
  readonly of: RuleValue;
  readonly value: RuleValue | null;
}

/** A document while its changes are undone: what it has, and what it had before. */
interface Undoing {
  readonly document: DocumentState;
  readonly labels: Set<string>;
  readonly restored: Map<string, Restored>;
}

/** What decides beside the document whether a change can be undone. */
interface Surroundings {
  readonly labelsBelow: Awaited<ReturnType<typeof listLabelsBelow>>;
  /** Users that documents may be returned to. */
  readonly owners: ReadonlySet<string>;
}

const takeLabelBack = ({ labels }: Undoing, { to }: RuleChange, { labelsBelow }: Surroundings): boolean =>
  labelsBelow.get(to.id)?.some((id) => labels.has(id)) !== true && labels.delete(to.id);

/**
 * Whether the document still has what the change set, and may be changed. Notes what it has then. A label stays while the document has one
 * below it, which would go with it, and an owner where the one before is gone.
 */
const takeBack = (undoing: Undoing | undefined, change: RuleChange, surroundings: Surroundings): boolean => {
  if (undoing?.document.isAllowed !== true) return false;
  const { field, from, to } = change;
  if (field === 'label') return takeLabelBack(undoing, change, surroundings);
  if (field === 'owner' && (from === null || !surroundings.owners.has(from.id))) return false;
  const { document, restored } = undoing;
  const key = keyOf(field, to);
  const before = restored.get(key);
  const current = before === undefined ? valueOf(document, field, to) : before.value;
  if (!isSame(current, to) || document.confirmedFields.includes(key)) return false;
  restored.set(key, { field, of: current ?? to, value: from });
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

/** What the documents get back of a field. */
const restoredOf = (undoing: readonly Undoing[], wanted: FieldOfOne) =>
  undoing.flatMap(({ document, restored }) =>
    [...restored.values()].filter(({ field }) => field === wanted).map((one) => ({ ...one, document, documentId: document.id })),
  );

const restoreFiling = async (tx: Db, field: 'correspondent' | 'document_type', undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
  const own = restoredOf(undoing, field);
  const there = await findThere(tx, field, [...new Set(own.flatMap(({ value }) => (value === null ? [] : [value.id])))]);
  const changes = own.map((change) => ({ ...change, value: change.value !== null && there.has(change.value.id) ? change.value : null }));
  await setFiling(tx, field, changes);
  return changes;
};

const restoreCustomFields = async (tx: Db, undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
  const changes = restoredOf(undoing, 'field').map((one) => {
    const { id, name } = one.of;
    return { ...one, value: one.value === null ? { id, name } : { ...one.value, name }, isKept: one.value !== null };
  });
  await setCustomFields(tx, changes);
  return changes;
};

/** Without the documents that the owner before has imported again meanwhile: these stay where they are. */
const restoreOwners = async (tx: Db, undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
  const changes = restoredOf(undoing, 'owner').flatMap(({ value, ...one }) => (value === null ? [] : [{ ...one, value }]));
  const moved = await setOwners(tx, changes);
  return changes.filter(({ documentId }) => moved.has(documentId));
};

const restoreLabels = async (tx: Db, undoing: readonly Undoing[]): Promise<DocumentChange[]> => {
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

/** Locks the documents of the changes, and what decides whether these can be undone. */
const lockAll = async (tx: Db, principal: Principal, changes: readonly RuleChange[]) => {
  const of = (wanted: RuleField) => changes.filter(({ field }) => field === wanted);
  const fieldIds = [...new Set(of('field').map(({ to }) => to.id))];
  const documents = await lockStates(tx, principal, [...new Set(changes.map(({ documentId }) => documentId))], fieldIds);
  const formerOwners = of('owner').flatMap(({ from }) => (from === null ? [] : [from.id]));
  const surroundings: Surroundings = {
    owners: await holdFormerOwners(tx, principal, [...new Set(formerOwners)]),
    labelsBelow: await listLabelsBelow(
      tx,
      of('label').map(({ to }) => to.id),
    ),
  };
  return { documents, surroundings };
};

/** Undoes these changes, the newest first; answers the ids of those that could be undone. */
const undoChanges = async (tx: Db, principal: Principal, changes: readonly RuleChange[]): Promise<string[]> => {
  const { documents, surroundings } = await lockAll(tx, principal, changes);
  const undoing = new Map(
    documents.map((document) => [
      document.id,
      { document, labels: new Set(document.labelIds), restored: new Map<string, Restored>() } satisfies Undoing,
    ]),
  );
  const taken = changes.filter((change) => takeBack(undoing.get(change.documentId), change, surroundings));
  const all = [...undoing.values()];
  const filed = [...(await restoreFiling(tx, 'correspondent', all)), ...(await restoreFiling(tx, 'document_type', all))];
  const fields = await restoreCustomFields(tx, all);
  const owners = await restoreOwners(tx, all);
  await announceChanges(tx, [...filed, ...fields, ...owners, ...(await restoreLabels(tx, all))]);
  const moved = new Set(owners.map(({ document }) => document.id));
  const undone = taken.filter(({ field, documentId }) => field !== 'owner' || moved.has(documentId)).map(({ id }) => id);
  if (undone.length > 0) await tx.update(ruleChanges).set({ undoneAt: sql`now()` }).where(inArray(ruleChanges.id, undone));
  return undone;
};
