import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { ruleChanges } from '@sheaf/db/schema';
import { addLabelsToDocuments } from '@sheaf/documents/labels';
import { uuidv7 } from '@sheaf/process';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { announceChanges } from './announce-changes.ts';
import type { DocumentState, PlannedChange } from './plan-changes.ts';
import { setCustomFields, setFiling, setOwners } from './set-fields.ts';

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

/** Sets everything but labels; answers the changes that could be made. */
const setFields = async (tx: Db, changes: readonly Flat[]): Promise<Flat[]> => {
  const wanted = changes.map((change) => ({ ...change, documentId: change.document.id, value: change.to }));
  const of = (field: RuleField) => wanted.filter((change) => change.field === field);
  for (const field of ['correspondent', 'document_type'] as const) await setFiling(tx, field, of(field));
  await setCustomFields(tx, of('field'));
  const moved = await setOwners(tx, of('owner'));
  return changes.filter(({ field, document }) => field !== 'owner' || moved.has(document.id));
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
  const [labels, others] = [all.filter(({ field }) => field === 'label'), all.filter(({ field }) => field !== 'label')];
  const made = [...(await setFields(tx, others)), ...(await addLabels(tx, labels))];
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
