import { Button, Popover, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Anchor, type PopupProps } from '../../components/late-popup.tsx';
import { useTranslate } from '../../language/language.tsx';
import { ColumnChoice } from './column-choice.tsx';
import type { ListColumns } from './list-columns.ts';

interface Props extends PopupProps {
  readonly list: ListColumns;
}

/** Chooses the columns of the list. */
export const ColumnsPopup = ({ anchor, onChange, list, ...popup }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Popover
      {...popup}
      onChange={onChange}
      onDismiss={() => onChange(false)}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Anchor element={anchor} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('documents.columns')}>
        <Stack gap="xs" role="group" aria-label={t('documents.columns')}>
          <Text fw={600} size="sm">
            {t('documents.columns')}
          </Text>
          <ColumnChoice columns={list.columns} onChange={list.choose} />
          <Button variant="default" size="xs" onClick={list.reset}>
            {t(list.areOfAddress ? 'documents.ownColumns' : 'documents.defaultColumns')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
};
