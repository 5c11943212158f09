import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** `stranger` where somebody else wrote it. */
  readonly className?: 'stranger';
  readonly lineClamp?: number;
  readonly children: ReactNode;
}

/** What is said beside something in smaller letters: less important, and only for those who look. */
export const SmallNote = (props: Props): ReactNode => <Text size="xs" c="dimmed" {...props} />;
