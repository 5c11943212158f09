import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconColumns2 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { late } from '../../../app/late.ts';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { SmallNote } from '../../../components/small-note.tsx';
import { useHidden } from '../../../components/undo.tsx';
import { type Answer, useCall } from '../../../interface/call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';
import { usePairActions } from './use-pair-actions.ts';

type Similar = Answer<'get /api/documents/{id}/similar'>['data'][number];

const SideBySide = late(() => import('./side-by-side.tsx'));

interface ItemProps {
  readonly document: Document;
  readonly similar: Similar;
  readonly onCompare: () => void;
}

const SimilarItem = ({ document, similar, onCompare }: ItemProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { document: other } = similar;
  const actions = usePairActions(document, other);
  return (
    <li>
      <Anchor component={Link} href={`/documents/${other.id}`} size="sm" className="stranger">
        {other.title}
      </Anchor>
      <SmallNote>
        {t('similar.percent', { percent: format.percent(similar.similarity) })} · {format.dateTime(other.created_at)}
      </SmallNote>
      <Group gap="xs" mt={4}>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconColumns2 size={14} />}
          onPointerEnter={SideBySide.prepare}
          onFocus={SideBySide.prepare}
          onClick={onCompare}
        >
          {t('similar.compare')}
        </Button>
        {actions.mayDismiss && (
          <Button size="compact-xs" variant="default" loading={actions.isDismissing} onClick={actions.dismiss}>
            {t('similar.notDuplicate')}
          </Button>
        )}
        {actions.mayJoin(other) && (
          <Button size="compact-xs" variant="default" loading={actions.isJoining} onClick={() => actions.join(other)}>
            {t('similar.olderVersion')}
          </Button>
        )}
        {actions.mayRemove(other) && (
          <Button size="compact-xs" variant="default" c="red" onClick={() => actions.remove(other)}>
            {t('similar.remove')}
          </Button>
        )}
      </Group>
      <ProblemNote problem={actions.problem} />
    </li>
  );
};

/** The near-duplicates of a document; nothing where there are none. */
const SimilarDocuments = ({ document }: { readonly document: Document }): ReactNode => {
  const t = useTranslate();
  const { hidden } = useHidden();
  const { data } = useCall('get /api/documents/{id}/similar', { params: { id: document.id } });
  const [comparedId, setCompared] = useState<string>();
  const shown = data?.data.filter((similar) => !hidden.has(similar.document.id)) ?? [];
  const compared = shown.find((similar) => similar.document.id === comparedId);
  if (shown.length === 0) return null;
  return (
    <Card withBorder padding="md" component="section" aria-label={t('similar.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('similar.title')}
      </Title>
      <Text size="sm">{t('similar.hint')}</Text>
      <Stack gap="sm" component="ul" p={0} m={0} mt="xs" style={{ listStyle: 'none' }}>
        {shown.map((similar) => (
          <SimilarItem key={similar.document.id} document={document} similar={similar} onCompare={() => setCompared(similar.document.id)} />
        ))}
      </Stack>
      {compared !== undefined && (
        <SideBySide.Part
          shown={document}
          other={compared.document}
          similarity={compared.similarity}
          onClose={() => setCompared(undefined)}
        />
      )}
    </Card>
  );
};
export default SimilarDocuments;
