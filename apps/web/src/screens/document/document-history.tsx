import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SmallNote } from '../../components/small-note.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';
import { importLogReason } from '../../messages/import-log-reason.ts';
import { changeText } from '../rules/change-text.ts';
import { DocumentSection } from './document-section.tsx';

/** What rules have changed about a document, as items of a list: each with the rule that is the reason. */
const DocumentRuleChanges = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/documents/{id}/rule-changes', { params: { id: documentId } });
  return data?.changes.map((change) => (
    <li key={change.id}>
      <Text size="sm" className="stranger">
        {changeText(t, change)}
      </Text>
      <SmallNote className="stranger">
        {[
          t('document.setByRule', { name: change.rule_name }),
          format.dateTime(change.changed_at),
          change.undone_at === null ? null : t('document.ruleUndone'),
        ]
          .filter((part) => part !== null)
          .join(' · ')}
      </SmallNote>
    </li>
  ));
};

/** What rules changed about the document, then every file that became this document or is a duplicate of it. */
export const DocumentHistory = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const translator = useTranslator();
  const { t, format } = translator;
  const { data } = useCall('get /api/ingest', { query: { document_id: documentId, per_page: 20 } });
  return (
    <DocumentSection title={t('document.history')}>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        <DocumentRuleChanges documentId={documentId} />
        {data?.data.length === 0 && (
          <Text component="li" size="sm" c="dimmed">
            {t('document.noHistory')}
          </Text>
        )}
        {data?.data.map((entry) => (
          <li key={entry.id}>
            <Text size="sm" className="stranger">
              {entry.path}
            </Text>
            <SmallNote className="stranger">
              {[
                t(`routes.${entry.route}`),
                t(`importLogScreen.${entry.state}`),
                format.dateTime(entry.updated_at),
                importLogReason(entry, translator),
              ]
                .filter((part) => part !== null)
                .join(' · ')}
            </SmallNote>
          </li>
        ))}
      </Stack>
    </DocumentSection>
  );
};
