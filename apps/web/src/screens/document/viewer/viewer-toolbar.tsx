import { Group, NumberInput, Text, TextInput } from '@mantine/core';
import {
  IconArrowAutofitHeight,
  IconArrowAutofitWidth,
  IconChevronDown,
  IconChevronLeft,
  IconChevronRight,
  IconChevronUp,
  IconLayoutSidebar,
  IconMaximize,
  IconPrinter,
  IconRotateClockwise,
  IconX,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { type PageSource, printPages } from './print-pages.ts';
import { Tool } from './tool.tsx';
import type { ViewerView } from './use-viewer-view.ts';
import './print-pages.css';

interface PageBoxProps {
  readonly page: number;
  readonly count: number;
  readonly onPage: (page: number) => void;
}

/** The number of the page, to be typed over. */
const PageBox = ({ page, count, onPage }: PageBoxProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [typed, setTyped] = useState<number | string>(page);
  useEffect(() => setTyped(page), [page]);
  const go = (): void => {
    const wanted = Math.min(count, Math.max(1, Math.floor(Number(typed))));
    if (Number.isFinite(wanted) && typed !== '') onPage(wanted);
    setTyped(Number.isFinite(wanted) && typed !== '' ? wanted : page);
  };
  return (
    <Group gap={4} wrap="nowrap">
      <Tool name={t('document.previous')} onClick={() => onPage(page - 1)} isDisabled={page <= 1}>
        <IconChevronLeft size={16} />
      </Tool>
      <NumberInput
        aria-label={t('viewer.page')}
        size="xs"
        w={56}
        hideControls
        allowDecimal={false}
        allowNegative={false}
        value={typed}
        onChange={setTyped}
        onBlur={go}
        onKeyDown={({ key }) => {
          if (key === 'Enter') go();
        }}
      />
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        / {format.number(count)}
      </Text>
      <Tool name={t('document.next')} onClick={() => onPage(page + 1)} isDisabled={page >= count}>
        <IconChevronRight size={16} />
      </Tool>
    </Group>
  );
};

interface FindProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onHit: (step: 1 | -1) => void;
  readonly hasNoHit: boolean;
}

/** Words to be found in the document. */
const FindBox = ({ query, onQuery, onHit, hasNoHit }: FindProps): ReactNode => {
  const t = useTranslate();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onHit(event.shiftKey ? -1 : 1);
  };
  return (
    <Group gap={4} wrap="nowrap">
      <TextInput
        size="xs"
        w={150}
        type="search"
        aria-label={t('viewer.find')}
        placeholder={t('viewer.find')}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Tool name={t('viewer.previousHit')} onClick={() => onHit(-1)} isDisabled={query.trim() === ''}>
        <IconChevronUp size={16} />
      </Tool>
      <Tool name={t('viewer.nextHit')} onClick={() => onHit(1)} isDisabled={query.trim() === ''}>
        <IconChevronDown size={16} />
      </Tool>
      <Text size="xs" c="red" role="status">
        {hasNoHit ? t('viewer.noHit') : ''}
      </Text>
    </Group>
  );
};

interface Props extends PageBoxProps, FindProps {
  readonly source: PageSource;
  readonly view: ViewerView;
  readonly onFullScreen: () => void;
}

/** What can be done with the pages that are shown. */
export const ViewerToolbar = ({ page, count, onPage, source, view, onFullScreen, ...find }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <Group justify="space-between" gap="xs" mb="xs" role="toolbar" aria-label={t('viewer.toolbar')}>
      <Group gap={4} wrap="nowrap">
        {count > 1 && (
          <Tool name={t('viewer.thumbnails')} onClick={view.toggleThumbnails} isPressed={view.hasThumbnails}>
            <IconLayoutSidebar size={16} />
          </Tool>
        )}
        <PageBox page={page} count={count} onPage={onPage} />
      </Group>
      <FindBox {...find} />
      <Group gap={4} wrap="nowrap">
        <Tool name={t('document.zoomOut')} onClick={view.zoomOut} isDisabled={!view.canZoomOut}>
          <IconZoomOut size={16} />
        </Tool>
        <Text size="xs" c="dimmed" w={40} ta="center">
          {format.percent(view.zoom)}
        </Text>
        <Tool name={t('document.zoomIn')} onClick={view.zoomIn} isDisabled={!view.canZoomIn}>
          <IconZoomIn size={16} />
        </Tool>
        <Tool name={t('viewer.fitWidth')} onClick={() => view.fit('width')} isPressed={view.fitted === 'width'}>
          <IconArrowAutofitWidth size={16} />
        </Tool>
        <Tool name={t('viewer.fitPage')} onClick={() => view.fit('page')} isPressed={view.fitted === 'page'}>
          <IconArrowAutofitHeight size={16} />
        </Tool>
        <Tool name={t('viewer.rotate')} onClick={view.rotate}>
          <IconRotateClockwise size={16} />
        </Tool>
        <Tool name={t('viewer.fullScreen')} onClick={onFullScreen}>
          <IconMaximize size={16} />
        </Tool>
        <PrintButton source={source} />
      </Group>
    </Group>
  );
};

/** Prints the document. While its pages are drawn, it says how far it is and stops when asked to. */
const PrintButton = ({ source }: { readonly source: PageSource }): ReactNode => {
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
