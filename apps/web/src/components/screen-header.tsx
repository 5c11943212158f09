import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

/** No screen was left yet. */
let isFirst = true;

/** Keeps the place of a hint that is not known yet, so that nothing moves when it comes. */
export const NO_HINT_YET = '\u00a0';

interface Props {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Buttons at its end. */
  readonly children?: ReactNode;
}

/** The heading of a screen; it names the browser's window too. */
export const ScreenHeader = ({ title, hint, children }: Props): ReactNode => {
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
