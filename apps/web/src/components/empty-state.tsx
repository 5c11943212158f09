import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';

interface Props {
  readonly icon: ComponentType<IconProps>;
  readonly title: string;
  /** What one could do about it. */
  readonly hint?: string;
  readonly children?: ReactNode;
}

/** Stands where a list has nothing. */
export const EmptyState = ({ icon: Icon, title, hint, children }: Props): ReactNode => (
  <Center mih={280} p="xl">
    <Stack align="center" gap="sm" maw={460}>
      <ThemeIcon size={64} radius="xl" variant="light">
        <Icon size={32} stroke={1.5} />
      </ThemeIcon>
      <Title order={2} size="h4" ta="center">
        {title}
      </Title>
      {hint !== undefined && (
        <Text c="dimmed" ta="center">
          {hint}
        </Text>
      )}
      {children}
    </Stack>
  </Center>
);
