import { Alert, Box } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { useTranslate } from '../../language/language.tsx';
import type { Document } from './document-facts.tsx';
import { PageWords } from './page-words.tsx';
import { PdfView } from './pdf-view.tsx';

const LARGEST_PX = 1_600;
/** A mark in this part of the box is seen without scrolling. */
const SEEN = 0.8;
/** What every browser shows; of other pictures the service makes one. */
const SHOWN_BY_BROWSERS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

const FIRST_PAGE = 1;

const Picture = ({ document, query }: { readonly document: Document; readonly query: string }): ReactNode => {
  const t = useTranslate();
  const [hasFailed, setFailed] = useState(false);
  const { ref: frame, width, height } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const onMark = useCallback((_: number, top: number) => {
    const shown = box.current;
    if (shown !== null && top > shown.clientHeight * SEEN) shown.scrollTop = top - shown.clientHeight / 3;
  }, []);
  const address = SHOWN_BY_BROWSERS.has(document.mime_type)
    ? `/api/documents/${document.id}/download?inline=true`
    : `/api/documents/${document.id}/thumbnail?width=${LARGEST_PX}&height=${LARGEST_PX}`;
  if (hasFailed) return <Alert color="yellow">{t('document.previewFailed')}</Alert>;
  return (
    <Box ref={box} mah="calc(100vh - 190px)" tabIndex={0} role="group" aria-label={t('document.preview')} style={{ overflow: 'auto' }}>
      <div ref={frame} style={{ position: 'relative', width: 'fit-content' }}>
        <img
          src={address}
          alt={document.title}
          style={{ maxWidth: '100%', display: 'block', borderRadius: 8 }}
          onError={() => setFailed(true)}
        />
        <PageWords documentId={document.id} page={FIRST_PAGE} width={width} height={height} query={query} onMark={onMark} />
      </div>
    </Box>
  );
};

/** Whether there is anything to see beside the text. */
export const hasPreview = ({ mime_type: type }: Document): boolean => type !== 'text/plain';

interface Props {
  readonly document: Document;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
}

/** What the document looks like: a picture, or the pages of a PDF; office documents as the PDF that was made of them. */
export const Preview = ({ document, page, onPage, query }: Props): ReactNode =>
  document.mime_type.startsWith('image/') ? (
    <Picture document={document} query={query} />
  ) : (
    <PdfView url={`/api/documents/${document.id}/preview`} documentId={document.id} page={page} onPage={onPage} query={query} />
  );
