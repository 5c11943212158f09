import { isDeepStrictEqual } from 'node:util';
import type { RuleValue } from '@sheaf/contract/rules';
import { confirmedNameOf, MAX_DOCUMENT_FIELDS } from '@sheaf/vocabulary/custom-fields';
import type { RuleField } from '@sheaf/vocabulary/rules';

/** A custom field of a document. */
export interface FieldState {
  /** The field, with the value; without one where it is empty. */
  readonly current: RuleValue;
  /** Whether a rule has set the value, and nobody another one since, or there is none. */
  readonly isOfRule: boolean;
}

/** What a rule compares and changes of a document. */
export interface DocumentState {
  readonly id: string;
  readonly title: string;
  /** Whether who the rule acts for may change it. */
  readonly isAllowed: boolean;
  readonly owner: RuleValue;
  readonly correspondent: RuleValue | null;
  readonly documentType: RuleValue | null;
  readonly labelIds: readonly string[];
  /** The values of those custom fields that were asked for, by the ids of the fields. */
  readonly fields: ReadonlyMap<string, FieldState>;
  /** How many custom fields it has, with or without a value; only known where some were asked for. */
  readonly fieldCount: number;
  /** Fields that a person has set. */
  readonly confirmedFields: readonly string[];
}

/** What a rule sets, or adds where it is a label. */
export interface Target {
  readonly field: RuleField;
  readonly value: RuleValue;
}

export interface PlannedChange {
  readonly field: RuleField;
  readonly from: RuleValue | null;
  readonly to: RuleValue;
}

/** What tells one thing that is set from another: the field, of custom fields which one. So `confirmedFields` has them too. */
export const keyOf = (field: RuleField, { id }: Pick<RuleValue, 'id'>): string => (field === 'field' ? confirmedNameOf(id) : field);

/** What the document has where the change of `value` is made. */
export const valueOf = (state: DocumentState, field: Exclude<RuleField, 'label'>, { id }: Pick<RuleValue, 'id'>): RuleValue | null => {
  switch (field) {
    case 'correspondent':
      return state.correspondent;
    case 'document_type':
      return state.documentType;
    case 'owner':
      return state.owner;
    case 'field':
      return state.fields.get(id)?.current ?? null;
  }
};

/** Whether both are the same, whatever they are called now. */
export const isSame = (one: RuleValue | null, other: RuleValue | null): boolean =>
  one?.id === other?.id && isDeepStrictEqual(one?.value, other?.value);

/** Values of custom fields tell only by the rules who has set them: what no rule did, a person did. */
const isOfPerson = (state: DocumentState, field: RuleField, value: RuleValue): boolean =>
  state.confirmedFields.includes(keyOf(field, value)) || (field === 'field' && state.fields.get(value.id)?.isOfRule === false);

/**
 * What a rule with these targets changes about a document. Fields that a person has set stay, and so do those that are `taken` by a
 * rule before it. A document has no more custom fields than it may have.
 */
export const planChanges = (
  state: DocumentState,
  targets: readonly Target[],
  taken: ReadonlySet<string> = new Set(),
): readonly PlannedChange[] => {
  if (!state.isAllowed) return [];
  let room = MAX_DOCUMENT_FIELDS - state.fieldCount;
  return targets.flatMap(({ field, value }): PlannedChange[] => {
    if (field === 'label') return state.labelIds.includes(value.id) ? [] : [{ field, from: null, to: value }];
    const from = valueOf(state, field, value);
    if (taken.has(keyOf(field, value)) || isOfPerson(state, field, value) || isSame(from, value)) return [];
    if (field === 'field' && from === null) {
      if (room <= 0) return [];
      room -= 1;
    }
    return [{ field, from, to: value }];
  });
};
