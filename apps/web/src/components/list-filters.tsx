import { Select, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';

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

interface ChoiceFilterProps {
  readonly name: string;
  /** What it says while nothing is chosen. */
  readonly any: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** Whether its name stands above it, as beside fields that need theirs. */
  readonly hasLabel?: boolean;
}

/** Narrows a list to one of a few choices, or to none of them. */
export const ChoiceFilter = ({ name, any, choices, value, onChange, hasLabel = false }: ChoiceFilterProps): ReactNode => (
  <Select
    {...(hasLabel ? { label: name } : { 'aria-label': name })}
    placeholder={any}
    clearable
    data={choices}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
);

interface FindFieldProps extends Omit<TextInputProps, 'onChange' | 'value' | 'label'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** What is typed here narrows the list below it. */
export const FindField = ({ label, value, onChange, ...props }: FindFieldProps): ReactNode => (
  <TextInput
    aria-label={label}
    placeholder={label}
    leftSection={<IconSearch size={16} />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    {...props}
  />
);
