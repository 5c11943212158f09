import { SimpleGrid, Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { ColumnChoice } from '../documents/column-choice.tsx';
import { type Column, DEFAULT_COLUMNS } from '../documents/document-columns.ts';
import { useChosenColumns } from '../documents/list-columns.ts';

interface Props {
  /** None: each user sees those of their own. */
  readonly columns: readonly Column[];
  readonly onChange: (columns: readonly Column[]) => void;
}

/** The columns that the list of a saved search shows. They begin with those that the user sees. */
export const SavedColumns = ({ columns, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const [own] = useChosenColumns();
  const initial = own.length === 0 ? DEFAULT_COLUMNS : own;
  return (
    <Stack gap="xs">
      <Switch
        label={t('savedSearches.columns')}
        description={t('savedSearches.columnsHint')}
        checked={columns.length > 0}
        onChange={(event) => onChange(event.currentTarget.checked ? initial : [])}
      />
      {columns.length > 0 && (
        <SimpleGrid cols={2} spacing="xs" role="group" aria-label={t('documents.columns')}>
          <ColumnChoice columns={columns} onChange={onChange} />
        </SimpleGrid>
      )}
    </Stack>
  );
};
