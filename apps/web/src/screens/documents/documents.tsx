import { Button, Card, Collapse, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFiles, IconFilter, IconSearchOff } from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { late } from '../../app/late.ts';
import { useIdle } from '../../app/use-idle.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useAllLabels } from '../../components/use-all-labels.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { UploadButton } from '../../uploads/upload-button.tsx';
import { DocumentList } from './document-list.tsx';
import { useDocumentWindow, useShownPages } from './document-window.ts';
import { isFiltered, LIST_STATE_NAMES, queryOf } from './list-state.ts';
import { useFollowReading } from './reading-progress.ts';
import { useSelection } from './selection.ts';
import { useBulkActions } from './use-bulk-actions.ts';
import { ViewControls } from './view-controls.tsx';

// what is not seen at first is loaded after what is
const Filters = late(() => import('./filters.tsx'), <Skeleton height={62} />);
const BulkBar = late(() => import('./bulk-bar.tsx'));

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
  const [state, change] = useAddressState(LIST_STATE_NAMES);
  const [showsFilters, { toggle }] = useDisclosure(isFiltered(state));
  const [pages, onRange] = useShownPages();
  const selection = useSelection();
  useFollowReading();
  const labels = useAllLabels();
  const colors = useMemo(() => new Map(labels.map(({ name, color }) => [name, color])), [labels]);
  const colorOf = useCallback((name: string) => colors.get(name), [colors]);
  const window = useDocumentWindow(queryOf(state), pages);
  const { total, problem, retry } = window;
  const actions = useBulkActions(selection, state, window);
  const wereFiltersShown = useRef(showsFilters);
  wereFiltersShown.current ||= showsFilters;
  useIdle(() => {
    Filters.prepare();
    BulkBar.prepare();
  });

  return (
    <>
      <ScreenHeader title={t('documents.title')} hint={total === undefined ? undefined : t('documents.count', { count: total })}>
        <Button
          variant={isFiltered(state) ? 'light' : 'default'}
          leftSection={<IconFilter size={16} />}
          onClick={toggle}
          aria-expanded={showsFilters}
        >
          {t('documents.filters')}
        </Button>
        <ViewControls state={state} change={change} />
      </ScreenHeader>
      <Collapse expanded={showsFilters}>
        <Card withBorder padding="md" mb="sm">
          {wereFiltersShown.current && <Filters.Part state={state} change={change} labels={labels} />}
        </Card>
      </Collapse>
      {(selection.isAll || selection.ids.size > 0) && <BulkBar.Part selection={selection} total={total ?? 0} actions={actions} />}
      {problem !== null && <ProblemNote problem={problem} onRetry={retry} />}
      {total === undefined && problem === null && <Waiting />}
      {total === 0 &&
        (isFiltered(state) ? (
          <EmptyState icon={IconSearchOff} title={t('documents.noneFound')} />
        ) : (
          <EmptyState icon={IconFiles} title={t('documents.none')} hint={t('documents.noneHint')}>
            {may('documents.create') && <UploadButton />}
          </EmptyState>
        ))}
      {total !== undefined && total > 0 && (
        <DocumentList
          isGrid={state.view === 'grid'}
          total={total}
          window={window}
          selection={selection}
          hidden={actions.hidden}
          colorOf={colorOf}
          onRange={onRange}
          onRemove={actions.remove}
        />
      )}
    </>
  );
};
export default Documents;
