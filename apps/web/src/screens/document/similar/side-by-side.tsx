import { ActionIcon, Anchor, Button, Group, Skeleton, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import './side-by-side.css';
import { Link } from 'wouter';
import { SmallNote } from '../../../components/small-note.tsx';
import { pagePicture } from '../../../components/thumbnail.tsx';
import { useCall } from '../../../interface/call.ts';
import { kindName } from '../../../language/names.ts';
import { usePairActions } from './use-pair-actions.ts';

const SIZE_PX = 1_600;

interface ComparedPageProps {
  readonly document: Document;
  readonly page: number;
}

/** The text of a page that has no picture. */
const PageContent = ({ document: { id }, page }: ComparedPageProps): ReactNode => {
  const t = useTranslate();
  const { data } = useCall('get /api/documents/{id}/pages', { params: { id }, query: { from: page, to: page } });
  if (data === undefined) return <Skeleton height={240} />;
  const content = data.pages[0]?.content ?? '';
  return (
    <Text size="sm" p="sm" className="stranger" style={{ whiteSpace: 'pre-wrap' }}>
      {content.trim() === '' ? t('document.noText') : content}
    </Text>
  );
};

/** A page of one of two documents: its picture, its text where it has none. */
export const ComparedPage = ({ document, page }: ComparedPageProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  const number = format.number(page);
  const label = t('similar.pageOf', { number, title: document.title });
  const isMissing = page > Math.max(1, document.page_count ?? 1);
  return (
    <div className="pair-page">
      {isMissing ? (
        <Text c="dimmed" size="sm" p="sm">
          {t('similar.noPage', { number })}
        </Text>
      ) : state === 'failed' ? (
        <PageContent document={document} page={page} />
      ) : (
        <>
          {state === 'loading' && <Skeleton className="pair-waiting" radius={0} />}
          <img
            src={pagePicture(document.id, page, SIZE_PX)}
            alt={label}
            hidden={state === 'loading'}
            onLoad={() => setState('shown')}
            onError={() => setState('failed')}
          />
        </>
      )}
    </div>
  );
};

interface ComparedFactsProps {
  readonly documents: readonly [Document, Document];
  readonly shownId: string;
  readonly actions: ReturnType<typeof usePairActions>;
}

const NOTHING = '–';
/** Of buttons in narrow columns. */
const WRAPPING = { root: { height: 'auto' }, label: { whiteSpace: 'normal' as const } };

/** What is known of two documents, and what differs. */
export const ComparedFacts = ({ documents, shownId, actions }: ComparedFactsProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const rows: readonly (readonly [name: string, valueOf: (document: Document) => string | undefined])[] = [
    [t('document.filename'), ({ filename }) => filename],
    [t('document.kind'), ({ mime_type: type }) => kindName(type)],
    [t('document.size'), ({ size }) => format.bytes(size)],
    [t('document.pages'), ({ page_count: count }) => (count === null ? undefined : format.number(count))],
    [t('document.documentDate'), ({ document_date: date }) => (date === null ? undefined : format.date(date))],
    [t('document.created'), ({ created_at: at }) => format.dateTime(at)],
    [t('document.confidence'), ({ ocr_confidence: confidence }) => (confidence === null ? undefined : format.percent(confidence))],
    [t('filing.one.correspondent'), ({ correspondent }) => correspondent?.name],
    [t('filing.one.document_type'), ({ document_type: type }) => type?.name],
    [t('document.labels'), ({ labels }) => (labels.length === 0 ? undefined : labels.join(', '))],
  ];
  const known = rows
    .map(([name, valueOf]) => ({ name, values: documents.map((document) => ({ id: document.id, value: valueOf(document) })) }))
    .filter(({ values }) => values.some(({ value }) => value !== undefined));
  return (
    <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs" className="pair-facts">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <VisuallyHidden>{t('document.field')}</VisuallyHidden>
          </Table.Th>
          {documents.map(({ id, title }) => (
            <Table.Th key={id}>
              <Stack gap={4} align="flex-start">
                {id === shownId ? (
                  <>
                    <Text size="sm" fw={600} className="stranger">
                      {title}
                    </Text>
                    <Text size="xs" c="dimmed" fw={400}>
                      {t('similar.thisDocument')}
                    </Text>
                  </>
                ) : (
                  <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger">
                    {title}
                  </Anchor>
                )}
              </Stack>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {known.map(({ name, values }) => {
          const differs = values[0]?.value !== values[1]?.value;
          return (
            <Table.Tr key={name} className={differs ? 'pair-differs' : undefined}>
              <Table.Th scope="row" fw={400}>
                <SmallNote className="stranger">{name}</SmallNote>
                {differs && <VisuallyHidden>{t('similar.differs')}</VisuallyHidden>}
              </Table.Th>
              {values.map(({ id, value }) => (
                <Table.Td key={id} className="stranger">
                  {value ?? NOTHING}
                </Table.Td>
              ))}
            </Table.Tr>
          );
        })}
        <Table.Tr>
          <Table.Th scope="row">
            <VisuallyHidden>{t('similar.actions')}</VisuallyHidden>
          </Table.Th>
          {documents.map((document) => (
            <Table.Td key={document.id}>
              <Stack gap={4} align="flex-start">
                {actions.mayJoin(document) && (
                  <Button
                    size="compact-xs"
                    styles={WRAPPING}
                    variant="default"
                    loading={actions.isJoining}
                    onClick={() => actions.join(document)}
                    aria-label={t('similar.olderVersionOf', { title: document.title })}
                  >
                    {t('similar.olderVersion')}
                  </Button>
                )}
                {actions.mayRemove(document) && (
                  <Button
                    size="compact-xs"
                    styles={WRAPPING}
                    variant="default"
                    c="red"
                    onClick={() => actions.remove(document)}
                    aria-label={t('similar.removeOf', { title: document.title })}
                  >
                    {t('similar.remove')}
                  </Button>
                )}
              </Stack>
            </Table.Td>
          ))}
        </Table.Tr>
      </Table.Tbody>
    </Table>
  );
};

interface SideBySideProps {
  /** Whose screen this is. */
  readonly shown: Document;
  readonly other: Document;
  readonly similarity: number;
  readonly onClose: () => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1 };

/** Two near-duplicates beside each other, page by page, to decide what becomes of them. */
const SideBySide = ({ shown, other, similarity, onClose }: SideBySideProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const actions = usePairActions(shown, other);
  const [page, setPage] = useState(1);
  const count = Math.max(1, shown.page_count ?? 1, other.page_count ?? 1);
  const goTo = (next: number): void => setPage(Math.min(count, Math.max(1, next)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    goTo(page + step);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      onKeyDown={onKeyDown}
      fullScreen
      title={t('similar.compareTitle', { percent: format.percent(similarity) })}
    >
      <Stack gap="md" className="pair">
        <ProblemNote problem={actions.problem} />
        <ComparedFacts documents={[shown, other]} shownId={shown.id} actions={actions} />
        <Group justify="space-between" gap="sm" className="pair-toolbar">
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              size="lg"
              disabled={page === 1}
              onClick={() => goTo(page - 1)}
              aria-label={t('document.previous')}
            >
              <IconChevronLeft size={18} />
            </ActionIcon>
            <Text size="sm" role="status">
              {t('document.page', { page: format.number(page), total: format.number(count) })}
            </Text>
            <ActionIcon
              variant="default"
              size="lg"
              disabled={page === count}
              onClick={() => goTo(page + 1)}
              aria-label={t('document.next')}
            >
              <IconChevronRight size={18} />
            </ActionIcon>
          </Group>
          {actions.mayDismiss && (
            <Button variant="default" size="compact-sm" loading={actions.isDismissing} onClick={actions.dismiss}>
              {t('similar.notDuplicate')}
            </Button>
          )}
        </Group>
        <div className="pair-pages">
          {[shown, other].map((document) => (
            <ComparedPage key={`${document.id} ${page}`} document={document} page={page} />
          ))}
        </div>
      </Stack>
    </Dialog>
  );
};
export default SideBySide;
