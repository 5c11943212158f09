import { Button } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useLatePopup } from '../../../components/late-popup.tsx';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { addressOf } from '../../../interface/call.ts';
import { Problem, toProblem } from '../../../interface/problem.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';

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

/** Where the service does not tell when to ask again. */
const WAIT_SECONDS = 2;

const ask = async (address: string): Promise<Response> => {
  try {
    return await fetch(address, { credentials: 'same-origin' });
  } catch {
    throw Problem.unreachable();
  }
};

/** Has the browser save the searchable PDF of a document as soon as it is made. Throws Problem. */
const downloadSearchable = async (id: string, onProgress: (progress: number) => void): Promise<void> => {
  const address = addressOf('/api/documents/{id}/download', { params: { id }, query: { as: 'searchable' } });
  for (let response = await ask(address); ; response = await ask(address)) {
    if (!response.ok) throw await toProblem(response);
    if (response.status !== 202) {
      await response.body?.cancel(); // the browser fetches it again, straight to the disk
      break;
    }
    onProgress(((await response.json()) as { readonly progress: number }).progress);
    const seconds = Number(response.headers.get('Retry-After') ?? WAIT_SECONDS);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
};
