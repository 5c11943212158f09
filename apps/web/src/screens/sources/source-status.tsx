import { Badge, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import type { Source } from './source-draft.ts';

const COLORS: Readonly<Record<Source['status'], string>> = { active: 'teal', syncing: 'blue', error: 'red', disabled: 'gray' };

/** How a source is. */
export const SourceStatus = ({ status }: { readonly status: Source['status'] }): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      variant="light"
      tt="none"
      color={COLORS[status]}
      leftSection={status === 'syncing' ? <Loader size={10} color="blue" aria-hidden /> : undefined}
    >
      {t(`sourceScreen.${status}`)}
    </Badge>
  );
};
