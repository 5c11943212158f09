import { Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SectionCard } from '../../components/section-card.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';

const MOST = 8;

interface Props {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly nameOf?: (name: string) => string;
  readonly most?: number;
}

/** What there is most of, by name, the most first. */
export const Ranking = ({ title, counts, nameOf = (name) => name, most = MOST }: Props): ReactNode => {
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
