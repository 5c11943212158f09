import type { RuleValue } from '@sheaf/contract/rules';
import type { RuleField } from '@sheaf/vocabulary/rules';

/** What a rule compares and changes of a document. */
export interface DocumentState {
  readonly id: string;
  readonly ownerId: string;
  readonly title: string;
  /** Whether who the rule acts for may change it. */
  readonly isAllowed: boolean;
  readonly correspondent: RuleValue | null;
  readonly documentType: RuleValue | null;
  readonly labelIds: readonly string[];
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

/** The value of a field of which a document has one. */
export const valueOf = (state: DocumentState, field: Exclude<RuleField, 'label'>): RuleValue | null =>
  field === 'correspondent' ? state.correspondent : state.documentType;

/**
 * What a rule with these targets changes about a document. Fields that a person has set stay, and so do those that are `taken` by a
 * rule before it.
 */
export const planChanges = (
  state: DocumentState,
  targets: readonly Target[],
  taken: ReadonlySet<RuleField> = new Set(),
): readonly PlannedChange[] => {
  if (!state.isAllowed) return [];
  return targets.flatMap(({ field, value }): PlannedChange[] => {
    if (field === 'label') return state.labelIds.includes(value.id) ? [] : [{ field, from: null, to: value }];
    const from = valueOf(state, field);
    const isKept = taken.has(field) || state.confirmedFields.includes(field) || from?.id === value.id;
    return isKept ? [] : [{ field, from, to: value }];
  });
};
