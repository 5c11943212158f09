import { type Issue, reasonedError, validationError } from '@sheaf/contract';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import { correspondentsFor, type Db, documentTypesFor, labelsFor } from '@sheaf/db';
import { and, inArray } from '@sheaf/db/drizzle';
import { correspondents, documentTypes, labels } from '@sheaf/db/schema';
import { holdFields, normalizeValue, type SettableField } from '@sheaf/documents/custom-fields';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { fieldIdsOf } from './field-states.ts';
import { holdNewOwners, requireMayChangeOwners } from './owners.ts';
import type { Target } from './plan-changes.ts';

type FieldAction = Extract<RuleAction, { readonly set: 'field' }>;

const isOfField = (action: RuleAction): action is FieldAction => 'set' in action && action.set === 'field';

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
const holdEntries = (tx: Db, principal: Principal, field: keyof typeof TABLES, ids: readonly string[]): Promise<RuleValue[]> => {
  const { table, visible } = TABLES[field];
  return tx
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(inArray(table.id, [...ids]), visible(principal, 'labels.read')))
    .for(field === 'label' ? 'key share' : 'share', field === 'label' ? {} : { noWait: true });
};

/** The values as documents have them, without those that no longer fit their field. */
const toFieldValues = (fields: ReadonlyMap<string, SettableField>, actions: readonly FieldAction[]): RuleValue[] =>
  actions.flatMap(({ id, value }) => {
    const field = fields.get(id);
    const normalized = field && normalizeValue(field, value);
    return field === undefined || normalized === undefined || !('value' in normalized)
      ? []
      : [{ id, name: field.name, value: normalized.value }];
  });

/** What is not waited for comes first; fields and labels are locked after documents by everyone. */
const ORDER = ['correspondent', 'document_type', 'owner', 'field', 'label'] as const satisfies readonly RuleField[];

/** What the actions set and add, without what is gone, or no longer visible to `principal`. Lock documents first. */
export const findTargets = async (tx: Db, principal: Principal, actions: readonly RuleAction[]): Promise<Target[]> => {
  const references = Map.groupBy(actions.map(referenceOf), ({ field }) => field);
  const targets: Target[] = [];
  for (const field of ORDER) {
    const ids = (references.get(field) ?? []).map(({ id }) => id);
    if (ids.length === 0) continue;
    const values =
      field === 'field'
        ? toFieldValues(await holdFields(tx, ids), actions.filter(isOfField))
        : await (field === 'owner' ? holdNewOwners(tx, principal, ids) : holdEntries(tx, principal, field, ids));
    targets.push(...values.map((value) => ({ field, value })));
  }
  return targets;
};

/** Throws VALIDATION_ERROR naming the values among `actions` that do not fit the custom field that they are for. */
const requireFittingValues = async (tx: Db, actions: readonly RuleAction[]): Promise<void> => {
  const fields = await holdFields(tx, fieldIdsOf(actions));
  const issues = actions.flatMap((action, index): Issue[] => {
    const field = isOfField(action) ? fields.get(action.id) : undefined;
    const normalized = field && isOfField(action) ? normalizeValue(field, action.value) : undefined;
    return normalized !== undefined && 'issueAt' in normalized ? [normalized.issueAt(`actions.${index}.value`)] : [];
  });
  const [first] = issues;
  if (first !== undefined) throw validationError(`${first.path}: ${first.message}`, { issues });
};

/**
 * Throws VALIDATION_ERROR naming the ids among `actions` that are nothing, or nothing that `principal` may read, or the values that do not fit
 * their field; FORBIDDEN where the owner is set and `principal` may not do that.
 */
export const requireTargets = async (tx: Db, principal: Principal, actions: readonly RuleAction[]): Promise<void> => {
  requireMayChangeOwners(principal, actions);
  await requireFittingValues(tx, actions);
  const nameOf = (field: RuleField, id: string): string => `${field} ${id}`;
  const found = new Set((await findTargets(tx, principal, actions)).map(({ field, value }) => nameOf(field, value.id)));
  const unknown = actions.map(referenceOf).filter(({ field, id }) => !found.has(nameOf(field, id)));
  if (unknown.length > 0) throw reasonedError('VALIDATION_ERROR', 'unknown_rule_targets', { unknown_ids: unknown.map(({ id }) => id) });
};
