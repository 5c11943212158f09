import { ActionIcon, Indicator } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLatePopup } from '../../components/late-popup.tsx';
import { useCall } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';

const SHOWN = 6;
const MOST_COUNTED = 99;

const loadPopup = withLaterMessages(() => import('./bell-popup.tsx').then(({ BellPopup }) => BellPopup));

/** The bell of the head: how many notifications are unread, and the newest ones. */
export const NotificationBell = (): ReactNode => {
  const t = useTranslate();
  const { button, popup } = useLatePopup('dialog', loadPopup);
  const { data } = useCall('get /api/notifications', { query: { per_page: SHOWN } });
  const unread = data?.unread_count ?? 0;
  return (
    <>
      <Indicator label={unread > MOST_COUNTED ? `${MOST_COUNTED}+` : unread} size={16} disabled={unread === 0} offset={5} color="red.8">
        <ActionIcon variant="subtle" size="lg" color="gray" {...button} aria-label={t('notificationScreen.bell', { unread: unread })}>
          <IconBell size={20} stroke={1.7} />
        </ActionIcon>
      </Indicator>
      {popup !== undefined && <popup.Popup {...popup.props} newest={data?.notifications ?? []} unread={unread} />}
    </>
  );
};
