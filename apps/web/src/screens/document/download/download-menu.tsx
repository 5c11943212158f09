import { Menu } from '@mantine/core';
import { IconDownload, IconFileSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Anchor, type PopupProps } from '../../../components/late-popup.tsx';
import { useTranslate } from '../../../language/language.tsx';

interface Props extends PopupProps {
  readonly documentId: string;
  /** Whether the searchable PDF was asked for and is not there yet. */
  readonly isGenerating: boolean;
  readonly onSearchable: () => void;
}

/** In which form a document is downloaded. */
export const DownloadMenu = ({ anchor, documentId, isGenerating, onSearchable, ...popup }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Menu position="bottom-end" {...popup}>
      <Menu.Target>
        <Anchor element={anchor} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`/api/documents/${documentId}/download`} leftSection={<IconDownload size={16} />}>
          {t('document.original')}
        </Menu.Item>
        <Menu.Item leftSection={<IconFileSearch size={16} />} disabled={isGenerating} onClick={onSearchable}>
          {t('document.searchablePdf')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
