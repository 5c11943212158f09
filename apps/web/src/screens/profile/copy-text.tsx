import { Button, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';

/** Copies what is shown only once. */
export const CopyText = ({ text }: { readonly text: string }): ReactNode => {
  const t = useTranslate();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? t('profile.copied') : t('profile.copy')}
        </Button>
      )}
    </CopyButton>
  );
};
