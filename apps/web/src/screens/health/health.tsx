import { Alert, Anchor, Badge, Card, Group, List, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { HealthStatus } from '@sheaf/vocabulary/health';
import { IconActivityHeartbeat } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader, SectionCard } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, useCall } from '../../interface/call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import { healthText } from '../../messages/service-problem.ts';
import { Backups } from './backups.tsx';
import { Hosts } from './hosts.tsx';

type Report = Answer<'get /api/health/storage'>;
type Disk = Report['disks'][number];

const STORAGE_REFRESH_MS = 30_000;

const DiskUse = ({ disk, threshold }: { readonly disk: Disk; readonly threshold: number }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const uses = disk.uses.map((use) => t(`storage.uses.${use}`)).join(', ');
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {uses}
        </Text>
        <Text size="sm">{t('storage.free', { free: format.bytes(disk.free), size: format.bytes(disk.size) })}</Text>
      </Group>
      <Progress
        value={disk.usage}
        color={disk.is_above_threshold ? 'red' : undefined}
        aria-label={`${t('storage.disk')}: ${uses}, ${format.percent(disk.usage / 100)}`}
      />
      <SmallNote className="stranger">
        {disk.path} · {t('storage.threshold', { percent: format.percent(threshold / 100) })}
      </SmallNote>
    </Stack>
  );
};

/** Where documents are stored, how much they take and how full the disks are. */
export const Storage = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/health/storage', {}, { refetchIntervalMs: STORAGE_REFRESH_MS });
  if (data === undefined) return null;
  return (
    <SectionCard title={t('storage.title')} hint={t(`storage.${data.type}`)}>
      <Stack gap={2}>
        {data.places.map((place) => (
          <Text key={place} size="sm" className="stranger">
            {place}
          </Text>
        ))}
        <Text size="sm">
          {t('documents.count', { count: data.documents })} · {t('storage.size', { size: format.bytes(data.documents_bytes) })}
        </Text>
      </Stack>
      {data.disks.map((disk) => (
        <DiskUse key={disk.path} disk={disk} threshold={data.warning_threshold} />
      ))}
      {data.backups_share_disk && <Alert color="yellow">{t('backups.sameDisk')}</Alert>}
    </SectionCard>
  );
};

type Health = Answer<'get /api/health/detailed'>;
type Process = Health['processes'][number];

const REFRESH_MS = 5_000;
const MOST_SOURCES = 100;
const COLORS: Readonly<Record<HealthStatus, string>> = { healthy: 'teal', warning: 'yellow', unhealthy: 'red' };

const State = ({ status }: { readonly status: HealthStatus }): ReactNode => {
  const t = useTranslate();
  return (
    <Badge variant="light" tt="none" color={COLORS[status]}>
      {t(`health.${status}`)}
    </Badge>
  );
};

const Parts = ({ components }: Pick<Health, 'components'>): ReactNode => {
  const translator = useTranslator();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} mb="lg">
      {Object.entries(components).map(([name, health]) => {
        const text = healthText(health, translator);
        return (
          <Card key={name} withBorder padding="md">
            <Group justify="space-between" mb={text === undefined ? 0 : 'xs'}>
              <Text fw={600}>{translator.find(`health.${name}`) ?? name}</Text>
              <State status={health.status} />
            </Group>
            {text !== undefined && (
              <Text size="sm" className="stranger">
                {text}
              </Text>
            )}
          </Card>
        );
      })}
    </SimpleGrid>
  );
};

const useColumns = (): readonly Column<Process>[] => {
  const t = useTranslate();
  const format = useFormat();
  const translator = useTranslator();
  return [
    {
      key: 'process',
      title: t('health.process'),
      cell: ({ name, instance, pid }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {instance === 0 ? name : `${name} ${format.number(instance + 1)}`}
          </Text>
          <SmallNote>pid {pid}</SmallNote>
        </Stack>
      ),
    },
    { key: 'state', title: t('health.state'), cell: ({ status }) => <State status={status} /> },
    {
      key: 'components',
      title: t('health.components'),
      cell: ({ components }) => (
        <Stack gap={2}>
          {Object.entries(components)
            .filter(([, { status }]) => status !== 'healthy')
            .map(([name, health]) => (
              <Text key={name} size="xs" className="stranger">
                {healthText(health, translator) ?? name}
              </Text>
            ))}
        </Stack>
      ),
    },
    {
      key: 'memory',
      title: t('health.memory'),
      align: 'right',
      isWhole: true,
      cell: ({ memory_bytes: bytes }) => <Text size="sm">{format.bytes(bytes)}</Text>,
    },
    { key: 'version', title: t('health.version'), cell: ({ version }) => <Text size="sm">{version}</Text> },
    {
      key: 'started',
      title: t('health.started'),
      isWhole: true,
      cell: ({ started_at: at }) => (
        <Text size="sm" title={format.dateTime(at)}>
          {format.ago(at)}
        </Text>
      ),
    },
  ];
};

/** The sources that are not well; nothing where all are, or where there is none. */
const Sources = (): ReactNode => {
  const t = useTranslate();
  const { data } = useCall('get /api/sources', { query: { per_page: MOST_SOURCES } }, { refetchIntervalMs: REFRESH_MS });
  const failing = data?.sources.filter(({ status }) => status === 'error') ?? [];
  if (failing.length === 0) return null;
  return (
    <Alert color="yellow" mb="lg" title={t('health.failingSources', { count: failing.length })}>
      <List size="sm">
        {failing.map(({ id, name, last_error: message, last_error_code: code }) => (
          <List.Item key={id} className="stranger">
            <Anchor component={Link} href={`/sources/${id}`} size="sm">
              {name}
            </Anchor>
            {message !== null && ': '}
            {message !== null && <CodeMessage namespace="sources" code={code ?? ''} message={message} />}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
};

/** How the service is. */
const HealthScreen = (): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/health/detailed', {}, { refetchIntervalMs: REFRESH_MS });
  const columns = useColumns();
  if (data === undefined)
    return (
      <>
        <ScreenHeader title={t('health.title')} hint={t('health.hint')} />
        {error === null ? <Skeleton height={240} radius="md" /> : <ProblemNote problem={error} onRetry={() => void refetch()} />}
      </>
    );
  const summary = { healthy: t('health.all'), warning: t('health.some'), unhealthy: t('health.none') };
  return (
    <>
      <ScreenHeader title={t('health.title')} hint={t('health.hint')} />
      <Alert color={COLORS[data.status]} mb="lg" role="status" icon={<IconActivityHeartbeat />}>
        {summary[data.status]}
      </Alert>
      <Title order={2} size="h4" mb="sm">
        {t('health.parts')}
      </Title>
      <Parts components={data.components} />
      <Sources />
      <Stack gap="lg" mb="lg">
        <Backups />
        <Storage />
        <Hosts />
      </Stack>
      <Title order={2} size="h4" mb="sm">
        {t('health.processes')}
      </Title>
      <RecordTable
        caption={t('health.processes')}
        columns={columns}
        records={data.processes}
        idOf={({ name, instance, pid }) => `${name} ${instance} ${pid}`}
        empty={<EmptyState icon={IconActivityHeartbeat} title={t('health.noProcess')} />}
      />
    </>
  );
};
export default HealthScreen;
