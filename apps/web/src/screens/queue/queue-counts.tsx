import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

/** The queue in numbers. */
export const QueueCounts = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/ocr/queue/status', {}, { refetchIntervalMs: 10_000 });
  const shown = (count: number | undefined): string => (count === undefined ? '–' : format.number(count));
  const end = data?.estimated_completion;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="md" role="status">
      <Figure title={t('queue.pending')} value={shown(data?.pending)} />
      <Figure title={t('queue.processing')} value={shown(data?.processing)} />
      <Figure title={t('queue.completedToday')} value={shown(data?.completed_today)} />
      <Figure title={t('queue.failed')} value={shown(data?.failed)} />
      <Figure
        title={t('queue.forecast')}
        value={data === undefined ? '–' : end === null || end === undefined ? t('queue.now') : format.ago(end)}
        {...(data === undefined || data.average_processing_time === 0
          ? {}
          : { hint: t('queue.average', { duration: format.duration(data.average_processing_time) }) })}
      />
    </SimpleGrid>
  );
};
