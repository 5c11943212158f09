import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../language/language.tsx';

/** A field for something secret, with all that those need who hear it. */
export const PasswordField = (props: PasswordInputProps): ReactNode => {
  const t = useTranslate();
  const isWrong = props.error !== undefined && props.error !== null && props.error !== false;
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t('common.show') }} aria-invalid={isWrong || undefined} {...props} />;
};
