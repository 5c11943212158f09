import { Anchor, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconPencil, IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useCall } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import type { Source as SourceOf } from './source-draft.ts';
import { SourceForm } from './source-form.tsx';
import { SourceStatus, SyncRun } from './source-status.tsx';
import { useSourceActions } from './use-source-actions.ts';

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <Stack gap={0}>
    <Text size="xs" c="dimmed" component="dt">
      {name}
    </Text>
    <Text size="sm" component="dd" m={0} className="stranger">
      {children}
    </Text>
  </Stack>
);

const Facts = ({ source }: { readonly source: SourceOf }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const settings: Readonly<Record<string, unknown>> = source.settings;
  const place =
    source.type === 'webdav'
      ? (source.url ?? '')
      : [settings['endpoint_url'], settings['bucket'], settings['prefix'], settings['path']].filter(Boolean).join(' / ');
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} spacing="md" m={0}>
      <Fact name={t('sourceScreen.type')}>{t(`sourceScreen.${source.type}`)}</Fact>
      <Fact name={source.type === 'webdav' ? t('sourceScreen.url') : t('sourceScreen.path')}>{place}</Fact>
      <Fact name={t('sourceScreen.lastSync')}>
        {source.last_sync === null ? t('sourceScreen.never') : format.dateTime(source.last_sync)}
      </Fact>
      <Fact name={t('sourceScreen.nextSync')}>
        {source.next_sync === null ? t('sourceScreen.byHand') : format.dateTime(source.next_sync)}
      </Fact>
      <Fact name={t('sourceScreen.patterns')}>{source.file_patterns.join(', ')}</Fact>
      <Fact name={t('sourceScreen.removal')}>
        {settings['on_remote_delete'] === 'delete' ? t('sourceScreen.delete') : t('sourceScreen.keep')}
      </Fact>
    </SimpleGrid>
  );
};

const Connection = ({ sourceId }: { readonly sourceId: string }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/health/sources/{source_id}', { params: { source_id: sourceId } }, { refetchIntervalMs: 30_000 });
  return (
    <Stack gap={4}>
      <Text size="sm" className="stranger">
        {data === undefined ? '…' : <CodeMessage namespace="sources" code={data.code} message={data.message} />}
      </Text>
      <SmallNote>
        {data?.last_check === null || data === undefined
          ? t('sourceScreen.notChecked')
          : t('sourceScreen.checked', { when: format.ago(data.last_check) })}
      </SmallNote>
    </Stack>
  );
};

/** One source: how it is, what its last run did, and everything one can do with it. */
const Source = (): ReactNode => {
  const t = useTranslate();
  const { id } = useParams<{ id: string }>();
  const { data, error, refetch } = useCall('get /api/sources/{id}', { params: { id } });
  const [isEdited, setEdited] = useState(false);
  const { mayDo, sync, cancel, remove, isStarting } = useSourceActions();
  if (data === undefined)
    return error === null ? (
      <>
        <ScreenHeader title={t('sourceScreen.title')} />
        <Skeleton height={240} radius="md" />
      </>
    ) : (
      <>
        <ScreenHeader title={t('sourceScreen.title')} />
        <ProblemNote problem={error} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <Anchor component={Link} href="/sources" size="sm" mb="xs" style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
        <IconArrowLeft size={14} /> {t('sourceScreen.back')}
      </Anchor>
      <ScreenHeader title={data.name}>
        <SourceStatus status={data.status} />
        {mayDo('sources.sync', data) &&
          (data.status === 'syncing' ? (
            <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={() => cancel(data)}>
              {t('sourceScreen.cancelSync')}
            </Button>
          ) : (
            <Button leftSection={<IconRefresh size={16} />} disabled={!data.enabled} loading={isStarting} onClick={() => sync(data)}>
              {t('sourceScreen.sync')}
            </Button>
          ))}
        {mayDo('sources.update', data) && (
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEdited(true)}>
            {t('sourceScreen.edit')}
          </Button>
        )}
        {mayDo('sources.delete', data) && (
          <Button variant="default" c="red" leftSection={<IconTrash size={16} />} onClick={() => remove(data)}>
            {t('sourceScreen.remove')}
          </Button>
        )}
      </ScreenHeader>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card withBorder padding="md">
          <Title order={2} size="h4" mb="sm">
            {t('sourceScreen.lastRun')}
          </Title>
          <SyncRun sourceId={data.id} />
          <Group mt="md">
            <Anchor component={Link} href={`/documents?source=${data.id}`} size="sm">
              {t('sourceScreen.showDocuments')}
            </Anchor>
            <Anchor component={Link} href={`/ingest?route=${data.type}`} size="sm">
              {t('sourceScreen.whatHappened')}
            </Anchor>
          </Group>
          <Title order={2} size="h4" mt="lg" mb="sm">
            {t('sourceScreen.health')}
          </Title>
          <Connection sourceId={data.id} />
        </Card>
        <Card withBorder padding="md">
          <Title order={2} size="h4" mb="sm">
            {t('sourceScreen.checks')}
          </Title>
          <Facts source={data} />
        </Card>
      </SimpleGrid>
      {isEdited && <SourceForm source={data} onClose={() => setEdited(false)} />}
    </>
  );
};
export default Source;
