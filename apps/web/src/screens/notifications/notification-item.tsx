import { Anchor, Badge, Box, Group, Stack, Text } from '@mantine/core';
import { notificationText } from '@sheaf/messages';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { RemoveAction, RowAction } from '../../components/buttons.tsx';
import type { Answer } from '../../interface/call.ts';
import { useTranslator } from '../../language/language.tsx';

export type Notification = Answer<'get /api/notifications'>['notifications'][number];

const COLORS: Readonly<Record<Notification['type'], string>> = {
  ocr_completed: 'teal',
  ocr_failed: 'red',
  sync_completed: 'teal',
  sync_failed: 'red',
  duplicate_skipped: 'blue',
  saved_search_match: 'blue',
  alert: 'orange',
  security: 'violet',
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Props {
  readonly notification: Notification;
  readonly onRead: () => void;
  readonly onRemove?: () => void;
  readonly onFollow?: () => void;
}

/** One notification with the way to what it is about. */
export const NotificationItem = ({ notification, onRead, onRemove, onFollow }: Props): ReactNode => {
  const translator = useTranslator();
  const { t, format } = translator;
  const { type, read, created_at: at, data } = notification;
  const { title, message } = notificationText(notification, translator);
  const documentId = textOf(data['document_id']);
  const sourceId = textOf(data['source_id']);
  const searchId = textOf(data['saved_search_id']);
  const [href, label] =
    searchId !== undefined
      ? [`/saved-searches/${searchId}`, t('notificationScreen.openSavedSearch')]
      : documentId !== undefined
        ? [`/documents/${documentId}`, t('notificationScreen.open')]
        : sourceId !== undefined
          ? [`/sources/${sourceId}`, t('notificationScreen.openSource')]
          : [];
  const follow = (): void => {
    if (!read) onRead();
    onFollow?.();
  };
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <Box
        mt={7}
        style={{
          flex: 'none',
          width: 8,
          height: 8,
          borderRadius: 4,
          background: read ? 'transparent' : 'var(--mantine-primary-color-filled)',
        }}
      >
        {!read && <span style={{ position: 'absolute', width: 1, height: 1, overflow: 'hidden' }}>{t('notificationScreen.unread')}</span>}
      </Box>
      <Stack gap={4} style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={read ? 500 : 650} className="stranger">
          {title}
        </Text>
        <Text size="sm" c="dimmed" className="stranger" lineClamp={4}>
          {message}
        </Text>
        <Group gap="sm">
          <Badge size="sm" variant="light" tt="none" color={COLORS[type]}>
            {t(`notificationScreen.${type}`)}
          </Badge>
          <Text size="xs" c="dimmed" title={format.dateTime(at)}>
            {format.ago(at)}
          </Text>
          {href !== undefined && (
            <Anchor component={Link} href={href} size="xs" onClick={follow}>
              {label}
            </Anchor>
          )}
        </Group>
      </Stack>
      {!read && <RowAction icon={IconCheck} title={t('notificationScreen.markRead')} onClick={onRead} />}
      {onRemove !== undefined && <RemoveAction title={t('notificationScreen.remove')} onClick={onRemove} />}
    </Group>
  );
};
