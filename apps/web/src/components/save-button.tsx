import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  /** What it says once that is done. */
  readonly saved: string;
  readonly change: { readonly isPending: boolean; readonly isSuccess: boolean };
}

/** The end of a form that stays: saves it, and says so. */
export const SaveButton = ({ label, saved, change: { isPending, isSuccess } }: Props): ReactNode => (
  <Group>
    <Button type="submit" loading={isPending}>
      {label}
    </Button>
    <Text size="sm" c="dimmed" role="status">
      {isSuccess ? saved : ''}
    </Text>
  </Group>
);
