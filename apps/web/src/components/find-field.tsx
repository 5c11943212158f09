import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props extends Omit<TextInputProps, 'onChange' | 'value' | 'label'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** What is typed here narrows the list below it. */
export const FindField = ({ label, value, onChange, ...props }: Props): ReactNode => (
  <TextInput
    aria-label={label}
    placeholder={label}
    leftSection={<IconSearch size={16} />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    {...props}
  />
);
