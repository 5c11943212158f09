import { Button } from '@mantine/core';
import { IconFileSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { downloadSearchable } from './searchable-download.ts';

/** Downloads a PDF in which scanned pages have their words, once it is made. */
export const SearchableButton = ({ id }: { readonly id: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  /** Undefined while none is made. */
  const [progress, setProgress] = useState<number>();
  const download = (): void => {
    setProgress(0);
    downloadSearchable(id, setProgress)
      .catch(notifyProblem)
      .finally(() => setProgress(undefined));
  };
  return (
    <Button variant="default" leftSection={<IconFileSearch size={16} />} onClick={download} disabled={progress !== undefined}>
      {progress === undefined || progress === 0
        ? t('document.searchablePdf')
        : t('document.searchablePdfProgress', { percent: format.percent(progress) })}
    </Button>
  );
};
