import { IconPrinter, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { PageSource } from './page-source.ts';
import { printPages } from './print-pages.ts';
import './print-pages.css';
import { Text } from '@mantine/core';
import { Tool } from './tool.tsx';

/** Prints the document. While its pages are drawn, it says how far it is and stops when asked to. */
export const PrintButton = ({ source }: { readonly source: PageSource }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const stop = useRef<AbortController>(undefined);
  const [done, setDone] = useState<number>();
  useEffect(() => () => stop.current?.abort(), [source]);
  const print = async (): Promise<void> => {
    const own = new AbortController();
    stop.current = own;
    setDone(0);
    try {
      await printPages(source, { onProgress: setDone, signal: own.signal });
    } catch (error) {
      if (!own.signal.aborted) notifyProblem(error);
    } finally {
      setDone(undefined);
    }
  };
  if (done === undefined)
    return (
      <Tool name={t('viewer.print')} onClick={() => void print()}>
        <IconPrinter size={16} />
      </Tool>
    );
  return (
    <>
      <Text size="xs" c="dimmed" role="status" style={{ whiteSpace: 'nowrap' }}>
        {t('viewer.printing', { done: format.number(done), count: format.number(source.count) })}
      </Text>
      <Tool name={t('viewer.stopPrinting')} onClick={() => stop.current?.abort()}>
        <IconX size={16} />
      </Tool>
    </>
  );
};
