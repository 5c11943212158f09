import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useTranslator } from '../../language/language.tsx';
import { importLogReason } from '../../messages/import-log-reason.ts';
import { DocumentRuleChanges } from './document-rule-changes.tsx';

/** What rules changed about the document, then every file that became this document or is a duplicate of it. */
export const DocumentHistory = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const translator = useTranslator();
  const { t, format } = translator;
  const { data } = useCall('get /api/ingest', { query: { document_id: documentId, per_page: 20 } });
  return (
    <Card withBorder padding="md" component="section" aria-label={t('document.history')}>
      <Title order={2} size="h5" mb="sm">
        {t('document.history')}
      </Title>
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
            <Text size="xs" c="dimmed" className="stranger">
              {[
                t(`routes.${entry.route}`),
                t(`importLogScreen.${entry.state}`),
                format.dateTime(entry.updated_at),
                importLogReason(entry, translator),
              ]
                .filter((part) => part !== null)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </Stack>
    </Card>
  );
};
