import { Anchor as Anchored, Button, Divider, Group, Popover, ScrollArea, Stack, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Anchor, type PopupProps } from '../../components/late-popup.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { type Notification, NotificationItem } from './notification-item.tsx';

interface Props extends PopupProps {
  readonly newest: readonly Notification[];
  readonly unread: number;
}

/** The newest notifications. */
export const BellPopup = ({ anchor, newest, unread, onChange, ...popup }: Props): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const read = useChange('put /api/notifications/{id}/read', ['get /api/notifications']);
  const readAll = useChange('put /api/notifications/read-all', ['get /api/notifications']);
  const close = (): void => onChange(false);
  return (
    <Popover
      {...popup}
      onChange={onChange}
      onDismiss={close}
      position="bottom-end"
      width={400}
      shadow="md"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Anchor element={anchor} />
      </Popover.Target>
      <Popover.Dropdown p={0} maw="calc(100vw - 16px)" aria-label={t('notificationScreen.title')}>
        <Group justify="space-between" p="sm">
          <Text fw={650}>{t('notificationScreen.title')}</Text>
          {unread > 0 && (
            <Button size="compact-xs" variant="subtle" onClick={() => readAll.mutate({}, { onError: notifyProblem })}>
              {t('notificationScreen.readAll')}
            </Button>
          )}
        </Group>
        <Divider />
        <ScrollArea.Autosize mah="60vh" type="auto">
          <Stack gap="sm" p="sm">
            {newest.length === 0 && (
              <Text size="sm" c="dimmed" ta="center" py="lg">
                {t('notificationScreen.none')}
              </Text>
            )}
            {newest.map((notification, index) => (
              <Fragment key={notification.id}>
                {index > 0 && <Divider />}
                <NotificationItem
                  notification={notification}
                  onRead={() => read.mutate({ params: { id: notification.id } }, { onError: notifyProblem })}
                  onFollow={close}
                />
              </Fragment>
            ))}
          </Stack>
        </ScrollArea.Autosize>
        <Divider />
        <Group justify="center" p="xs">
          <Anchored component={Link} href="/notifications" size="sm" onClick={close}>
            {t('notificationScreen.showAll')}
          </Anchored>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
};
