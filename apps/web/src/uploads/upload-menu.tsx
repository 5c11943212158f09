import { Menu } from '@mantine/core';
import { IconFiles, IconFolder } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Anchor, type PopupProps } from '../components/late-popup.tsx';
import { useTexts } from '../language/language.tsx';
import { uploadTexts } from './texts.ts';

interface Props extends PopupProps {
  readonly onFiles: () => void;
  readonly onFolder: () => void;
}

export const UploadMenu = ({ anchor, onFiles, onFolder, ...popup }: Props): ReactNode => {
  const t = useTexts(uploadTexts);
  return (
    <Menu position="bottom-end" {...popup}>
      <Menu.Target>
        <Anchor element={anchor} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFiles size={16} />} onClick={onFiles}>
          {t.files}
        </Menu.Item>
        <Menu.Item leftSection={<IconFolder size={16} />} onClick={onFolder}>
          {t.folder}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
