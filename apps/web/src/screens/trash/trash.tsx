import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { TrashedDocumentBody } from '@sheaf/contract/documents';
import type { Action } from '@sheaf/vocabulary/permissions';
import { IconRestore, IconTrash, IconTrashX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Ago } from '../../components/ago.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useChange } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { daysLeft } from './days-left.ts';
import { EmptyTrash } from './empty-trash.tsx';
import { PurgeDocument } from './purge-document.tsx';

type Trashed = TrashedDocumentBody;

/** Deleted documents, until they are removed for good. */
const Trash = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const me = useMe();
  const { may, reach } = useSession();
  const notifyProblem = useNotifyProblem();
  const [state, change] = useAddressState(['page']);
  const [purged, setPurged] = useState<Trashed>();
  const [isEmptying, setEmptying] = useState(false);
  const { data, paging } = usePagedCall('get /api/trash', state, change);
  const restore = useChange('post /api/trash/{id}/restore', ['get /api/trash', 'get /api/documents']);
  const mayDo = (action: Action, { owner }: Trashed): boolean => reach(action) === 'all' || (reach(action) === 'own' && owner.id === me.id);
  const putBack = ({ id, title }: Trashed): void =>
    restore.mutate(
      { params: { id } },
      {
        onSuccess: ({ lost_archive_number: number }) =>
          void notifications.show({
            message: number === null ? t('trash.restored', { title }) : t('trash.restoredWithout', { title, number: String(number) }),
          }),
        onError: notifyProblem,
      },
    );
  const columns: readonly Column<Trashed>[] = [
    {
      key: 'title',
      title: t('trash.document'),
      width: '36%',
      cell: ({ title, filename }) => (
        <>
          <Text size="sm" fw={600} className="stranger">
            {title}
          </Text>
          <Text size="xs" c="dimmed" className="stranger">
            {filename}
          </Text>
        </>
      ),
    },
    {
      key: 'deleted',
      title: t('trash.deleted'),
      cell: ({ trashed_at: at, trashed_by: by, reason }) => (
        <>
          <Ago at={at} />
          <Text size="xs" c="dimmed" className="stranger">
            {reason === 'deleted' ? (by?.name ?? t('document.formerUser')) : t('trash.sourceRemoved')}
          </Text>
        </>
      ),
    },
    {
      key: 'left',
      title: t('trash.left'),
      isWhole: true,
      cell: ({ purge_at: at }) => (
        <Text size="sm" title={format.dateTime(at)}>
          {t('trash.days', { count: daysLeft(at, Date.now()) })}
        </Text>
      ),
    },
    { key: 'size', title: t('trash.size'), isWhole: true, cell: ({ size }) => <Text size="sm">{format.bytes(size)}</Text> },
    {
      key: 'actions',
      title: t('trash.actions'),
      hasHiddenTitle: true,
      align: 'right',
      isWhole: true,
      cell: (trashed) => (
        <>
          {mayDo('documents.delete', trashed) && (
            <RowAction
              icon={IconRestore}
              title={t('trash.restore')}
              label={t('trash.restoreOf', { title: trashed.title })}
              onClick={() => putBack(trashed)}
            />
          )}
          {mayDo('documents.purge', trashed) && (
            <RowAction
              icon={IconTrashX}
              title={t('trash.purge')}
              label={t('trash.purgeOf', { title: trashed.title })}
              isRemoval
              onClick={() => setPurged(trashed)}
            />
          )}
        </>
      ),
    },
  ];
  const total = data?.pagination.total ?? 0;
  return (
    <>
      <ScreenHeader title={t('shell.trash')} hint={t('trash.hint')}>
        {may('documents.purge') && total > 0 && (
          <Button variant="default" c="red" leftSection={<IconTrashX size={16} />} onClick={() => setEmptying(true)}>
            {t('trash.empty')}
          </Button>
        )}
      </ScreenHeader>
      <RecordTable
        caption={t('shell.trash')}
        columns={columns}
        idOf={({ id }) => id}
        {...paging}
        empty={<EmptyState icon={IconTrash} title={t('trash.none')} hint={t('trash.noneHint')} />}
      />
      {purged !== undefined && <PurgeDocument id={purged.id} title={purged.title} onClose={() => setPurged(undefined)} />}
      {isEmptying && <EmptyTrash total={total} onClose={() => setEmptying(false)} />}
    </>
  );
};
export default Trash;
