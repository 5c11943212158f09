import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of what is known about a document, with its heading. */
export const DocumentSection = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => (
  <Card withBorder padding="md" component="section" aria-label={title}>
    <Title order={2} size="h5" mb="sm">
      {title}
    </Title>
    {children}
  </Card>
);
