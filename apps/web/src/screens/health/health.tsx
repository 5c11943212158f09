import { Alert, Anchor, Badge, Card, Group, List, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { HealthStatus } from '@sheaf/vocabulary/health';
import { IconActivityHeartbeat } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import type { Answer } from '../../interface/call.ts';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';
import { CodeMessage } from '../../messages/code-message.tsx';
import { healthText } from '../../messages/service-problem.ts';
import { Backups } from './backups.tsx';
import { Hosts } from './hosts.tsx';
import { Storage } from './storage.tsx';

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
