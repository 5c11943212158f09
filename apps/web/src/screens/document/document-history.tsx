import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { wayInTexts } from '../../language/ways-in.ts';
import { useLedgerReason } from '../../said/use-ledger-reason.ts';
import { ingestTexts } from '../ingest/texts.ts';
import { documentTexts } from './texts.ts';

/** Every file that became this document or is a duplicate of it. */
export const DocumentHistory = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTexts(documentTexts);
  const words = useTexts(ingestTexts);
  const ways = useTexts(wayInTexts);
  const format = useFormat();
  const reasonOf = useLedgerReason();
  const { data } = useCall('get /api/ingest', { query: { document_id: documentId, per_page: 20 } });
  return (
    <Card withBorder padding="md" component="section" aria-label={t.history}>
      <Title order={2} size="h5" mb="sm">
        {t.history}
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {data?.data.length === 0 && (
          <Text component="li" size="sm" c="dimmed">
            {t.noHistory}
          </Text>
        )}
        {data?.data.map((entry) => (
          <li key={entry.id}>
            <Text size="sm" className="stranger">
              {entry.path}
            </Text>
            <Text size="xs" c="dimmed" className="stranger">
              {[ways[entry.route], words[entry.state], format.dateTime(entry.updated_at), reasonOf(entry)]
                .filter((part) => part !== null)
                .join(' · ')}
            </Text>
          </li>
        ))}
      </Stack>
    </Card>
  );
};
