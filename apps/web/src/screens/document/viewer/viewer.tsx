import { Alert, Box, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { markWords, wordsOf } from '../marked-words.ts';
import { type Highlight, PageList } from './page-list.tsx';
import { usePageSource } from './use-page-source.tsx';
import { useViewerView } from './use-viewer-view.ts';
import './viewer.css';
import { pagePicture } from '../../../components/thumbnail.tsx';
import { call } from '../../../interface/call.ts';
import { ViewerToolbar } from './viewer-toolbar.tsx';

/** The smallest size that the service keeps. */
const SIZE_PX = 200;

interface PageThumbnailsProps {
  readonly documentId: string;
  readonly count: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Small pictures of all pages beside them; the browser asks only for those that come into sight. */
export const PageThumbnails = ({ documentId, count, page, onPage }: PageThumbnailsProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [box, one] = [list.current, list.current?.querySelector<HTMLElement>('[aria-current]')];
    if (box === null || one === null || one === undefined) return;
    // not `scrollIntoView`, which would move the screen too
    const [first, last] = [one.offsetTop + one.offsetHeight - box.clientHeight, one.offsetTop];
    box.scrollTop = Math.min(last, Math.max(first, box.scrollTop));
  }, [page]);
  return (
    <Box ref={list} component="nav" className="viewer-thumbnails" aria-label={t('viewer.thumbnails')}>
      {Array.from({ length: count }, (_, index) => index + 1).map((number) => (
        <UnstyledButton
          key={number}
          className="viewer-thumbnail"
          onClick={() => onPage(number)}
          aria-current={number === page ? 'page' : undefined}
          aria-label={t('document.pageLabel', { page: format.number(number) })}
        >
          <img src={pagePicture(documentId, number, SIZE_PX)} alt="" loading="lazy" />
          <Text size="xs" c="dimmed" ta="center" aria-hidden>
            {format.number(number)}
          </Text>
        </UnstyledButton>
      ))}
    </Box>
  );
};

/** Whether there is anything to see beside the text. */
export const hasPages = ({ mime_type: type, has_einvoice: hasEinvoice }: Document): boolean =>
  type !== 'text/plain' && (type !== 'application/xml' || hasEinvoice);

interface ViewerProps {
  readonly document: Document;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
  /** A part of a page that somebody wants to see. */
  readonly highlight?: Highlight | undefined;
}

/** What the document looks like, page by page: pictures, PDFs, and office documents as the PDF that was made of them. */
export const Viewer = ({ document, page, onPage, query, highlight }: ViewerProps): ReactNode => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const source = usePageSource(document);
  const view = useViewerView();
  const root = useRef<HTMLElement>(null);
  const [find, setFind] = useState(query);
  const [hasNoHit, setNoHit] = useState(false);
  if (source === 'failed')
    return (
      <Alert color="yellow" role="status">
        {t('document.previewFailed')}
      </Alert>
    );
  if (source === undefined) return <Skeleton height="60vh" />;
  const { count } = source;
  const shown = Math.min(count, page);
  const goToHit = (step: 1 | -1): void => {
    findHitPage({ documentId: document.id, count, wanted: wordsOf(find), after: shown, step })
      .then((found) => {
        setNoHit(found === undefined);
        if (found !== undefined) onPage(found);
      })
      .catch(notifyProblem);
  };
  const toggleFullScreen = (): void => {
    const { fullscreenElement } = globalThis.document;
    void (fullscreenElement === null ? root.current?.requestFullscreen() : globalThis.document.exitFullscreen());
  };
  return (
    <section ref={root} className="viewer" aria-label={t('document.preview')}>
      <ViewerToolbar
        page={shown}
        count={count}
        onPage={onPage}
        source={source}
        view={view}
        onFullScreen={toggleFullScreen}
        query={find}
        onQuery={(words) => {
          setFind(words);
          setNoHit(false);
        }}
        onHit={goToHit}
        hasNoHit={hasNoHit}
      />
      <div className="viewer-body">
        {view.hasThumbnails && count > 1 && <PageThumbnails documentId={document.id} count={count} page={shown} onPage={onPage} />}
        <PageList source={source} view={view} page={shown} onPage={onPage} query={find} highlight={highlight} />
      </div>
    </section>
  );
};

/** As many pages as one answer has. */
const BLOCK = 20;

const hasHit = (text: string, wanted: readonly string[]): boolean => markWords(text, wanted).some(({ isMarked }) => isMarked);

const pagesWithHits = async (documentId: string, from: number, wanted: readonly string[]): Promise<readonly number[]> => {
  const { pages } = await call('get /api/documents/{id}/pages', { params: { id: documentId }, query: { from, to: from + BLOCK - 1 } });
  return pages.filter(({ content }) => hasHit(content, wanted)).map(({ page }) => page);
};

interface Hunt {
  readonly documentId: string;
  readonly count: number;
  readonly wanted: readonly string[];
  /** The page that is left behind. */
  readonly after: number;
  readonly step: 1 | -1;
}

/** The next page, or the one before, with a word that is wanted, going round at the end; undefined where there is none. */
const findHitPage = async ({ documentId, count, wanted, after, step }: Hunt): Promise<number | undefined> => {
  if (wanted.length === 0) return undefined;
  const blocks = Math.ceil(count / BLOCK);
  const own = Math.floor((after - 1) / BLOCK);
  // the own block first and last: what lies behind the page, and what lies before it when all others were looked through
  for (let look = 0; look <= blocks; look += 1) {
    const block = (((own + step * look) % blocks) + blocks) % blocks;
    const pages = await pagesWithHits(documentId, block * BLOCK + 1, wanted);
    const fitting = look === 0 ? pages.filter((page) => (step === 1 ? page > after : page < after)) : pages;
    const found = step === 1 ? fitting[0] : fitting.at(-1);
    if (found !== undefined) return found;
  }
  return undefined;
};
