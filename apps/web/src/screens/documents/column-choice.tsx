import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { COLUMN_LOOKS, COLUMNS, type Column } from './document-columns.ts';

interface Props {
  readonly columns: readonly Column[];
  readonly onChange: (columns: readonly Column[]) => void;
}

/** A box for each column that the user may choose. */
export const ColumnChoice = ({ columns, onChange }: Props): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  // the names of others are for those who may read them
  const offered = COLUMNS.filter((column) => column !== 'owner' || may('users.read'));
  return offered.map((column) => (
    <Checkbox
      key={column}
      size="sm"
      label={t(COLUMN_LOOKS[column].title)}
      checked={columns.includes(column)}
      onChange={({ currentTarget: { checked } }) => onChange(checked ? [...columns, column] : columns.filter((other) => other !== column))}
    />
  ));
};
