import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import SignInAgain from '../../session/sign-in-again.tsx';
import { FactorsCard } from '../profile/factors-card.tsx';
import { EntryPage } from './signed-in.tsx';

/** All that who must have a second factor is shown before they have one: the service lets them do nothing else. */
const FactorNeeded = (): ReactNode => {
  const t = useTranslate();
  const { signOut } = useSession();
  return (
    <EntryPage title={t('entry.factorTitle')} hint={t('entry.factorHint')} wide>
      <FactorsCard />
      <Button variant="subtle" onClick={() => void signOut()}>
        {t('entry.signOut')}
      </Button>
      <SignInAgain />
    </EntryPage>
  );
};
export default FactorNeeded;
