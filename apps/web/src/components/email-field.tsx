import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends Pick<TextInputProps, 'label' | 'error' | 'autoComplete' | 'required' | 'readOnly'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An e-mail address. */
export const EmailField = ({ onChange, ...props }: Props): ReactNode => (
  <TextInput type="email" withAsterisk={false} onChange={(event) => onChange(event.currentTarget.value)} {...props} />
);
