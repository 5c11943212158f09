import { Anchor, Card, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { SmallNote } from '../../components/small-note.tsx';
import { partsOf } from '../../components/snippet-parts.ts';
import { Thumbnail } from '../../components/thumbnail.tsx';
import type { Answer } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { hitAddress } from './search-state.ts';

/** A snippet of a search answer as text with its hits marked, so that a document cannot write into this page. */
export const Marked = ({ snippet }: { readonly snippet: string }): ReactNode =>
  partsOf(snippet).map(({ text, isHit }, index) => (isHit ? <mark key={index}>{text}</mark> : text));

export type Hit = Answer<'get /api/search'>['results'][number];

interface Props {
  readonly hit: Hit;
  readonly query: string;
}

/** One document that was found, with the places where the words stand; it opens at the page of the best one. */
export const SearchHit = ({ hit, query }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const title = hit.highlights.find(({ field }) => field === 'title');
  const others = hit.highlights.filter(({ field }) => field !== 'title');
  const facts = [
    hit.correspondent?.name,
    hit.document_type?.name,
    hit.document_date === null ? undefined : t('search.documentDate', { day: format.day(hit.document_date) }),
  ].filter((part) => part !== undefined);
  return (
    <Card withBorder padding="md" component="li">
      <Group wrap="nowrap" align="flex-start" gap="md">
        <Thumbnail id={hit.document_id} mimeType={hit.mime_type} size={72} />
        <Stack gap={4} style={{ minWidth: 0, flex: 1 }}>
          <Anchor component={Link} href={hitAddress(hit, query)} fw={600} className="stranger" lineClamp={3} data-hit>
            {title === undefined ? hit.title : <Marked snippet={title.snippet} />}
          </Anchor>
          {others.map(({ field, snippet }) => (
            <Text key={`${field} ${snippet}`} size="sm" className="stranger" lineClamp={3}>
              {field === 'note' && `${t('search.inNote')} `}
              <Marked snippet={snippet} />
            </Text>
          ))}
          {facts.length > 0 && (
            <Text size="xs" className="stranger">
              {facts.join(' · ')}
            </Text>
          )}
          <SmallNote className="stranger">
            {[
              hit.filename,
              format.date(hit.created_at),
              hit.page === null ? undefined : t('search.page', { page: format.number(hit.page) }),
            ]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </SmallNote>
        </Stack>
      </Group>
    </Card>
  );
};
