import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.tsx';
import { defineTexts } from '../language/texts.ts';

const texts = defineTexts({
  en: { show: 'Show what is typed' },
  de: { show: 'Eingabe zeigen' },
});

/** A field for something secret, with all that those need who hear it. */
export const PasswordField = (props: PasswordInputProps): ReactNode => {
  const t = useTexts(texts);
  const isWrong = props.error !== undefined && props.error !== null && props.error !== false;
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': t.show }} aria-invalid={isWrong || undefined} {...props} />;
};
