import { Badge, Loader } from '@mantine/core';
import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import type { ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';

const COLORS: Readonly<Record<DocumentStatus, string>> = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red' };

/** The state of a document or of its place in the queue, by a word and not by colour alone. */
export const StatusBadge = ({ status }: { readonly status: DocumentStatus }): ReactNode => {
  const t = useTranslate();
  return (
    <Badge
      color={COLORS[status]}
      variant="light"
      tt="none"
      leftSection={status === 'processing' ? <Loader size={10} color="blue" aria-hidden /> : undefined}
    >
      {t(`status.${status}`)}
    </Badge>
  );
};

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
