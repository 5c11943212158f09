import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
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
export const ChoiceFilter = ({ name, any, choices, value, onChange, hasLabel = false }: Props): ReactNode => (
  <Select
    {...(hasLabel ? { label: name } : { 'aria-label': name })}
    placeholder={any}
    clearable
    data={choices}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
);
