import { Anchor, Button, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { SmallNote } from '../../../components/small-note.tsx';
import { kindName } from '../../../language/kind-name.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import type { usePairActions } from './use-pair-actions.ts';

interface Props {
  readonly documents: readonly [Document, Document];
  readonly shownId: string;
  readonly actions: ReturnType<typeof usePairActions>;
}

const NOTHING = '–';
/** Of buttons in narrow columns. */
const WRAPPING = { root: { height: 'auto' }, label: { whiteSpace: 'normal' as const } };

/** What is known of two documents, and what differs. */
export const ComparedFacts = ({ documents, shownId, actions }: Props): ReactNode => {
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
