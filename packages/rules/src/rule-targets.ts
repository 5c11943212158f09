import { type Issue, permissionNeeded, reasonedError, validationError } from '@sheaf/contract';
import type { RuleAction, RuleValue } from '@sheaf/contract/rules';
import { correspondentsFor, type Db, documentTypesFor, labelsFor } from '@sheaf/db';
import { and, asc, inArray, isNull, sql } from '@sheaf/db/drizzle';
import { correspondents, documents, documentTypes, labels, ruleChanges, users } from '@sheaf/db/schema';
import { touchDocuments } from '@sheaf/documents';
import { holdFields, normalizeValue, type SettableField, setFieldOfDocuments } from '@sheaf/documents/custom-fields';
import { addLabelsToDocuments, listLabelNames } from '@sheaf/documents/labels';
import { findMovable, moveDocuments } from '@sheaf/documents/owners';
import { recordEvents } from '@sheaf/events';
import { uuidv7 } from '@sheaf/process';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { OWNER_RULE_PERMISSIONS, type RuleField } from '@sheaf/vocabulary/rules';
import { fieldIdsOf } from './document-states.ts';
import type { DocumentState, PlannedChange, Target } from './plan-changes.ts';

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

const lacking = ({ permissions }: Principal) => OWNER_RULE_PERMISSIONS.find((action) => scopeOf(permissions, action) !== 'all');

/** Whether a rule of `principal` may change who owns a document. */
const mayChangeOwners = (principal: Principal): boolean => lacking(principal) === undefined;

/** Throws FORBIDDEN where the actions set the owner and `principal` may not do that. */
const requireMayChangeOwners = (principal: Principal, actions: readonly RuleAction[]): void => {
  const permission = lacking(principal);
  if (permission !== undefined && actions.some((action) => 'set' in action && action.set === 'owner')) throw permissionNeeded(permission);
};

/**
 * Users, held so that none can go before the end of the transaction. Who deletes a user holds the row before the documents, which are locked
 * here already, so it is not waited for.
 */
const holdUsers = (tx: Db, ids: readonly string[], isActive: boolean): Promise<RuleValue[]> =>
  tx
    .select({ id: users.id, name: users.username })
    .from(users)
    .where(and(inArray(users.id, [...ids]), isActive ? isNull(users.disabledAt) : undefined))
    .orderBy(asc(users.id))
    .for('key share', { noWait: true });

/** Those of the users that a rule of `principal` may give documents to: active ones. */
const holdNewOwners = async (tx: Db, principal: Principal, ids: readonly string[]): Promise<RuleValue[]> =>
  mayChangeOwners(principal) ? holdUsers(tx, ids, true) : [];

/** Those of the users that `principal` may give documents back to, also where they are disabled by now. */
export const holdFormerOwners = async (tx: Db, principal: Principal, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  if (ids.length === 0 || !mayChangeOwners(principal)) return new Set();
  return new Set((await holdUsers(tx, ids, false)).map(({ id }) => id));
};

/** What is planned without the changes of owner that cannot be, as the new owner has the same file. */
export const withoutImpossibleOwners = async (db: Db, planned: readonly PlannedDocument[]): Promise<PlannedDocument[]> => {
  const moves = planned.flatMap(({ document, changes }) =>
    changes.flatMap(({ field, to }) => (field === 'owner' ? [{ documentId: document.id, ownerId: to.id }] : [])),
  );
  const movable = new Set<string>();
  for (const [ownerId, own] of Map.groupBy(moves, (move) => move.ownerId)) {
    const ids = own.map(({ documentId }) => documentId);
    for (const id of await findMovable(db, ids, ownerId)) movable.add(id);
  }
  return planned.map(({ document, changes }) => ({
    document,
    changes: changes.filter(({ field }) => field !== 'owner' || movable.has(document.id)),
  }));
};

interface PlannedDocument {
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

/** What a document, which the caller has locked, is given. */
export interface Setting<V extends RuleValue | null = RuleValue> {
  readonly documentId: string;
  readonly value: V;
}

const idsOf = (settings: readonly Setting<RuleValue | null>[]): string[] => settings.map(({ documentId }) => documentId);

/** Sets the correspondent or document type, or takes it away, one statement for each value. */
export const setFiling = async (
  tx: Db,
  field: 'correspondent' | 'document_type',
  settings: readonly Setting<RuleValue | null>[],
): Promise<void> => {
  for (const [id, sameValue] of Map.groupBy(settings, ({ value }) => value?.id ?? null)) {
    await tx
      .update(documents)
      .set(field === 'correspondent' ? { correspondentId: id } : { documentTypeId: id })
      .where(sql`${documents.id} = any(${sql.param(idsOf(sameValue))}::uuid[])`);
  }
};

interface FieldSetting extends Setting {
  /** Where there is no `value` in `value`: the field remains without one. Otherwise it is taken away. */
  readonly isKept?: boolean;
}

/** Sets the values of custom fields, or takes them away where there is no `value` in `value`. */
export const setCustomFields = async (tx: Db, settings: readonly FieldSetting[]): Promise<void> => {
  const fields = await holdFields(tx, [...new Set(settings.map(({ value }) => value.id))]);
  const keyOf = ({ value, isKept = false }: FieldSetting): string => JSON.stringify([value.id, value.value, isKept]);
  for (const sameValue of Map.groupBy(settings, keyOf).values()) {
    const [first] = sameValue;
    const field = first && fields.get(first.value.id);
    if (field === undefined) continue;
    await setFieldOfDocuments(tx, field, idsOf(sameValue), first?.value.value ?? (first?.isKept === true ? null : undefined));
  }
};

/** Changes owners, whose rows are held; answers the ids of the documents that the new ones could get. */
export const setOwners = async (tx: Db, settings: readonly Setting[]): Promise<ReadonlySet<string>> => {
  const moved = new Set<string>();
  for (const [ownerId, sameOwner] of Map.groupBy(settings, ({ value }) => value.id)) {
    for (const id of await moveDocuments(tx, idsOf(sameOwner), ownerId)) moved.add(id);
  }
  return moved;
};
