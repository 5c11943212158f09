import type { Answer } from '../../interface/call.ts';

export type Rule = Answer<'get /api/rules'>['rules'][number];
export type DryRun = Answer<'post /api/rules/dry-run'>;
type Action = Rule['actions'][number];

/** What the form of a rule shows of its actions. */
export interface Sets {
  readonly correspondent: string | undefined;
  readonly documentType: string | undefined;
  readonly labelIds: readonly string[];
}

export const setsOf = (actions: readonly Action[]): Sets => ({
  correspondent: actions.flatMap((action) => ('set' in action && action.set === 'correspondent' ? [action.id] : []))[0],
  documentType: actions.flatMap((action) => ('set' in action && action.set === 'document_type' ? [action.id] : []))[0],
  labelIds: actions.flatMap((action) => ('add_label' in action ? [action.add_label] : [])),
});

export const toActions = ({ correspondent, documentType, labelIds }: Sets): Action[] => [
  ...(correspondent === undefined ? [] : [{ set: 'correspondent' as const, id: correspondent }]),
  ...(documentType === undefined ? [] : [{ set: 'document_type' as const, id: documentType }]),
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
