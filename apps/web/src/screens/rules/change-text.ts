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
