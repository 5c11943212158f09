import { Badge, Loader } from '@mantine/core';
import type { DocumentStatus } from '@sheaf/contract';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { pending: 'waiting', processing: 'being read', completed: 'read', failed: 'not read' },
  de: { pending: 'wartet', processing: 'wird gelesen', completed: 'gelesen', failed: 'nicht gelesen' },
});

const COLORS: Readonly<Record<DocumentStatus, string>> = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red' };

/** The state of a document or of its place in the queue, by a word and not by colour alone. */
export const StatusBadge = ({ status }: { readonly status: DocumentStatus }): ReactNode => {
  const t = useTexts(texts);
  return (
    <Badge
      color={COLORS[status]}
      variant="light"
      tt="none"
      leftSection={status === 'processing' ? <Loader size={10} color="blue" aria-hidden /> : undefined}
    >
      {t[status]}
    </Badge>
  );
};
