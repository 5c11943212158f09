import { Select } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props<C extends string> {
  readonly name: string;
  /** What it says while nothing is chosen. */
  readonly any: string;
  readonly choices: readonly C[];
  /** The label of a choice; without it, the choice itself. */
  readonly labelOf?: (choice: C) => string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** Whether its name stands above it, as beside fields that need theirs. */
  readonly hasLabel?: boolean;
}

/** Narrows a list to one of a few choices, or to none of them. */
export const ChoiceFilter = <C extends string>({ name, any, choices, labelOf, value, onChange, hasLabel = false }: Props<C>): ReactNode => (
  <Select
    {...(hasLabel ? { label: name } : { 'aria-label': name })}
    placeholder={any}
    clearable
    data={choices.map((choice) => ({ value: choice, label: labelOf?.(choice) ?? choice }))}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
);
