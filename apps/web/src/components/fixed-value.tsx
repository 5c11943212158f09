import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
}

/** A value among the fields of a form that cannot be changed there; it stands in a `dl`. */
export const FixedValue = ({ label, value }: Props): ReactNode => (
  <div>
    <Text component="dt" size="sm" fw={500}>
      {label}
    </Text>
    <Text component="dd" m={0} className="stranger">
      {value}
    </Text>
  </div>
);
