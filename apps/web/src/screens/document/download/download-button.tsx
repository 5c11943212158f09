import { Button } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useLatePopup } from '../../../components/late-popup.tsx';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { downloadSearchable } from './searchable-download.ts';

const loadMenu = () => import('./download-menu.tsx').then(({ DownloadMenu }) => DownloadMenu);

/** Downloads the file of a document. */
export const DownloadButton = ({ id }: { readonly id: string }): ReactNode => {
  const t = useTranslate();
  return (
    <Button component="a" href={`/api/documents/${id}/download`} variant="default" leftSection={<IconDownload size={16} />}>
      {t('document.download')}
    </Button>
  );
};

/** Offers the file of a document, and a PDF in which scanned pages have their words. */
export const DownloadMenuButton = ({ id }: { readonly id: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const { button, popup } = useLatePopup('menu', loadMenu);
  /** Of the searchable PDF; undefined while none is made. */
  const [progress, setProgress] = useState<number>();
  const download = (): void => {
    setProgress(0);
    downloadSearchable(id, setProgress)
      .catch(notifyProblem)
      .finally(() => setProgress(undefined));
  };
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} />} rightSection={<IconChevronDown size={14} />} {...button}>
        {progress === undefined || progress === 0
          ? t('document.download')
          : t('document.searchablePdfProgress', { percent: format.percent(progress) })}
      </Button>
      {popup !== undefined && (
        <popup.Popup {...popup.props} documentId={id} isGenerating={progress !== undefined} onSearchable={download} />
      )}
    </>
  );
};
