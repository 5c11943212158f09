import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface Props {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Buttons at its end. */
  readonly children?: ReactNode;
}

/** The heading of a screen; it names the browser's window too. */
export const ScreenHeader = ({ title, hint, children }: Props): ReactNode => {
  useEffect(() => {
    document.title = `${title} · Sheaf`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Stack gap={2} style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Title order={1} size="h2" className="stranger" lineClamp={5}>
          {title}
        </Title>
        {hint !== undefined && (
          <Text c="dimmed" size="sm">
            {hint}
          </Text>
        )}
      </Stack>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
};
