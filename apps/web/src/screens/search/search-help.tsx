import { Code, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';

/** What can be typed into the search field. */
export const SearchHelp = (): ReactNode => {
  const t = useTranslate();
  const rows = [
    [`${t('search.exampleInvoice')} 2026`, t('search.opWords')],
    [`"${t('search.exampleDue')}"`, t('search.opPhrase')],
    [`${t('search.exampleInvoice')} -${t('search.exampleDraft')}`, t('search.opWithout')],
    [`${t('search.exampleRent')} OR ${t('search.exampleLease')}`, t('search.opOr')],
    [`${t('search.exampleInsur')}*`, t('search.opPrefix')],
    [`title:${t('search.exampleInvoice')}`, t('search.opTitle')],
    ['filename:scan', t('search.opFilename')],
    ['label:2026', t('search.opLabel')],
    ['from:acme', t('search.opFrom')],
    [`type:${t('search.exampleInvoice')}`, t('search.opType')],
    ['date:2026-03', t('search.opDate')],
    ['date:2026-01..2026-03', t('search.opDates')],
    ['date:>=2026', t('search.opDateFrom')],
    ['date:previous-month', t('search.opRelative')],
    ['added:>=2026-03-05', t('search.opAdded')],
    ['asn:123', t('search.opArchiveNumber')],
    ['field.amount:>100', t('search.opField')],
    [`note:${t('search.exampleDraft')}`, t('search.opNote')],
    ['from:none', t('search.opNone')],
  ] as const;
  return (
    <Stack gap="sm" maw={520}>
      <Title order={2} size="h5">
        {t('search.operators')}
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
        {t('search.keys')}
      </Text>
    </Stack>
  );
};
