import { reasonedError } from '@sheaf/contract';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import { correspondentsFor, type Db, documentTypesFor, labelsFor } from '@sheaf/db';
import { and, inArray } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, labels } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RuleField } from '@sheaf/vocabulary/rules';
import type { Target } from './plan-changes.ts';

/** What an action names. */
const referenceOf = (action: RuleAction): { readonly field: RuleField; readonly id: string } =>
  'set' in action ? { field: action.set, id: action.id } : { field: 'label', id: action.add_label };

const TABLES = {
  correspondent: { table: correspondents, visible: correspondentsFor },
  document_type: { table: documentTypes, visible: documentTypesFor },
  label: { table: labels, visible: labelsFor },
} as const;

/**
 * The rows that `principal` may read, held so that none can go, or change its name, before the end of the transaction. Documents go before
 * labels; correspondents and types go before documents, which are locked here already, so these are not waited for.
 */
const readValues = (tx: Db, principal: Principal, field: RuleField, ids: readonly string[]): Promise<RuleValue[]> => {
  const { table, visible } = TABLES[field];
  return tx
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(inArray(table.id, [...ids]), visible(principal, 'labels.read')))
    .for(field === 'label' ? 'key share' : 'share', field === 'label' ? {} : { noWait: true });
};

/** What the actions set and add, without what is gone, or no longer visible to `principal`. Lock documents first. */
export const findTargets = async (tx: Db, principal: Principal, actions: readonly RuleAction[]): Promise<Target[]> => {
  const references = Map.groupBy(actions.map(referenceOf), ({ field }) => field);
  const targets: Target[] = [];
  for (const [field, named] of references) {
    const values = await readValues(
      tx,
      principal,
      field,
      named.map(({ id }) => id),
    );
    targets.push(...values.map((value) => ({ field, value })));
  }
  return targets;
};

/** Throws VALIDATION_ERROR naming the ids among `actions` that are nothing, or nothing that `principal` may read. */
export const requireTargets = async (tx: Db, principal: Principal, actions: readonly RuleAction[]): Promise<void> => {
  const found = new Set((await findTargets(tx, principal, actions)).map(({ field, value }) => `${field} ${value.id}`));
  const unknown = actions.map(referenceOf).filter(({ field, id }) => !found.has(`${field} ${id}`));
  if (unknown.length > 0) throw reasonedError('VALIDATION_ERROR', 'unknown_rule_targets', { unknown_ids: unknown.map(({ id }) => id) });
};
