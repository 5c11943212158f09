import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import { touchDocuments } from '@sheaf/documents';
import { listLabelNames } from '@sheaf/documents/labels';
import { recordEvents } from '@sheaf/events';
import type { RuleField } from '@sheaf/vocabulary/rules';
import type { DocumentState } from './plan-changes.ts';

/** The change of one field of one document. */
export interface DocumentChange {
  readonly document: Pick<DocumentState, 'id' | 'owner'>;
  readonly field: RuleField;
  /** What it has now; of a label, what was added, and null where one was taken off; of a custom field, the field without a value then. */
  readonly value: RuleValue | null;
  /** Of a custom field without a value: it remains on the document. */
  readonly isKept?: boolean;
}

const changesOf = (changes: readonly DocumentChange[], labels: readonly string[]): Record<string, unknown> => {
  const of = (wanted: RuleField) => changes.filter(({ field }) => field === wanted);
  const filed = [...of('correspondent'), ...of('document_type')].map(({ field, value }) => [field, value]);
  const values = of('field').map(({ value }) => [value?.name, value?.value ?? null]);
  const empty = of('field').flatMap(({ value, isKept }) =>
    isKept === true && value !== null && value.value === undefined ? [value.name] : [],
  );
  return {
    ...Object.fromEntries(filed),
    ...Object.fromEntries(of('owner').map(({ value }) => ['owner_id', value?.id])),
    ...(values.length === 0 ? {} : { fields: Object.fromEntries(values) }),
    ...(empty.length === 0 ? {} : { empty_fields: empty }),
    ...(of('label').length === 0 ? {} : { labels }),
  };
};

/** Who owns the document by now, and hears of it. */
const ownerOf = (changes: readonly DocumentChange[]): string | null =>
  changes.find(({ field }) => field === 'owner')?.value?.id ?? changes[0]?.document.owner.id ?? null;

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
      ownerId: ownerOf(own),
    })),
  );
};
