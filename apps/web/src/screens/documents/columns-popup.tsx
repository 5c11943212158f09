import { Button, Checkbox, Popover, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Anchor, type PopupProps } from '../../components/late-popup.tsx';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { useChosenColumns } from './chosen-columns.ts';
import { COLUMN_LOOKS, COLUMNS, DEFAULT_COLUMNS } from './document-columns.ts';

/** Chooses the columns of the list. */
export const ColumnsPopup = ({ anchor, onChange, ...popup }: PopupProps): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [chosen, choose] = useChosenColumns();
  // the names of others are for those who may read them
  const offered = COLUMNS.filter((column) => column !== 'owner' || may('users.read'));
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
          {offered.map((column) => (
            <Checkbox
              key={column}
              size="sm"
              label={t(COLUMN_LOOKS[column].title)}
              checked={chosen.includes(column)}
              onChange={({ currentTarget: { checked } }) =>
                choose(checked ? [...chosen, column] : chosen.filter((other) => other !== column))
              }
            />
          ))}
          <Button variant="default" size="xs" onClick={() => choose(DEFAULT_COLUMNS)}>
            {t('documents.defaultColumns')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
};
