import { ActionIcon, Card, CopyButton, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconChevronLeft, IconChevronRight, IconCopy } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, useCall } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { markWords, wordsOf } from './marked-words.ts';

/** Asked for together, so that walking from page to page waits for none. */
const BLOCK = 20;

type Page = Answer<'get /api/documents/{id}/pages'>['pages'][number];

interface Props {
  readonly documentId: string;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
  /** Whether pages are turned elsewhere: in the viewer beside it. */
  readonly isFollowing: boolean;
  /** Whether more of it may still be read. */
  readonly isBeingRead: boolean;
}

/** The text of one page, as it was read. */
export const PageText = ({ documentId, page, onPage, query, isFollowing, isBeingRead }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const from = Math.floor((page - 1) / BLOCK) * BLOCK + 1;
  const { data, error, refetch } = useCall(
    'get /api/documents/{id}/pages',
    { params: { id: documentId }, query: { from, to: from + BLOCK - 1 } },
    { keepPrevious: true },
  );
  const originOf = ({ origin, confidence, content }: Page): string => {
    if (origin === 'edited') return t('document.readEdited');
    if (origin !== 'ocr') return t('document.readFromFile');
    return content.trim() === '' ? '' : t('document.readByOcr', { percent: format.percent(confidence) });
  };
  const body = useRef<HTMLDivElement>(null);
  const shown = data?.pages.find((one) => one.page === page);
  const total = data?.total ?? 0;
  // the first place that was looked for comes into sight
  useEffect(() => {
    const box = body.current;
    const mark = box?.querySelector('mark');
    // in the box of the text alone: the screen itself stays where it is
    if (box && mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }, [shown, query]);
  return (
    <Card withBorder padding="md">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Stack gap={0}>
            <Text size="sm" fw={600} role="status">
              {total === 0 ? t('document.text') : t('document.page', { page: format.number(page), total: format.number(total) })}
            </Text>
            {shown !== undefined && <SmallNote>{originOf(shown)}</SmallNote>}
          </Stack>
          <Group gap={4} wrap="nowrap">
            {shown !== undefined && (
              <CopyButton value={shown.content}>
                {({ copied, copy }) => (
                  <Tooltip label={copied ? t('document.copied') : t('document.copy')}>
                    <ActionIcon variant="subtle" onClick={copy} aria-label={t('document.copy')}>
                      {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                    </ActionIcon>
                  </Tooltip>
                )}
              </CopyButton>
            )}
            {!isFollowing && (
              <>
                <ActionIcon variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label={t('document.previous')}>
                  <IconChevronLeft size={16} />
                </ActionIcon>
                <ActionIcon variant="default" disabled={page >= total} onClick={() => onPage(page + 1)} aria-label={t('document.next')}>
                  <IconChevronRight size={16} />
                </ActionIcon>
              </>
            )}
          </Group>
        </Group>
        {data === undefined &&
          (error === null ? <Skeleton height={240} /> : <ProblemNote problem={error} onRetry={() => void refetch()} />)}
        {data !== undefined && (
          <Text
            ref={body}
            component="div"
            size="sm"
            className="stranger"
            mah="max(240px, 45vh)"
            mih={120}
            tabIndex={0}
            role="group"
            aria-label={t('document.text')}
            style={{ whiteSpace: 'pre-wrap', overflowY: 'auto', textAlign: 'start' }}
          >
            {shown === undefined
              ? isBeingRead
                ? t('document.notYet')
                : t('document.noText')
              : shown.content.trim() === ''
                ? t('document.noText')
                : markWords(shown.content, wordsOf(query)).map(({ text, isMarked }, index) =>
                    isMarked ? <mark key={index}>{text}</mark> : text,
                  )}
          </Text>
        )}
      </Stack>
    </Card>
  );
};
