import type { Answer } from '../../interface/call.ts';
import type { useTranslate } from '../../language/language.tsx';

type Translate = ReturnType<typeof useTranslate>;
type Change = Pick<Answer<'get /api/documents/{id}/rule-changes'>['changes'][number], 'field' | 'from' | 'to'>;
type Value = Change['to'];

const valueText = (t: Translate, { name, value }: Value): string => {
  if (value === undefined) return name;
  if (typeof value === 'boolean') return t(value ? 'customFields.yes' : 'customFields.no');
  return typeof value === 'object' ? `${value.amount} ${value.currency}` : String(value);
};

/** What a rule changes about a document, in one line. */
export const changeText = (t: Translate, { field, from, to }: Change): string => {
  if (field === 'label') return t('rules.added', { field: t('rules.fields.label'), to: to.name });
  // a custom field that was on the document without a value is named alone
  const isNothing = from === null || (field === 'field' && from.value === undefined);
  return t('rules.change', {
    field: field === 'field' ? to.name : t(`rules.fields.${field}`),
    from: isNothing ? t('rules.nothing') : valueText(t, from),
    to: valueText(t, to),
  });
};

export type Rule = Answer<'get /api/rules'>['rules'][number];
export type DryRun = Answer<'post /api/rules/dry-run'>;
type Action = Rule['actions'][number];
type FieldAction = Extract<Action, { readonly set: 'field' }>;

/** What the form of a rule shows of its actions. */
export interface Sets {
  readonly correspondent: string | undefined;
  readonly documentType: string | undefined;
  readonly owner: string | undefined;
  readonly fields: readonly SetField[];
  readonly labelIds: readonly string[];
}

/** A custom field with the value that it is set to; null as long as nothing is entered. */
export interface SetField {
  readonly id: string;
  readonly value: FieldAction['value'] | null;
}

const idOf = (actions: readonly Action[], field: Exclude<Extract<Action, { readonly set: string }>['set'], 'field'>): string | undefined =>
  actions.flatMap((action) => ('set' in action && action.set === field ? [action.id] : []))[0];

export const setsOf = (actions: readonly Action[]): Sets => ({
  correspondent: idOf(actions, 'correspondent'),
  documentType: idOf(actions, 'document_type'),
  owner: idOf(actions, 'owner'),
  fields: actions.flatMap((action) => ('set' in action && action.set === 'field' ? [{ id: action.id, value: action.value }] : [])),
  labelIds: actions.flatMap((action) => ('add_label' in action ? [action.add_label] : [])),
});

export const toActions = ({ correspondent, documentType, owner, fields, labelIds }: Sets): Action[] => [
  ...(correspondent === undefined ? [] : [{ set: 'correspondent' as const, id: correspondent }]),
  ...(documentType === undefined ? [] : [{ set: 'document_type' as const, id: documentType }]),
  ...(owner === undefined ? [] : [{ set: 'owner' as const, id: owner }]),
  ...fields.flatMap(({ id, value }) => (value === null ? [] : [{ set: 'field' as const, id, value }])),
  ...labelIds.map((id) => ({ add_label: id })),
];

/** What the form of a rule shows of its filters. */
export interface Narrowing {
  readonly labelIds: readonly string[];
  readonly isUnlabelled: boolean;
  readonly from: string;
  readonly to: string;
}

export const narrowingOf = ({
  label_ids: labelIds = [],
  has_labels: has,
  date_from: from = '',
  date_to: to = '',
}: Rule['filters']): Narrowing => ({
  labelIds,
  isUnlabelled: has === false,
  from,
  to,
});

/** The filters with what the form changes about them; those that it does not show stay. */
export const toFilters = (before: Rule['filters'], { labelIds, isUnlabelled, from, to }: Narrowing): Rule['filters'] => {
  const { label_ids: _labels, has_labels: has, date_from: _from, date_to: _to, ...others } = before;
  return {
    ...others,
    ...(labelIds.length === 0 ? {} : { label_ids: [...labelIds] }),
    ...(isUnlabelled ? { has_labels: false } : has === true ? { has_labels: true } : {}),
    ...(from === '' ? {} : { date_from: from }),
    ...(to === '' ? {} : { date_to: to }),
  };
};
