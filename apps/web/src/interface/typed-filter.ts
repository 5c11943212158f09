import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 200;

/**
 * What is typed into the field of a filter whose value stands in the address: sent a moment after the last key, and changed where the address
 * changes by other means, such as a link or the way back.
 */
export const useTypedFilter = (
  shown: string | undefined,
  send: (value: string) => void,
): readonly [typed: string, type: (value: string) => void] => {
  const [typed, setTyped] = useState(shown ?? '');
  const last = useRef(shown ?? '');
  const sendLater = useDebouncedCallback((value: string) => {
    last.current = value;
    send(value);
  }, TYPING_MS);
  useEffect(() => {
    if ((shown ?? '') === last.current) return;
    last.current = shown ?? '';
    setTyped(last.current);
  }, [shown]);
  const type = (value: string): void => {
    setTyped(value);
    sendLater(value);
  };
  return [typed, type];
};
