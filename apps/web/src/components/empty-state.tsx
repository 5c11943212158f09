import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { type IconProps, IconSearch } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';

export interface EmptyStateProps {
  readonly icon: ComponentType<IconProps>;
  readonly title: string;
  /** What one could do about it. */
  readonly hint?: string;
  readonly children?: ReactNode;
}

/** Stands where a list has nothing. */
export const EmptyState = ({ icon: Icon, title, hint, children }: EmptyStateProps): ReactNode => (
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

/** The same for a list that is narrowed: where it is, nothing was found, which says nothing of the list. */
export const EmptyList = ({ noneFound, ...whole }: EmptyStateProps & { readonly noneFound: string | undefined }): ReactNode =>
  noneFound === undefined ? <EmptyState {...whole} /> : <EmptyState icon={IconSearch} title={noneFound} />;
