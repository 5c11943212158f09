import { Button, Switch } from '@mantine/core';
import { IconBell, IconChecks } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useHidden, useUndoableRemoval } from '../../components/undo.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useAddressState } from '../../interface/address-state.ts';
import { call, useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { type Notification, NotificationItem } from './notification-item.tsx';

/** All that the user was told. */
const Notifications = (): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const removeLater = useUndoableRemoval();
  const { hidden } = useHidden();
  const [state, change] = useAddressState(['unread', 'page']);
  const { data, refetch, paging } = usePagedCall(
    'get /api/notifications',
    { page: state.page, unread_only: state.unread === 'true' ? 'true' : 'false' },
    change,
  );
  const read = useChange('put /api/notifications/{id}/read', ['get /api/notifications']);
  const readAll = useChange('put /api/notifications/read-all', ['get /api/notifications']);

  const remove = ({ id }: Notification): void =>
    removeLater(id, t('notificationScreen.removed'), async () => {
      await call('delete /api/notifications/{id}', { params: { id } });
      await refetch();
    });

  return (
    <>
      <ScreenHeader title={t('notificationScreen.title')}>
        <Switch
          label={t('notificationScreen.unreadOnly')}
          checked={state.unread === 'true'}
          onChange={(event) => change({ unread: event.currentTarget.checked ? 'true' : undefined })}
        />
        <Button
          variant="default"
          leftSection={<IconChecks size={16} />}
          disabled={(data?.unread_count ?? 0) === 0}
          loading={readAll.isPending}
          onClick={() => readAll.mutate({}, { onError: notifyProblem })}
        >
          {t('notificationScreen.readAll')}
        </Button>
      </ScreenHeader>
      <RecordTable
        caption={t('notificationScreen.title')}
        columns={[
          {
            key: 'notification',
            title: t('notificationScreen.title'),
            hasHiddenTitle: true,
            cell: (notification: Notification) => (
              <NotificationItem
                notification={notification}
                onRead={() => read.mutate({ params: { id: notification.id } }, { onError: notifyProblem })}
                onRemove={() => remove(notification)}
              />
            ),
          },
        ]}
        {...paging}
        records={data?.notifications.filter(({ id }) => !hidden.has(id))}
        empty={<EmptyState icon={IconBell} title={t('notificationScreen.none')} hint={t('notificationScreen.noneHint')} />}
      />
    </>
  );
};
export default Notifications;
