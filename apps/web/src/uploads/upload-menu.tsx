import { Menu } from '@mantine/core';
import { IconFiles, IconFolder } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Anchor, type PopupProps } from '../components/late-popup.tsx';
import { useTranslate } from '../language/language.tsx';

interface Props extends PopupProps {
  readonly onFiles: () => void;
  readonly onFolder: () => void;
}

export const UploadMenu = ({ anchor, onFiles, onFolder, ...popup }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Menu position="bottom-end" {...popup}>
      <Menu.Target>
        <Anchor element={anchor} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFiles size={16} />} onClick={onFiles}>
          {t('uploads.files')}
        </Menu.Item>
        <Menu.Item leftSection={<IconFolder size={16} />} onClick={onFolder}>
          {t('uploads.folder')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
