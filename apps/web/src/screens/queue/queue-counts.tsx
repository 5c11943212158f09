import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

const Count = ({ title, value, hint }: { readonly title: string; readonly value: string; readonly hint?: string }): ReactNode => (
  <Card withBorder padding="md">
    <Text size="sm" c="dimmed">
      {title}
    </Text>
    <Text fz={26} fw={650} lh={1.3}>
      {value}
    </Text>
    {hint !== undefined && (
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    )}
  </Card>
);

/** The queue in numbers. */
export const QueueCounts = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/ocr/queue/status', {}, { refetchIntervalMs: 10_000 });
  const shown = (count: number | undefined): string => (count === undefined ? '–' : format.number(count));
  const end = data?.estimated_completion;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="md" role="status">
      <Count title={t('queue.pending')} value={shown(data?.pending)} />
      <Count title={t('queue.processing')} value={shown(data?.processing)} />
      <Count title={t('queue.completedToday')} value={shown(data?.completed_today)} />
      <Count title={t('queue.failed')} value={shown(data?.failed)} />
      <Count
        title={t('queue.forecast')}
        value={data === undefined ? '–' : end === null || end === undefined ? t('queue.now') : format.ago(end)}
        {...(data === undefined || data.average_processing_time === 0
          ? {}
          : { hint: t('queue.average', { duration: format.duration(data.average_processing_time) }) })}
      />
    </SimpleGrid>
  );
};
