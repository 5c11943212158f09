import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Column } from '../../components/record-table.tsx';
import { useTranslate } from '../../language/language.tsx';

interface Entry {
  readonly id: string;
  readonly document_count: number;
  readonly created_by: string | null;
}

/** The columns that all have that documents are filed by, labels too: the documents, which the filter called `filter` finds, and who made it. */
export const useEntryColumns = (filter: string): readonly Column<Entry>[] => {
  const t = useTranslate();
  return [
    {
      key: 'documents',
      title: t('labels.documents'),
      cell: ({ id, document_count: count }) => (
        <Anchor component={Link} href={`/documents?${filter}=${id}`} size="sm">
          {t('labels.count', { count })}
        </Anchor>
      ),
    },
    {
      key: 'by',
      title: t('labels.by'),
      cell: ({ created_by: by }) => (
        <Text size="sm" className="stranger">
          {by ?? t('labels.somebodyGone')}
        </Text>
      ),
    },
  ];
};
