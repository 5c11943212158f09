import { Anchor, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconCloudDownload, IconPlayerStop, IconRefresh } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { CreateButton } from '../../components/buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useHidden } from '../../components/undo.tsx';
import { useCall } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import { useSession } from '../../session/session.tsx';
import type { Source } from './source-draft.ts';
import { SourceForm } from './source-form.tsx';
import { SourceStatus, SyncRun } from './source-status.tsx';
import { useSourceActions } from './use-source-actions.ts';

const MOST = 100;

const SourceCard = ({ source }: { readonly source: Source }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { mayDo, sync, cancel, isStarting } = useSourceActions();
  const { last_sync: last, next_sync: next } = source;
  return (
    <Card withBorder padding="md" component="li">
      <Stack gap="sm" h="100%">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Stack gap={0} style={{ minWidth: 0 }}>
            <Anchor component={Link} href={`/sources/${source.id}`} fw={600} className="stranger">
              {source.name}
            </Anchor>
            <SmallNote>
              {t(`sourceScreen.${source.type}`)} · {t('sourceScreen.documents', { count: source.document_count })}
            </SmallNote>
          </Stack>
          <SourceStatus status={source.status} />
        </Group>
        {source.status === 'syncing' && <SyncRun sourceId={source.id} />}
        {source.last_error !== null && source.status === 'error' && (
          <Text size="sm" c="red" className="stranger" lineClamp={3}>
            <CodeMessage namespace="sources" code={source.last_error_code} message={source.last_error} />
          </Text>
        )}
        <Group justify="space-between" mt="auto" align="flex-end">
          <Stack gap={0}>
            <SmallNote>
              {t('sourceScreen.lastSync')}: {last === null ? t('sourceScreen.never') : format.ago(last)}
            </SmallNote>
            <SmallNote>
              {t('sourceScreen.nextSync')}: {next === null ? t('sourceScreen.byHand') : format.ago(next)}
            </SmallNote>
          </Stack>
          {mayDo('sources.sync', source) &&
            (source.status === 'syncing' ? (
              <Button size="xs" variant="default" leftSection={<IconPlayerStop size={14} />} onClick={() => cancel(source)}>
                {t('sourceScreen.cancelSync')}
              </Button>
            ) : (
              <Button
                size="xs"
                variant="light"
                leftSection={<IconRefresh size={14} />}
                disabled={!source.enabled}
                loading={isStarting}
                onClick={() => sync(source)}
              >
                {t('sourceScreen.sync')}
              </Button>
            ))}
        </Group>
      </Stack>
    </Card>
  );
};

/** All sources the user may see. */
const Sources = (): ReactNode => {
  const t = useTranslate();
  const { may } = useSession();
  const [isMaking, setMaking] = useState(false);
  const { hidden } = useHidden();
  const { data, error, refetch } = useCall('get /api/sources', { query: { per_page: MOST } });
  const sources = data?.sources.filter(({ id }) => !hidden.has(id));
  const createButton = may('sources.create') && <CreateButton label={t('sourceScreen.create')} onClick={() => setMaking(true)} />;
  return (
    <>
      <ScreenHeader title={t('sourceScreen.title')} hint={t('sourceScreen.hint')}>
        {createButton}
      </ScreenHeader>
      {data === undefined && error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
          <Skeleton height={150} radius="md" />
          <Skeleton height={150} radius="md" />
        </SimpleGrid>
      )}
      {sources?.length === 0 && (
        <EmptyState icon={IconCloudDownload} title={t('sourceScreen.none')} hint={t('sourceScreen.noneHint')}>
          {createButton}
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {sources?.map((source) => (
          <SourceCard key={source.id} source={source} />
        ))}
      </SimpleGrid>
      {isMaking && <SourceForm source={undefined} onClose={() => setMaking(false)} />}
    </>
  );
};
export default Sources;
