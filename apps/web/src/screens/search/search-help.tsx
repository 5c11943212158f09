import { Code, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/language.tsx';
import { searchTexts } from './texts.ts';

/** What can be typed into the search field. */
export const SearchHelp = (): ReactNode => {
  const t = useTexts(searchTexts);
  const rows = [
    [`${t.exampleInvoice} 2026`, t.opWords],
    [`"${t.exampleDue}"`, t.opPhrase],
    [`${t.exampleInvoice} -${t.exampleDraft}`, t.opWithout],
    [`${t.exampleRent} OR ${t.exampleLease}`, t.opOr],
    [`${t.exampleInsur}*`, t.opPrefix],
    [`title:${t.exampleInvoice}`, t.opTitle],
    ['filename:scan', t.opFilename],
    ['label:2026', t.opLabel],
  ] as const;
  return (
    <Stack gap="sm" maw={520}>
      <Title order={2} size="h5">
        {t.operators}
      </Title>
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {rows.map(([example, meaning]) => (
            <Table.Tr key={example}>
              <Table.Td>
                <Code>{example}</Code>
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" c="dimmed">
        {t.keys}
      </Text>
    </Stack>
  );
};
