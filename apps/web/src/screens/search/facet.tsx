import { Checkbox, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useTranslate } from '../../language/language.tsx';

export const MOST_SHOWN = 8;

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly count: number | undefined;
  readonly isDisabled?: boolean;
}

interface FacetProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  /** Only a part of what was found is counted. */
  readonly isPart: boolean;
  readonly onToggle: (value: string) => void;
}

/** The values of one kind that what was found has, with how many have each. */
export const Facet = ({ title, choices, chosen, isPart, onToggle }: FacetProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  if (choices.length === 0) return null;
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {choices.map(({ value, label, count, isDisabled = false }) => (
        <Group key={value} justify="space-between" wrap="nowrap" gap="xs">
          <Checkbox
            size="sm"
            label={label}
            checked={chosen.includes(value)}
            disabled={isDisabled}
            onChange={() => onToggle(value)}
            classNames={{ label: 'stranger' }}
            style={{ minWidth: 0 }}
          />
          {count !== undefined && (
            <Text size="xs" c="dimmed">
              {isPart ? t('search.atLeast', { count: format.number(count) }) : format.number(count)}
            </Text>
          )}
        </Group>
      ))}
    </Stack>
  );
};

/** What is chosen stays to be seen, also where nothing found has it. */
export const choicesOf = (
  counts: Readonly<Record<string, number>>,
  chosen: readonly string[],
  nameOf: (value: string) => string,
): Choice[] => {
  const counted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const missing = chosen.filter((value) => counts[value] === undefined);
  return [
    ...counted.slice(0, MOST_SHOWN).map(([value, count]) => ({ value, label: nameOf(value), count })),
    ...missing.map((value) => ({ value, label: nameOf(value), count: 0 })),
  ];
};
