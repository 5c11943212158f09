import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends Omit<TextInputProps, 'onChange' | 'value'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** One line of text. */
export const TextField = ({ onChange, ...props }: Props): ReactNode => (
  <TextInput onChange={(event) => onChange(event.currentTarget.value)} {...props} />
);

/** The name of what a dialog makes or changes: its first field, and never empty. */
export const NameField = (props: Props): ReactNode => <TextField required withAsterisk={false} data-autofocus {...props} />;

interface EmailProps extends Pick<TextInputProps, 'label' | 'error' | 'autoComplete' | 'required' | 'readOnly'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An e-mail address. */
export const EmailField = ({ onChange, ...props }: EmailProps): ReactNode => (
  <TextInput type="email" withAsterisk={false} onChange={(event) => onChange(event.currentTarget.value)} {...props} />
);
