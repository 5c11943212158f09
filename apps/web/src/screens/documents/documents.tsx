import { ActionIcon, Button, Card, Collapse, Group, NativeSelect, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconBaselineDensitySmall,
  IconColumns3,
  IconFiles,
  IconFilter,
  IconLayoutGrid,
  IconList,
  IconSearchOff,
} from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { late, useHasBeenIdle } from '../../app/late.ts';
import { useLatePopup } from '../../components/late-popup.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, NO_HINT_YET, ScreenHeader } from '../../components/screen-parts.tsx';
import { useHidden } from '../../components/undo.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { UploadButton } from '../../uploads/upload-button.tsx';
import { SaveSearch } from '../saved-searches/save-search.tsx';
import { shownOfList } from '../saved-searches/saved-address.ts';
import { hadPins } from '../saved-searches/use-pinned.ts';
import { DocumentList } from './document-list.tsx';
import { useDocumentWindow, useShownPages, withoutHidden } from './document-window.ts';
import { type ListColumns, useListColumns } from './list-columns.ts';
import { type ChangeListState, isFiltered, LIST_STATE_NAMES, type ListState, queryOf, SORT_NAMES, sortOf, viewOf } from './list-state.ts';
import { useFollowReading } from './reading-progress.ts';
import { useBulkActions } from './use-bulk-actions.ts';
import { useSelection } from './use-row-selection.ts';

// what is not seen at first is loaded when somebody comes near it
const Filters = late(() => import('./filters.tsx'), <Skeleton height={62} />);
const PinnedRow = late(() => import('../saved-searches/pinned-row.tsx'));
const BulkBar = late(() => import('./bulk-bar.tsx'));
const RemovalDialog = late(() => import('./removal-dialog.tsx'));

const prepareBulkActions = (): void => {
  BulkBar.prepare();
  RemovalDialog.prepare();
};

const Waiting = (): ReactNode => (
  <Stack gap={6}>
    {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
      <Skeleton key={key} height={56} radius="sm" />
    ))}
  </Stack>
);

/** All documents that the user may read. */
const Documents = (): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const { id: userId } = useMe();
  const hasBeenIdle = useHasBeenIdle();
  const [state, change] = useAddressState(LIST_STATE_NAMES);
  const columns = useListColumns(state, change);
  const [showsFilters, { toggle }] = useDisclosure(isFiltered(state));
  const [pages, onRange] = useShownPages();
  const selection = useSelection();
  useFollowReading();
  const labels = useAllLabels();
  const colors = useMemo(() => new Map(labels.map(({ name, color }) => [name, color])), [labels]);
  const colorOf = useCallback((name: string) => colors.get(name), [colors]);
  const query = queryOf(state);
  const { hidden } = useHidden();
  const window = withoutHidden(useDocumentWindow(query, pages), hidden);
  const { problem, retry } = window;
  const actions = useBulkActions(selection, state, window);
  const total = actions.isAllGoing ? 0 : window.total;
  const wereFiltersShown = useRef(showsFilters);
  wereFiltersShown.current ||= showsFilters;
  // how high they are is not known before: what is below them comes when it need not move any more
  const [areFiltersAwaited, setFiltersAwaited] = useState(showsFilters);
  const onFiltersReady = useCallback(() => setFiltersAwaited(false), []);
  const isListThere = total !== undefined && !areFiltersAwaited;

  return (
    <>
      <ScreenHeader title={t('documents.title')} hint={total === undefined ? NO_HINT_YET : t('documents.count', { count: total })}>
        <Button
          variant={isFiltered(state) ? 'light' : 'default'}
          leftSection={<IconFilter size={16} />}
          onClick={toggle}
          onPointerEnter={Filters.prepare}
          onFocus={Filters.prepare}
          aria-expanded={showsFilters}
        >
          {t('documents.filters')}
        </Button>
        {isFiltered(state) && <SaveSearch shown={shownOfList(state)} />}
        <ViewControls state={state} change={change} columns={columns} />
      </ScreenHeader>
      {may('search.query') && (hasBeenIdle || hadPins(userId)) && <PinnedRow.Part />}
      <Collapse expanded={showsFilters}>
        <Card withBorder padding="md" mb="sm">
          {wereFiltersShown.current && <Filters.Part state={state} change={change} labels={labels} onReady={onFiltersReady} />}
        </Card>
      </Collapse>
      {(selection.isAll || selection.ids.size > 0) && <BulkBar.Part selection={selection} total={total ?? 0} actions={actions} />}
      {actions.removal !== undefined && <RemovalDialog.Part {...actions.removal} />}
      {problem !== null && <ProblemNote problem={problem} onRetry={retry} />}
      {total === undefined && problem === null && !areFiltersAwaited && <Waiting />}
      {isListThere &&
        total === 0 &&
        (isFiltered(state) || actions.isAllGoing ? (
          <EmptyState icon={IconSearchOff} title={t('documents.noneFound')} />
        ) : (
          <EmptyState icon={IconFiles} title={t('documents.none')} hint={t('documents.noneHint')}>
            {may('documents.create') && <UploadButton />}
          </EmptyState>
        ))}
      {isListThere && total > 0 && (
        <DocumentList
          onNear={prepareBulkActions}
          view={viewOf(state)}
          columns={columns.columns}
          total={total}
          window={window}
          listKey={JSON.stringify(query)}
          sort={sortOf(state)}
          onSort={(sort) => change({ sort: sort === 'newest' ? undefined : sort })}
          selection={selection}
          colorOf={colorOf}
          onRange={onRange}
          onRemove={actions.remove}
        />
      )}
    </>
  );
};
export default Documents;

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
const ViewControls = ({ state, change, columns }: Props): ReactNode => {
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
