import type { ReactNode } from 'react';
import { useTypedFilter } from '../interface/typed-filter.ts';
import { EmptyList, type EmptyStateProps } from './empty-state.tsx';
import { FindField } from './find-field.tsx';
import { RecordTable, type RecordTableProps } from './record-table.tsx';
import { ScreenHeader } from './screen-header.tsx';

interface Props<R> extends Omit<RecordTableProps<R>, 'caption' | 'empty'> {
  readonly title: string;
  readonly hint: string;
  /** The label of the field that finds them by name. */
  readonly find: string;
  /** What is looked for; undefined: all of them. */
  readonly q: string | undefined;
  readonly onFind: (q: string) => void;
  /** Where there are none yet. */
  readonly none: EmptyStateProps;
  /** Where none has the name that is looked for. */
  readonly noneFound: string;
  /** The button that makes one, for those who may. */
  readonly create: ReactNode;
}

/** The entries of a kind that have names, such as labels: they are found by them, and new ones are made. */
export const EntryList = <R,>({ title, hint, find, q, onFind, none, noneFound, create, ...table }: Props<R>): ReactNode => {
  const [typed, type] = useTypedFilter(q, onFind);
  const empty = (
    <EmptyList {...none} noneFound={q === undefined ? undefined : noneFound}>
      {create}
    </EmptyList>
  );
  return (
    <>
      <ScreenHeader title={title} hint={hint}>
        {create}
      </ScreenHeader>
      <FindField label={find} value={typed} onChange={type} mb="md" maw={420} />
      <RecordTable caption={title} {...table} empty={empty} />
    </>
  );
};
