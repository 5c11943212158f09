import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { asc, inArray, sql } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, type RuleChange, ruleChanges } from '@sheaf/db/schema';
import { listLabelsBelow, removeLabelsFromDocuments } from '@sheaf/documents/labels';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { announceChanges, type DocumentChange } from './announce-changes.ts';
import { lockStates } from './document-states.ts';
import { holdFormerOwners } from './owners.ts';
import { type DocumentState, isSame, keyOf, valueOf } from './plan-changes.ts';
import { setCustomFields, setFiling, setOwners } from './set-fields.ts';

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
  /** Users that documents may be given back to. */
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
export const undoChanges = async (tx: Db, principal: Principal, changes: readonly RuleChange[]): Promise<string[]> => {
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
