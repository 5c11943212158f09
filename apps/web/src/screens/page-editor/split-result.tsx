import { Anchor, Card, List, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import type { Document } from '../document/document-facts.tsx';

/** The documents that a split has made. */
export const SplitResult = ({ documents }: { readonly documents: readonly Document[] }): ReactNode => {
  const t = useTranslate();
  const first = useRef<HTMLAnchorElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <Card withBorder padding="lg" role="status">
      <Text fw={600} mb="xs">
        {t('pageEditor.splitDone', { count: documents.length })}
      </Text>
      <List size="sm">
        {documents.map(({ id, title, page_count: count }, index) => (
          <List.Item key={id}>
            <Anchor ref={index === 0 ? first : undefined} component={Link} href={`/documents/${id}`} className="stranger">
              {title}
            </Anchor>
            {count !== null && ` · ${t('pageEditor.count', { count })}`}
          </List.Item>
        ))}
      </List>
    </Card>
  );
};
