import { Stack, Text, Title } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Mark } from '../../components/badges.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { type Answer, useCall } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

type Host = Answer<'get /api/hosts'>['data'][number];

const REFRESH_MS = 5_000;
const COLORS: Readonly<Record<Host['state'], string>> = { running: 'teal', draining: 'yellow', drained: 'gray', silent: 'red' };

const useColumns = (): readonly Column<Host>[] => {
  const t = useTranslate();
  const format = useFormat();
  return [
    {
      key: 'host',
      title: t('hosts.host'),
      cell: ({ host, version }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500} className="stranger">
            {host}
          </Text>
          <SmallNote>{version}</SmallNote>
        </Stack>
      ),
    },
    {
      key: 'state',
      title: t('health.state'),
      cell: ({ state, last_seen_at: at }) => <Mark text={t(`hosts.${state}`)} color={COLORS[state]} title={format.dateTime(at)} />,
    },
    {
      key: 'processes',
      title: t('health.processes'),
      cell: ({ processes, active, standby }) => (
        <Stack gap={0}>
          <Text size="sm">{processes.join(', ')}</Text>
          {active.length > 0 && <SmallNote>{t('hosts.active', { processes: active.join(', ') })}</SmallNote>}
          {standby.length > 0 && <SmallNote>{t('hosts.standby', { processes: standby.join(', ') })}</SmallNote>}
        </Stack>
      ),
    },
    {
      key: 'languages',
      title: t('hosts.languages'),
      cell: ({ languages }) => <Text size="sm">{languages.join(', ')}</Text>,
    },
    {
      key: 'cores',
      title: t('hosts.cores'),
      align: 'right',
      cell: ({ cores }) => <Text size="sm">{cores === null ? '' : format.number(cores)}</Text>,
    },
    {
      key: 'jobs',
      title: t('hosts.jobs'),
      align: 'right',
      cell: ({ active_jobs: jobs }) => <Text size="sm">{format.number(jobs)}</Text>,
    },
  ];
};

/** The hosts, where there is more than this one. */
export const Hosts = (): ReactNode => {
  const t = useTranslate();
  const { data } = useCall('get /api/hosts', {}, { refetchIntervalMs: REFRESH_MS });
  const columns = useColumns();
  if (data === undefined || data.data.length < 2) return null;
  return (
    <section aria-label={t('hosts.title')}>
      <Title order={2} size="h4" mb="sm">
        {t('hosts.title')}
      </Title>
      <RecordTable
        caption={t('hosts.title')}
        columns={columns}
        records={data.data}
        idOf={({ host }) => host}
        empty={<EmptyState icon={IconServer} title={t('health.noProcess')} />}
      />
    </section>
  );
};
