import { Select, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { useCall } from '../../interface/use-call.ts';
import { kindName } from '../../language/kind-name.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { wayInTexts } from '../../language/ways-in.ts';
import { useSession } from '../../session/session.tsx';
import { DayChart } from './day-chart.tsx';
import { failureTexts } from './failure-texts.ts';
import { Figure } from './figure.tsx';
import { Machine } from './machine.tsx';
import { People } from './people.tsx';
import { Ranking } from './ranking.tsx';
import { analyticsTexts } from './texts.ts';

const PERIODS = [
  ['7', 'week'],
  ['30', 'month'],
  ['90', 'quarter'],
  ['365', 'year'],
] as const;

/** The word for a name of the interface; the name itself where there is none. */
const wordOf =
  (words: Readonly<Record<string, string>>) =>
  (name: string): string =>
    words[name] ?? name;

/** The library and the service in figures. */
const Analytics = (): ReactNode => {
  const t = useTexts(analyticsTexts);
  const ways = useTexts(wayInTexts);
  const reasons = useTexts(failureTexts);
  const format = useFormat();
  const { reach } = useSession();
  const [state, change] = useAddressState(['days']);
  const days = PERIODS.find(([value]) => value === state.days)?.[0] ?? '30';
  const documents = useCall('get /api/analytics/documents', { query: { days } }, { keepPrevious: true });
  const processing = useCall('get /api/analytics/processing', { query: { days } }, { keepPrevious: true });
  const problem = documents.error ?? processing.error;
  return (
    <>
      <ScreenHeader title={t.title} hint={t.hint}>
        <Select
          aria-label={t.days}
          w={140}
          data={PERIODS.map(([value, label]) => ({ value: value as string, label: t[label] }))}
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
              <Figure title={t.documents} value={format.number(documents.data.total)} />
              <Figure title={t.stored} value={format.bytes(documents.data.storage_bytes)} />
              <Figure title={t.processed} value={format.number(processing.data.total_processed)} />
              <Figure title={t.success} value={format.percent(processing.data.success_rate)} />
              <Figure title={t.average} value={format.duration(processing.data.average_processing_time)} />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <DayChart
                title={t.perDay}
                series={[{ name: t.documents, color: 'var(--mantine-color-sheaf-6)' }]}
                days={documents.data.uploads_per_day.map(({ date, count }) => ({ date, [t.documents]: count }))}
              />
              <DayChart
                title={t.readPerDay}
                series={[
                  { name: t.succeeded, color: 'var(--mantine-color-sheaf-6)' },
                  { name: t.failed, color: 'var(--mantine-color-red-6)' },
                ]}
                days={processing.data.daily_stats.map(({ date, processed, failed }) => ({
                  date,
                  [t.succeeded]: processed - failed,
                  [t.failed]: failed,
                }))}
              />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
              <Ranking title={t.kinds} counts={documents.data.by_mime_type} nameOf={kindName} />
              <Ranking title={t.labels} counts={documents.data.by_label} />
              <Ranking title={t.sources} counts={documents.data.by_source} nameOf={wordOf(ways)} />
              <Ranking title={t.reasons} counts={processing.data.failures_by_reason} nameOf={wordOf(reasons)} />
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
