import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { TrashedDocumentBody } from '@sheaf/contract/documents';
import type { Action } from '@sheaf/vocabulary/permissions';
import { IconRestore, IconTrash, IconTrashX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Ago } from '../../components/ago.tsx';
import { RowAction } from '../../components/buttons.tsx';
import { ConfirmDialog, ConfirmNumber } from '../../components/confirm-dialog.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { reachesAll } from '../../session/may.ts';
import { useMe, useSession } from '../../session/session.tsx';
import { daysLeft } from './days-left.ts';

type Trashed = TrashedDocumentBody;

/** Asks once more before a document goes for good. */
const PurgeDocument = ({ document: { id, title }, onClose }: { readonly document: Trashed; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const purge = useChange('delete /api/trash/{id}', ['get /api/trash']);
  return (
    <ConfirmDialog
      title={t('trash.purgeTitle', { title })}
      hint={t('trash.purgeHint')}
      change={purge}
      submit={t('trash.purge')}
      onConfirm={() => purge.mutate({ params: { id } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};

/** Asks for the number of documents before the trash is emptied. Others may have moved more there: the service says the right number then. */
const EmptyTrash = ({ total, onClose }: { readonly total: number; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const empty = useChange('delete /api/trash', ['get /api/trash']);
  const matched = empty.error?.details['matched'];
  const count = typeof matched === 'number' ? matched : total;
  return (
    <ConfirmNumber
      key={count}
      count={count}
      title={t('trash.emptyTitle', { count })}
      hint={t('trash.purgeHint')}
      submit={t('trash.empty')}
      problem={typeof matched === 'number' ? null : empty.error}
      isBusy={empty.isPending}
      confirm={() => empty.mutate({ body: { confirm: count } }, { onSuccess: onClose })}
      cancel={onClose}
    />
  );
};

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
  const mayDo = (action: Action, { owner }: Trashed): boolean => reachesAll(reach(action), [owner.id], me.id);
  const restoreDocument = ({ id, title }: Trashed): void =>
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
              onClick={() => restoreDocument(trashed)}
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
  const empty = <EmptyState icon={IconTrash} title={t('trash.none')} hint={t('trash.noneHint')} />;
  return (
    <>
      <ScreenHeader title={t('shell.trash')} hint={t('trash.hint')}>
        {may('documents.purge') && total > 0 && (
          <Button variant="default" c="red" leftSection={<IconTrashX size={16} />} onClick={() => setEmptying(true)}>
            {t('trash.empty')}
          </Button>
        )}
      </ScreenHeader>
      <RecordTable caption={t('shell.trash')} columns={columns} {...paging} empty={empty} />
      {purged !== undefined && <PurgeDocument document={purged} onClose={() => setPurged(undefined)} />}
      {isEmptying && <EmptyTrash total={total} onClose={() => setEmptying(false)} />}
    </>
  );
};
export default Trash;
