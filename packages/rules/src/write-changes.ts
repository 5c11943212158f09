import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documents, ruleChanges } from '@sheaf/db/schema';
import { touchDocuments } from '@sheaf/documents';
import { recordEvents } from '@sheaf/events';
import { addLabelsToDocuments, listLabelNames } from '@sheaf/labels';
import { uuidv7 } from '@sheaf/process';
import type { RuleField } from '@sheaf/vocabulary/rules';
import type { DocumentState, PlannedChange } from './plan-changes.ts';

/** The change of one field of one document. */
export interface DocumentChange {
  readonly document: Pick<DocumentState, 'id' | 'ownerId'>;
  readonly field: RuleField;
  /** What it has now; of a label, what was added, and null where one was taken off. */
  readonly value: RuleValue | null;
}

/** Sets the field of the documents that `changes` name, one statement for each value. */
export const setField = async (
  tx: Db,
  field: Exclude<RuleField, 'label'>,
  changes: readonly { readonly documentId: string; readonly value: RuleValue | null }[],
): Promise<void> => {
  for (const [id, sameValue] of Map.groupBy(changes, ({ value }) => value?.id ?? null)) {
    const ids = sameValue.map(({ documentId }) => documentId);
    await tx
      .update(documents)
      .set(field === 'correspondent' ? { correspondentId: id } : { documentTypeId: id })
      .where(sql`${documents.id} = any(${sql.param(ids)}::uuid[])`);
  }
};

const changesOf = (changes: readonly DocumentChange[], labels: readonly string[]): Record<string, unknown> => {
  const fields = changes.filter(({ field }) => field !== 'label').map(({ field, value }) => [field, value]);
  return { ...Object.fromEntries(fields), ...(changes.some(({ field }) => field === 'label') ? { labels } : {}) };
};

/** Says of each document what has changed about it. */
export const announceChanges = async (tx: Db, changes: readonly DocumentChange[]): Promise<void> => {
  const byDocument = Map.groupBy(changes, ({ document }) => document.id);
  if (byDocument.size === 0) return;
  await touchDocuments(tx, [...byDocument.keys()]);
  const labelled = changes.filter(({ field }) => field === 'label').map(({ document }) => document.id);
  const names = await listLabelNames(tx, [...new Set(labelled)]);
  await recordEvents(
    tx,
    [...byDocument].map(([id, own]) => ({
      event: { type: 'document_updated', document_id: id, changes: changesOf(own, names.get(id) ?? []) },
      ownerId: own[0]?.document.ownerId ?? null,
    })),
  );
};

export interface PlannedDocument {
  readonly document: DocumentState;
  readonly changes: readonly PlannedChange[];
}

type Flat = PlannedChange & { readonly document: DocumentState };

/** Adds the labels; answers the changes of those documents that lacked them. */
const addLabels = async (tx: Db, changes: readonly Flat[]): Promise<Flat[]> => {
  const added: Flat[] = [];
  for (const [labelId, sameLabel] of Map.groupBy(changes, ({ to }) => to.id)) {
    const ids = sameLabel.map(({ document }) => document.id);
    const lacking = await addLabelsToDocuments(tx, ids, [labelId]);
    added.push(...sameLabel.filter(({ document }) => lacking.has(document.id)));
  }
  return added;
};

/**
 * Makes the changes, and records them with the rule that is their reason. Lock the documents first. Returns how many documents were
 * changed.
 */
export const writeChanges = async (
  tx: Db,
  rule: { readonly id: string; readonly name: string },
  planned: readonly PlannedDocument[],
): Promise<number> => {
  const all: Flat[] = planned.flatMap(({ document, changes }) => changes.map((change) => ({ ...change, document })));
  for (const field of ['correspondent', 'document_type'] as const) {
    const ofField = all.filter((change) => change.field === field);
    await setField(
      tx,
      field,
      ofField.map(({ document, to }) => ({ documentId: document.id, value: to })),
    );
  }
  const made = [
    ...all.filter(({ field }) => field !== 'label'),
    ...(await addLabels(
      tx,
      all.filter(({ field }) => field === 'label'),
    )),
  ];
  if (made.length === 0) return 0;
  await tx.insert(ruleChanges).values(
    made.map(({ document, field, from, to }) => ({
      id: uuidv7(),
      ruleId: rule.id,
      ruleName: rule.name,
      documentId: document.id,
      field,
      from,
      to,
      // not now(): the documents may have been waited for
      changedAt: sql`clock_timestamp()`,
    })),
  );
  await announceChanges(
    tx,
    made.map(({ document, field, to }) => ({ document, field, value: to })),
  );
  return new Set(made.map(({ document }) => document.id)).size;
};
