import { Box, Text, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { pagePicture } from '../../../interface/page-picture.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';

/** The smallest size that the service keeps. */
const SIZE_PX = 200;

interface Props {
  readonly documentId: string;
  readonly count: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

/** Small pictures of all pages beside them; the browser asks only for those that come into sight. */
export const PageThumbnails = ({ documentId, count, page, onPage }: Props): ReactNode => {
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
