import { ActionIcon, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconBaselineDensitySmall, IconColumns3, IconLayoutGrid, IconList } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLatePopup } from '../../components/late-popup.tsx';
import { useTranslate } from '../../language/language.tsx';
import type { ListColumns } from './list-columns.ts';
import { type ChangeListState, type ListState, SORT_NAMES, sortOf, viewOf } from './list-state.ts';

/** In the middle of its button. */
const ICON = { display: 'block' } as const;

const loadColumns = () => import('./columns-popup.tsx').then(({ ColumnsPopup }) => ColumnsPopup);

const ColumnsButton = ({ list }: { readonly list: ListColumns }): ReactNode => {
  const t = useTranslate();
  const { button, popup } = useLatePopup('dialog', loadColumns);
  return (
    <>
      <ActionIcon variant="default" size="input-sm" {...button} aria-label={t('documents.columns')} title={t('documents.columns')}>
        <IconColumns3 size={16} />
      </ActionIcon>
      {popup !== undefined && <popup.Popup {...popup.props} list={list} />}
    </>
  );
};

interface Props {
  readonly state: ListState;
  readonly change: ChangeListState;
  readonly columns: ListColumns;
}

/** How the list is ordered and looked at. */
export const ViewControls = ({ state, change, columns }: Props): ReactNode => {
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
          { value: 'compact', label: <IconBaselineDensitySmall size={16} title={t('documents.compact')} style={ICON} /> },
          { value: 'grid', label: <IconLayoutGrid size={16} title={t('documents.grid')} style={ICON} /> },
        ]}
        value={viewOf(state)}
        onChange={(view) => change({ view: view === 'list' ? undefined : view })}
      />
      {viewOf(state) !== 'grid' && <ColumnsButton list={columns} />}
    </Group>
  );
};
