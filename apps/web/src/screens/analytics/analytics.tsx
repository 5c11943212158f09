import { Group, Progress, Select, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader, SectionCard } from '../../components/screen-parts.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { useCall } from '../../interface/call.ts';
import { useFormat, useTranslate, useTranslator } from '../../language/language.tsx';
import { kindName } from '../../language/names.ts';
import { useSession } from '../../session/session.tsx';
import { DayChart } from './charts.tsx';
import { everyYear } from './years.ts';

const PERIODS = [
  ['7', 'week'],
  ['30', 'month'],
  ['90', 'quarter'],
  ['365', 'year'],
] as const;

/** The library and the service in figures. */
const Analytics = (): ReactNode => {
  const { t, find, format } = useTranslator();
  const { reach } = useSession();
  const [state, change] = useAddressState(['days']);
  const days = PERIODS.find(([value]) => value === state.days)?.[0] ?? '30';
  const documents = useCall('get /api/analytics/documents', { query: { days } }, { keepPrevious: true });
  const processing = useCall('get /api/analytics/processing', { query: { days } }, { keepPrevious: true });
  const problem = documents.error ?? processing.error;
  return (
    <>
      <ScreenHeader title={t('analytics.title')} hint={t('analytics.hint')}>
        <Select
          aria-label={t('analytics.days')}
          w={140}
          data={PERIODS.map(([value, label]) => ({ value: value as string, label: t(`analytics.${label}`) }))}
          value={days}
          allowDeselect={false}
          onChange={(value) => change({ days: value ?? undefined })}
        />
      </ScreenHeader>
      <Stack gap="lg">
        {problem !== null && documents.data === undefined && <ProblemNote problem={problem} onRetry={() => void documents.refetch()} />}
        {documents.data === undefined || processing.data === undefined ? (
          problem === null && <Skeleton height={360} radius="md" />
        ) : (
          <>
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
              <Figure title={t('analytics.documents')} value={format.number(documents.data.total)} />
              <Figure title={t('analytics.stored')} value={format.bytes(documents.data.storage_bytes)} />
              <Figure title={t('analytics.processed')} value={format.number(processing.data.total_processed)} />
              <Figure title={t('analytics.success')} value={format.percent(processing.data.success_rate)} />
              <Figure title={t('analytics.average')} value={format.duration(processing.data.average_processing_time)} />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <DayChart
                title={t('analytics.perDay')}
                series={[{ name: t('analytics.documents'), color: 'var(--mantine-color-sheaf-6)' }]}
                days={documents.data.uploads_per_day.map(({ date, count }) => ({ date, [t('analytics.documents')]: count }))}
              />
              <DayChart
                title={t('analytics.readPerDay')}
                series={[
                  { name: t('analytics.succeeded'), color: 'var(--mantine-color-sheaf-6)' },
                  { name: t('analytics.failed'), color: 'var(--mantine-color-red-6)' },
                ]}
                days={processing.data.daily_stats.map(({ date, processed, failed }) => ({
                  date,
                  [t('analytics.succeeded')]: processed - failed,
                  [t('analytics.failed')]: failed,
                }))}
              />
              <DayChart
                title={t('analytics.perYear')}
                heading={t('document.documentDate')}
                nameOf={(year) => year}
                series={[{ name: t('analytics.documents'), color: 'var(--mantine-color-sheaf-6)' }]}
                days={everyYear(documents.data.by_document_year).map(({ date, count }) => ({ date, [t('analytics.documents')]: count }))}
              />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              <Ranking title={t('analytics.kinds')} counts={documents.data.by_mime_type} nameOf={kindName} />
              <Ranking title={t('analytics.labels')} counts={documents.data.by_label} />
              <Ranking title={t('filing.title.correspondent')} counts={documents.data.by_correspondent} most={10} />
              <Ranking title={t('filing.title.document_type')} counts={documents.data.by_document_type} />
              <Ranking
                title={t('analytics.sources')}
                counts={documents.data.by_source}
                nameOf={(route) => find(`routes.${route}`) ?? route}
              />
              <Ranking
                title={t('analytics.reasons')}
                counts={processing.data.failures_by_reason}
                nameOf={(reason) => find(`shortFailures.${reason}`) ?? reason}
              />
            </SimpleGrid>
          </>
        )}
        {reach('users.read') === 'all' && <People />}
        {reach('analytics.read') === 'all' && <Machine />}
      </Stack>
    </>
  );
};
export default Analytics;

/** Who uses the service. */
const People = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/analytics/users', {});
  if (data === undefined) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('analytics.users')}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure title={t('analytics.users')} value={format.number(data.total)} />
        <Figure title={t('analytics.activeDay')} value={format.number(data.active_day)} />
        <Figure title={t('analytics.activeWeek')} value={format.number(data.active_week)} />
        <Figure title={t('analytics.activeMonth')} value={format.number(data.active_month)} />
      </SimpleGrid>
      <Ranking
        title={t('analytics.uploaders')}
        counts={Object.fromEntries(data.top_uploaders.map(({ username, documents }) => [username, documents]))}
      />
    </Stack>
  );
};

const REFRESH_MS = 5_000;

/** How busy the machine is. */
const Machine = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/analytics/system', {}, { refetchIntervalMs: REFRESH_MS });
  if (data === undefined) return null;
  const percent = (title: string, value: number): ReactNode => (
    <Figure title={title} value={format.percent(value / 100)} share={value / 100} />
  );
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('analytics.system')}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        {percent(t('analytics.cpu'), data.cpu_usage)}
        {percent(t('analytics.memory'), data.memory_usage)}
        {percent(t('analytics.disk'), data.disk_usage)}
        <Figure title={t('analytics.connections')} value={format.number(data.active_connections)} />
        <Figure title={t('analytics.uptime')} value={format.duration(data.uptime_seconds)} />
      </SimpleGrid>
    </Stack>
  );
};

const MOST = 8;

interface Props {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly nameOf?: (name: string) => string;
  readonly most?: number;
}

/** What there is most of, by name, the most first. */
const Ranking = ({ title, counts, nameOf = (name) => name, most = MOST }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most);
  const largest = rows[0]?.[1] ?? 1;
  return (
    <SectionCard title={title}>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('analytics.none')}
        </Text>
      )}
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {rows.map(([name, count]) => (
          <li key={name}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" className="stranger" lineClamp={1}>
                {nameOf(name)}
              </Text>
              <Text size="sm" c="dimmed">
                {format.number(count)}
              </Text>
            </Group>
            <Progress value={(count / largest) * 100} size="sm" aria-hidden />
          </li>
        ))}
      </Stack>
    </SectionCard>
  );
};
