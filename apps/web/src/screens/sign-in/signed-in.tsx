import { Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { notifySignedIn } from '../../session/signed-in-elsewhere.ts';
import { EntryPage } from './entry-page.tsx';

/** Where the window ends in which somebody signed in to go on in another one. */
const SignedIn = (): ReactNode => {
  const t = useTranslate();
  useEffect(notifySignedIn, []);
  return (
    <EntryPage title={t('entry.signedInTitle')}>
      <Text>{t('entry.signedIn')}</Text>
    </EntryPage>
  );
};
export default SignedIn;
