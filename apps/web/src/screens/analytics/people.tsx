import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Figure } from '../../components/figure.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { Ranking } from './ranking.tsx';

/** Who uses the service. */
export const People = (): ReactNode => {
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
