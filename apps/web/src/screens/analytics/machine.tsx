import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

const REFRESH_MS = 5_000;

/** How busy the machine is. */
export const Machine = (): ReactNode => {
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
