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
  IconRotateClockwise,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { PageSource } from './page-source.ts';
import { PrintButton } from './print-button.tsx';
import { Tool } from './tool.tsx';
import type { ViewerView } from './use-viewer-view.ts';

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
