import type { Answer } from '../../interface/call.ts';
import type { useTranslate } from '../../language/language.tsx';

type Change = Pick<Answer<'get /api/documents/{id}/rule-changes'>['changes'][number], 'field' | 'from' | 'to'>;

/** What a rule changes about a document, in one line. */
export const changeText = (t: ReturnType<typeof useTranslate>, { field, from, to }: Change): string =>
  field === 'label'
    ? t('rules.added', { field: t('rules.fields.label'), to: to.name })
    : t('rules.change', { field: t(`rules.fields.${field}`), from: from?.name ?? t('rules.nothing'), to: to.name });
