import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useLanguage } from '../language/language.tsx';
import { named } from '../language/texts.ts';
import { say, type WordsByCode } from './words.ts';

interface Props<C extends string> {
  readonly words: WordsByCode<C>;
  /** Null or unknown: the message is all there is. */
  readonly code: string | null;
  /** In the service's own words. */
  readonly message: string;
}

/** What the service says of something, in the language of the reader; its own words stand below where they say more than the code. */
export const Said = <C extends string>({ words, code, message }: Props<C>): ReactNode => {
  const language = useLanguage();
  const format = useFormat();
  const own = code === null ? undefined : say(words[language], code, {}, format);
  if (own === undefined) return named(message);
  if (message === '' || message === say(words.en, code ?? '', {}, format)) return own;
  return (
    <>
      {own}
      <Text component="span" display="block" size="xs" c="dimmed" lang="en">
        {named(message)}
      </Text>
    </>
  );
};
