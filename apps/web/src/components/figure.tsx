import { Card, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SmallNote } from './small-note.tsx';

interface Props {
  readonly title: string;
  readonly value: string;
  readonly hint?: string;
  /** 0 to 1, drawn as a bar. */
  readonly share?: number;
}

/** One number. */
export const Figure = ({ title, value, hint, share }: Props): ReactNode => (
  <Card withBorder padding="md">
    <Text size="sm" c="dimmed">
      {title}
    </Text>
    <Text fz={24} fw={650} lh={1.35}>
      {value}
    </Text>
    {hint !== undefined && <SmallNote>{hint}</SmallNote>}
    {share !== undefined && <Progress value={share * 100} size="sm" mt={6} color={share > 0.9 ? 'red' : undefined} aria-hidden />}
  </Card>
);
