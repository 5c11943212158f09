import { Text } from '@mantine/core';
import { withoutBidiControls } from '@sheaf/messages';
import type { ReactNode } from 'react';
import { useTranslator } from '../language/language.tsx';

interface Props {
  readonly namespace: 'failures' | 'sources';
  /** Null or unknown: the message is all there is. */
  readonly code: string | null;
  /** The message of the service, in English. */
  readonly message: string;
}

/** The message of a code in the reader's language. The service's own message stands below it where it says more. */
export const CodeMessage = ({ namespace, code, message }: Props): ReactNode => {
  const { find } = useTranslator();
  const text = code === null ? undefined : find(`${namespace}.${code}`);
  if (text === undefined) return withoutBidiControls(message);
  if (message === '' || message === find(`english.${namespace}.${code}`)) return text;
  return (
    <>
      {text}
      <Text component="span" display="block" size="xs" c="dimmed" lang="en">
        {withoutBidiControls(message)}
      </Text>
    </>
  );
};
