import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconLayoutGrid, IconList } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { type ChangeListState, type ListState, SORT_NAMES, sortOf } from './list-state.ts';

/** In the middle of its button. */
const ICON = { display: 'block' } as const;

interface Props {
  readonly state: ListState;
  readonly change: ChangeListState;
}

/** How the list is ordered and looked at. */
export const ViewControls = ({ state, change }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        aria-label={t('documents.sort')}
        w={190}
        data={SORT_NAMES.map((value) => ({ value, label: t(`documents.${value}`) }))}
        value={sortOf(state)}
        onChange={({ currentTarget: { value } }) => change({ sort: value === 'newest' ? undefined : value })}
      />
      <SegmentedControl
        aria-label={t('documents.view')}
        data={[
          { value: 'list', label: <IconList size={16} title={t('documents.list')} style={ICON} /> },
          { value: 'grid', label: <IconLayoutGrid size={16} title={t('documents.grid')} style={ICON} /> },
        ]}
        value={state.view === 'grid' ? 'grid' : 'list'}
        onChange={(view) => change({ view: view === 'grid' ? 'grid' : undefined })}
      />
    </Group>
  );
};
