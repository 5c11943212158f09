import { Alert, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { changeText } from './change-text.ts';
import type { DryRun } from './rule-draft.ts';

const SHOWN = 10;

/** How many documents a rule would change, with the first of them. */
export const DryRunResult = ({ result }: { readonly result: DryRun }): ReactNode => {
  const t = useTranslate();
  const count = result.would_change;
  return (
    <Alert
      variant="light"
      role="status"
      title={result.is_lower_bound ? t('rules.wouldChangeAtLeast', { count }) : t('rules.wouldChange', { count })}
    >
      <Text size="sm">{t('rules.matched', { count: result.matched })}</Text>
      <List size="sm" mt="xs">
        {result.changes.slice(0, SHOWN).map((change) => (
          <List.Item key={`${change.document_id} ${change.field} ${change.to.id}`} className="stranger">
            <b>{change.title}</b> · {changeText(t, change)}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
};
