import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../language/language.tsx';

/** When something was, from now; the time itself for those who point at it. */
export const Ago = ({ at, weight }: { readonly at: string; readonly weight?: number }): ReactNode => {
  const format = useFormat();
  return (
    <Text size="sm" fw={weight} title={format.dateTime(at)}>
      {format.ago(at)}
    </Text>
  );
};
