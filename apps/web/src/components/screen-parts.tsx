import { Card, Center, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { type IconProps, IconSearch } from '@tabler/icons-react';
import { type ComponentType, type ReactNode, useEffect, useRef } from 'react';

/** A part of what is known about a document, with its heading. */
export const DocumentSection = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <Card withBorder padding="md" component="section" aria-label={title}>
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    {children}
  </Card>
);

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

interface SectionCardProps {
  readonly title: string;
  readonly hint?: string | undefined;
  /** At the end of the heading. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a screen with a heading of its own. */
export const SectionCard = ({ title, hint, action, children }: SectionCardProps): ReactNode => (
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

/** No screen was left yet. */
let isFirst = true;

/** Keeps the place of a hint that is not known yet, so that nothing moves when it comes. */
export const NO_HINT_YET = '\u00a0';

interface ScreenHeaderProps {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Buttons at its end. */
  readonly children?: ReactNode;
}

/** The heading of a screen; it names the browser's window too. */
export const ScreenHeader = ({ title, hint, children }: ScreenHeaderProps): ReactNode => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // who follows a link hears where they are, and goes on from there; at first the page begins at its beginning
    if (isFirst) isFirst = false;
    else if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} · Sheaf`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Stack gap={2} style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Title ref={heading} tabIndex={-1} order={1} size="h2" className="stranger" lineClamp={5}>
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
