import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';

/** All rules for a new password in a line; undefined until they are known. */
export const usePasswordHint = (): string | undefined => {
  const t = useTranslate();
  const rules = useSession().options?.password_rules;
  if (rules === undefined) return undefined;
  return t('registration.passwordHint', {
    minimum: rules.min_length,
    number: rules.require_numbers ? 'yes' : 'no',
    special: rules.require_special ? 'yes' : 'no',
  });
};

/** A field for something secret, with all that those need who hear it. */
export const PasswordField = (props: PasswordInputProps): ReactNode => {
  const t = useTranslate();
  const isWrong = props.error !== undefined && props.error !== null && props.error !== false;
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('common.show') }} aria-invalid={isWrong || undefined} {...props} />;
};

interface TextFieldProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** One line of text. */
export const TextField = ({ onChange, ...props }: TextFieldProps): ReactNode => (
  <TextInput onChange={(event) => onChange(event.currentTarget.value)} {...props} />
);

/** The name of what a dialog makes or changes: its first field, and never empty. */
export const NameField = (props: TextFieldProps): ReactNode => <TextField required withAsterisk={false} data-autofocus {...props} />;

interface EmailProps extends Pick<TextInputProps, 'label' | 'error' | 'autoComplete' | 'required' | 'readOnly'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An e-mail address. */
export const EmailField = ({ onChange, ...props }: EmailProps): ReactNode => (
  <TextInput type="email" withAsterisk={false} onChange={(event) => onChange(event.currentTarget.value)} {...props} />
);

interface DateFieldProps {
  readonly label: string;
  /** YYYY-MM-DD; undefined while there is none. */
  readonly value: string | undefined;
  readonly onChange: (day: string) => void;
}

/** A day, or none. */
export const DateField = ({ label, value, onChange }: DateFieldProps): ReactNode => (
  <TextField type="date" label={label} value={value ?? ''} onChange={onChange} />
);
