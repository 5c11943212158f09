import { Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ComparisonBody } from '@sheaf/contract/documents';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { useCall } from '../../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import './compare.css';

type Page = ComparisonBody['pages'][number];

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

const ComparedPage = ({ page: { page, change, is_detailed: isDetailed, parts } }: { readonly page: Page }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <section>
      <Group gap="xs">
        <Title order={3} size="h6">
          {t('versions.page', { number: format.number(page) })}
        </Title>
        <Text size="xs" c="dimmed">
          {t(`versions.${change}`)}
        </Text>
      </Group>
      {!isDetailed && (
        <Text size="xs" c="dimmed">
          {t('versions.notDetailed')}
        </Text>
      )}
      {parts.length > 0 && (
        <Text component="div" size="sm" className="stranger compared">
          {parts.map(({ kind, text }, index) => {
            const Element = ELEMENTS[kind];
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name, and an answer does not change
            return <Element key={index}>{text}</Element>;
          })}
        </Text>
      )}
    </section>
  );
};

interface Props {
  readonly documentId: string;
  readonly older: number;
  readonly newer: number;
  readonly onClose: () => void;
}

/** What of the text has changed from one version to another, page by page. */
export const CompareDialog = ({ documentId, older, newer, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [from, setFrom] = useState(1);
  const { data, error, refetch } = useCall(
    'get /api/documents/{id}/versions/{version}/compare/{other}',
    { params: { id: documentId, version: String(older), other: String(newer) }, query: { from } },
    { keepPrevious: true },
  );
  const to = Math.min(data?.total ?? 0, from + MAX_PAGES_PER_ANSWER - 1);
  const changed = data?.pages.filter(({ change }) => change !== 'same') ?? [];
  return (
    <Dialog
      opened
      onClose={onClose}
      size="xl"
      title={t('versions.compareTitle', { older: format.number(older), newer: format.number(newer) })}
    >
      <Stack gap="md">
        {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton height={160} radius="md" />}
        {data !== undefined && changed.length === 0 && <Alert color="gray">{t('versions.noDifference')}</Alert>}
        {changed.map((page) => (
          <ComparedPage key={page.page} page={page} />
        ))}
        {data !== undefined && data.total > MAX_PAGES_PER_ANSWER && (
          <Group justify="space-between">
            <Button variant="default" size="xs" disabled={from === 1} onClick={() => setFrom(Math.max(1, from - MAX_PAGES_PER_ANSWER))}>
              {t('table.previous')}
            </Button>
            <Text size="sm" c="dimmed">
              {t('table.range', { from: format.number(from), to: format.number(to), total: format.number(data.total) })}
            </Text>
            <Button variant="default" size="xs" disabled={to >= data.total} onClick={() => setFrom(from + MAX_PAGES_PER_ANSWER)}>
              {t('table.next')}
            </Button>
          </Group>
        )}
      </Stack>
    </Dialog>
  );
};
