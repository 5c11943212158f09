import { Anchor, Group, Stack, Switch, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconBookmarks, IconShare } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { late } from '../../app/late.ts';
import { EditAction, RemoveAction, RowAction } from '../../components/buttons.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { call, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';
import { useMe, useSession } from '../../session/session.tsx';
import { ResultCount } from './pinned-nav.tsx';
import { addressOf, type SavedSearch } from './saved-address.ts';
import SearchForm from './search-form.tsx';
import { usePinned } from './use-pinned.ts';

const ShareDialog = late(withLaterMessages(() => import('../shares/share-dialog.tsx')));

type Choice = 'is_pinned' | 'is_shared' | 'notify';

/** The searches of the user and those that others share. */
const SavedSearches = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const removeLater = useUndoableRemoval();
  const notifyProblem = useNotifyProblem();
  const { hidden } = useHidden();
  const { may } = useSession();
  const [edited, setEdited] = useState<SavedSearch>();
  const [shared, setShared] = useState<SavedSearch>();
  const [state, change] = useAddressState(['page']);
  const { data, refetch, paging } = usePagedCall('get /api/saved-searches', { ...state, with_counts: 'true' }, change);
  const last = (usePinned()?.length ?? 0) - 1;
  const update = useChange('patch /api/saved-searches/{id}', ['get /api/saved-searches']);
  const isOwn = ({ owner }: SavedSearch): boolean => owner?.id === me.id;
  const set = (id: string, body: Parameters<typeof update.mutate>[0]['body']): void =>
    update.mutate({ params: { id }, body }, { onError: notifyProblem });

  const remove = ({ id, name }: SavedSearch): void =>
    removeLater(id, t('savedSearches.removed', { name }), async () => {
      await call('delete /api/saved-searches/{id}', { params: { id } });
      await refetch();
    });

  const choice = (
    key: Choice,
    title: string,
    labelOf: (name: string) => string,
    isFor: (search: SavedSearch) => boolean,
  ): Column<SavedSearch> => ({
    key,
    title,
    isEmpty: (search) => !isFor(search),
    cell: (search) =>
      isFor(search) && (
        <Switch
          aria-label={labelOf(search.name)}
          checked={search[key]}
          onChange={(event) => set(search.id, { [key]: event.currentTarget.checked })}
        />
      ),
  });

  const columns: readonly Column<SavedSearch>[] = [
    {
      key: 'name',
      title: t('savedSearches.name'),
      width: '30%',
      cell: (search) => (
        <Stack gap={0}>
          <Anchor component={Link} href={addressOf(search)} size="sm" className="stranger">
            {search.name}
          </Anchor>
          {search.query !== '' && search.query !== search.name && (
            <SmallNote className="stranger" lineClamp={2}>
              {search.query}
            </SmallNote>
          )}
        </Stack>
      ),
    },
    {
      key: 'count',
      title: t('savedSearches.results'),
      isEmpty: ({ count }) => count === null,
      cell: (search) => <ResultCount search={search} />,
    },
    {
      key: 'owner',
      title: t('savedSearches.owner'),
      cell: ({ owner }) => (
        <Text size="sm" className="stranger">
          {owner?.name}
        </Text>
      ),
    },
    choice(
      'is_pinned',
      t('savedSearches.pinned'),
      (name) => t('savedSearches.pinOf', { name }),
      () => true,
    ),
    choice('is_shared', t('savedSearches.shared'), (name) => t('savedSearches.shareOf', { name }), isOwn),
    choice('notify', t('savedSearches.notified'), (name) => t('savedSearches.notifyOf', { name }), isOwn),
    actionsColumn(t('savedSearches.actions'), (search) => {
      const { name, position } = search;
      return (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {position !== null && position > 0 && (
            <RowAction
              icon={IconArrowUp}
              title={t('savedSearches.up')}
              label={t('savedSearches.upOf', { name })}
              onClick={() => set(search.id, { position: position - 1 })}
            />
          )}
          {position !== null && position < last && (
            <RowAction
              icon={IconArrowDown}
              title={t('savedSearches.down')}
              label={t('savedSearches.downOf', { name })}
              onClick={() => set(search.id, { position: position + 1 })}
            />
          )}
          {isOwn(search) && (
            <>
              <EditAction title={t('savedSearches.edit')} label={t('savedSearches.editOf', { name })} onClick={() => setEdited(search)} />
              {may('documents.share') && (
                <RowAction
                  icon={IconShare}
                  title={t('document.share')}
                  label={`${t('document.share')}: ${name}`}
                  onClick={() => setShared(search)}
                />
              )}
              <RemoveAction
                title={t('savedSearches.remove')}
                label={t('savedSearches.removeOf', { name })}
                onClick={() => remove(search)}
              />
            </>
          )}
        </Group>
      );
    }),
  ];

  const empty = <EmptyState icon={IconBookmarks} title={t('savedSearches.none')} hint={t('savedSearches.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('savedSearches.title')} hint={t('savedSearches.hint')} />
      <RecordTable
        caption={t('savedSearches.title')}
        columns={columns}
        {...paging}
        records={data?.data.filter(({ id }) => !hidden.has(id))}
        empty={empty}
      />
      {shared !== undefined && <ShareDialog.Part kind="search" id={shared.id} name={shared.name} onClose={() => setShared(undefined)} />}
      {edited !== undefined && <SearchForm search={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
};
export default SavedSearches;
