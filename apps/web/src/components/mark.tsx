import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly text: string;
  /** A grey frame where none is given. */
  readonly color?: string;
  readonly title?: string;
}

/** A word that marks a record, such as its state. */
export const Mark = ({ text, color, title }: Props): ReactNode => (
  <Badge variant={color === undefined ? 'default' : 'light'} tt="none" color={color} title={title}>
    {text}
  </Badge>
);
