import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { EntryPicker } from '../../components/entry-picker.tsx';
import { FILING_CALLS, type FilingKind } from '../../components/filing-kinds.ts';
import { useCall } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { type ChangeListState, type ListState, WITHOUT } from './list-state.ts';

interface Props {
  readonly kind: FilingKind;
  readonly state: ListState;
  readonly change: ChangeListState;
}

/** Narrows the list to the documents of one correspondent or type, or to those without any. */
export const EntryFilter = ({ kind, state, change }: Props): ReactNode => {
  const t = useTranslate();
  const id = state[kind];
  const without = { id: WITHOUT, name: t(`filing.without.${kind}`) };
  const isOne = id !== undefined && id !== WITHOUT;
  const chosen = useCall(FILING_CALLS[kind].read, { params: { id: id ?? '' } }, { enabled: isOne });
  // until its name is there, and where it is gone, the id shows that the list is narrowed
  const value = isOne ? { id, name: chosen.data?.name ?? id } : id === WITHOUT ? without : null;
  return (
    <Box w={200}>
      <EntryPicker
        kind={kind}
        label={t(`filing.one.${kind}`)}
        placeholder={t(`filing.any.${kind}`)}
        value={value}
        onChange={(entry) => change({ [kind]: entry?.id })}
        others={[without]}
        mayCreate={false}
      />
    </Box>
  );
};
