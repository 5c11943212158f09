import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTexts } from '../../language/language.tsx';
import { Figure } from './figure.tsx';
import { analyticsTexts } from './texts.ts';

const REFRESH_MS = 5_000;

/** How busy the machine is. */
export const Machine = (): ReactNode => {
  const t = useTexts(analyticsTexts);
  const format = useFormat();
  const { data } = useCall('get /api/analytics/system', {}, { refetchIntervalMs: REFRESH_MS });
  if (data === undefined) return null;
  const percent = (title: string, value: number): ReactNode => (
    <Figure title={title} value={format.percent(value / 100)} share={value / 100} />
  );
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t.system}
      </Title>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm">
        {percent(t.cpu, data.cpu_usage)}
        {percent(t.memory, data.memory_usage)}
        {percent(t.disk, data.disk_usage)}
        <Figure title={t.connections} value={format.number(data.active_connections)} />
        <Figure title={t.uptime} value={format.duration(data.uptime_seconds)} />
      </SimpleGrid>
    </Stack>
  );
};
