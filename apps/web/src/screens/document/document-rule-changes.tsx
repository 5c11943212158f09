import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { changeText } from '../rules/change-text.ts';

/** What rules have changed about a document, as items of a list: each with the rule that is the reason. */
export const DocumentRuleChanges = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/documents/{id}/rule-changes', { params: { id: documentId } });
  return data?.changes.map((change) => (
    <li key={change.id}>
      <Text size="sm" className="stranger">
        {changeText(t, change)}
      </Text>
      <Text size="xs" c="dimmed" className="stranger">
        {[
          t('document.setByRule', { name: change.rule_name }),
          format.dateTime(change.changed_at),
          change.undone_at === null ? null : t('document.ruleUndone'),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </Text>
    </li>
  ));
};
