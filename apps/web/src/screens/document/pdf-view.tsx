import { ActionIcon, Alert, Box, Group, Skeleton, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { openPdf } from './pdf.ts';
import { PdfPage } from './pdf-page.tsx';

const GAP_PX = 12;
const A4 = Math.SQRT2;
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3] as const;
const WHOLE_WIDTH = 2;
/** A mark in this part of the box is seen without scrolling. */
const SEEN = 0.8;

interface Props {
  readonly url: string;
  readonly documentId: string;
  readonly page: number;
  /** Told when another page has come into sight. */
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
}

/** How wide a page is to its height; of the first one, as nearly all are alike. */
const useRatio = (pdf: PDFDocumentProxy | undefined): number => {
  const [ratio, setRatio] = useState(A4);
  useEffect(() => {
    if (pdf === undefined) return;
    void pdf.getPage(1).then((first) => {
      const { width, height } = first.getViewport({ scale: 1 });
      setRatio(height / width);
    });
  }, [pdf]);
  return ratio;
};

/** The pages of a PDF, of which only those in sight are drawn. */
export const PdfView = ({ url, documentId, page, onPage, query }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const [hasFailed, setFailed] = useState(false);
  const [zoom, setZoom] = useState(WHOLE_WIDTH);
  const { ref: sizeRef, width: available } = useElementSize<HTMLDivElement>();
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    setPdf(undefined);
    setFailed(false);
    openPdf(url, stop.signal).then(
      (opened) => !stop.signal.aborted && setPdf(opened),
      () => !stop.signal.aborted && setFailed(true),
    );
    return () => stop.abort();
  }, [url]);
  const ratio = useRatio(pdf);
  const width = Math.max(200, (available - 2 * GAP_PX) * (ZOOMS[zoom] ?? 1));
  const height = Math.round(width * ratio);
  const count = pdf?.numPages ?? 0;
  const virtual = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => height + GAP_PX, overscan: 1 });
  useEffect(() => virtual.measure(), [virtual, height]);

  // who jumps to a page sees it; who scrolls is told which one it is
  const told = useRef(0);
  const jumpedTo = useRef(0);
  const stay = (): void => {
    jumpedTo.current = 0;
  };
  useEffect(() => {
    if (count === 0 || told.current === page) return;
    told.current = page;
    jumpedTo.current = page;
    virtual.scrollToIndex(page - 1, { align: 'start' });
  }, [page, count, virtual]);
  const onScroll = (): void => {
    const middle = (scroller.current?.scrollTop ?? 0) + height / 3;
    const seen = Math.min(count, Math.floor(middle / (height + GAP_PX)) + 1);
    if (seen < 1 || seen === told.current) return;
    told.current = seen;
    onPage(seen);
  };

  // who jumped to a page sees the first mark of it, unless he has begun to move himself
  const onMark = useCallback((marked: number, top: number) => {
    const box = scroller.current;
    if (jumpedTo.current !== marked || box === null || top < box.clientHeight * SEEN) return;
    jumpedTo.current = 0;
    box.scrollTop += top - box.clientHeight / 3;
  }, []);

  if (hasFailed)
    return (
      <Alert color="yellow" role="status">
        {t('document.previewFailed')}
      </Alert>
    );
  return (
    <Box>
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed" role="status">
          {count === 0 ? '' : t('document.page', { page: format.number(page), total: format.number(count) })}
        </Text>
        <Group gap={4}>
          <ActionIcon variant="default" onClick={() => setZoom(zoom - 1)} disabled={zoom === 0} aria-label={t('document.zoomOut')}>
            <IconZoomOut size={16} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            onClick={() => setZoom(zoom + 1)}
            disabled={zoom === ZOOMS.length - 1}
            aria-label={t('document.zoomIn')}
          >
            <IconZoomIn size={16} />
          </ActionIcon>
        </Group>
      </Group>
      <div ref={sizeRef}>
        <Box
          ref={scroller}
          onScroll={onScroll}
          onWheel={stay}
          onPointerDown={stay}
          onKeyDown={stay}
          tabIndex={0}
          role="group"
          aria-label={t('document.preview')}
          h="calc(100vh - 230px)"
          mih={360}
          bg="var(--mantine-color-default-hover)"
          style={{ overflow: 'auto', borderRadius: 8, border: '1px solid var(--mantine-color-default-border)' }}
        >
          {pdf === undefined ? (
            <Skeleton height="100%" />
          ) : (
            <div style={{ position: 'relative', height: virtual.getTotalSize() + GAP_PX, minWidth: width + 2 * GAP_PX }}>
              {virtual.getVirtualItems().map(({ index, start }) => (
                <div
                  key={index}
                  style={{
                    position: 'absolute',
                    top: start + GAP_PX,
                    insetInline: 0,
                    marginInline: 'auto',
                    width,
                    height,
                    background: '#fff',
                    boxShadow: '0 1px 4px rgb(0 0 0 / 20%)',
                  }}
                >
                  <PdfPage
                    pdf={pdf}
                    documentId={documentId}
                    number={index + 1}
                    width={width}
                    height={height}
                    label={t('document.pageLabel', { page: format.number(index + 1) })}
                    query={query}
                    onMark={onMark}
                  />
                </div>
              ))}
            </div>
          )}
        </Box>
      </div>
    </Box>
  );
};
