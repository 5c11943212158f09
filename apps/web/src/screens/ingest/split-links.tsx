import { Anchor, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat, useTranslate } from '../../language/language.tsx';

/** Of one line of a list. */
const MOST_SHOWN = 20;

/** As large as a finger needs it. */
const TARGET = { display: 'inline-block', minHeight: 24, minWidth: 24 };

interface Props {
  /** Of the import log: what a file was split into. */
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** To the documents that a file was split into; nothing where there are none. */
const SplitLinks = ({ details }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  // those that there were already among them
  const ids = ['parts', 'duplicates'].flatMap((name) => details?.[name] ?? []);
  const parts = [...new Set(ids)].filter((id) => typeof id === 'string');
  return (
    <Group gap={6}>
      {parts.slice(0, MOST_SHOWN).map((id, index) => (
        <Anchor key={id} component={Link} href={`/documents/${id}`} size="xs" py={4} style={TARGET}>
          {t('split.part', { number: format.number(index + 1) })}
        </Anchor>
      ))}
    </Group>
  );
};
export default SplitLinks;
