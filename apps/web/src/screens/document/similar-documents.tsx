import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useHidden, useUndoable } from '../../components/undo.tsx';
import { type Answer, call, type Operation } from '../../interface/call.ts';
import { refresh, useCall, useChange } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

type Similar = Answer<'get /api/documents/{id}/similar'>['data'][number];

const SHOWS_SIMILAR: readonly Operation[] = ['get /api/documents/{id}/similar', 'get /api/documents', 'get /api/search'];

/** What shows what a document is joined with. */
const SHOWS_DOCUMENT: readonly Operation[] = ['get /api/documents/{id}', 'get /api/documents/{id}/versions'];

interface MayDo {
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
}

const SimilarItem = ({ documentId, similar, mayChange, mayDelete }: MayDo & { readonly documentId: string; readonly similar: Similar }) => {
  const t = useTranslate();
  const format = useFormat();
  const client = useQueryClient();
  const undoable = useUndoable();
  const { hide, show } = useHidden();
  const dismiss = useChange('post /api/documents/{id}/similar/{other_id}/dismiss', SHOWS_SIMILAR);
  const join = useChange('post /api/documents/{id}/versions', [...SHOWS_SIMILAR, ...SHOWS_DOCUMENT]);
  const { id, title, created_at: createdAt } = similar.document;
  const remove = (): void => {
    hide([id]);
    undoable({
      message: t('document.removed', { title }),
      commit: async () => {
        await call('delete /api/documents/{id}', { params: { id } });
        await refresh(client, SHOWS_SIMILAR);
        show([id]);
      },
      restore: () => show([id]),
    });
  };
  return (
    <li>
      <Anchor component={Link} href={`/documents/${id}`} size="sm" className="stranger">
        {title}
      </Anchor>
      <Text size="xs" c="dimmed">
        {t('similar.percent', { percent: format.percent(similar.similarity) })} · {format.dateTime(createdAt)}
      </Text>
      <Group gap="xs" mt={4}>
        <Button
          component="a"
          href={`/documents/${id}`}
          target="_blank"
          rel="noopener"
          size="compact-xs"
          variant="default"
          leftSection={<IconExternalLink size={14} />}
        >
          {t('similar.open')}
        </Button>
        {mayChange && (
          <Button
            size="compact-xs"
            variant="default"
            loading={dismiss.isPending}
            onClick={() => dismiss.mutate({ params: { id: documentId, other_id: id } })}
          >
            {t('similar.notDuplicate')}
          </Button>
        )}
        {mayChange && mayDelete && (
          <Button
            size="compact-xs"
            variant="default"
            loading={join.isPending}
            onClick={() => join.mutate({ params: { id: documentId }, body: { document_id: id } })}
          >
            {t('similar.olderVersion')}
          </Button>
        )}
        {mayDelete && (
          <Button size="compact-xs" variant="default" c="red" onClick={remove}>
            {t('similar.remove')}
          </Button>
        )}
      </Group>
      <ProblemNote problem={dismiss.error ?? join.error} />
    </li>
  );
};

/** The near-duplicates of a document; nothing where there are none. */
const SimilarDocuments = ({ documentId, mayChange, mayDelete }: MayDo & { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const { hidden } = useHidden();
  const { data } = useCall('get /api/documents/{id}/similar', { params: { id: documentId } });
  const shown = data?.data.filter(({ document }) => !hidden.has(document.id)) ?? [];
  if (shown.length === 0) return null;
  return (
    <Card withBorder padding="md" component="section" aria-label={t('similar.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('similar.title')}
      </Title>
      <Text size="sm">{t('similar.hint')}</Text>
      <Stack gap="sm" component="ul" p={0} m={0} mt="xs" style={{ listStyle: 'none' }}>
        {shown.map((similar) => (
          <SimilarItem key={similar.document.id} documentId={documentId} similar={similar} mayChange={mayChange} mayDelete={mayDelete} />
        ))}
      </Stack>
    </Card>
  );
};
export default SimilarDocuments;
