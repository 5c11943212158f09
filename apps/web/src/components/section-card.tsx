import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly hint?: string | undefined;
  /** At the end of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a screen with a heading of its own. */
export const SectionCard = ({ title, hint, action, children }: Props): ReactNode => (
  <Card withBorder padding="lg" component="section" aria-label={title}>
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} style={{ flex: '1 1 200px' }}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {hint !== undefined && (
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          )}
        </Stack>
        {action}
      </Group>
      {children}
    </Stack>
  </Card>
);
