import { Menu } from '@mantine/core';
import { IconApi, IconLogout, IconSettings, IconShare, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Anchor, type PopupProps } from '../components/late-popup.tsx';
import { useTranslate } from '../language/language.tsx';
import { useMe, useSession } from '../session/session.tsx';

/** What the user can do about themselves. */
export const AccountMenu = ({ anchor, ...popup }: PopupProps): ReactNode => {
  const t = useTranslate();
  const { may, signOut } = useSession();
  const me = useMe();
  return (
    <Menu position="bottom-end" width={240} {...popup}>
      <Menu.Target>
        <Anchor element={anchor} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="stranger">{me.display_name ?? me.username}</Menu.Label>
        <Menu.Item component={Link} href="/profile" leftSection={<IconUser size={16} />}>
          {t('shell.profile')}
        </Menu.Item>
        <Menu.Item component={Link} href="/settings" leftSection={<IconSettings size={16} />}>
          {t('shell.settings')}
        </Menu.Item>
        {may('documents.share') && (
          <Menu.Item component={Link} href="/shares" leftSection={<IconShare size={16} />}>
            {t('shell.shares')}
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/api/docs" leftSection={<IconApi size={16} />}>
          {t('shell.interfaceText')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()} leftSection={<IconLogout size={16} />}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
