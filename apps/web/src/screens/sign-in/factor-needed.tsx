import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import SignInAgain from '../../session/sign-in-again.tsx';
import { FactorsCard } from '../profile/factors-card.tsx';
import { FrontDoor } from './front-door.tsx';
import { doorTexts } from './texts.ts';

/** All that who must have a second factor is shown before he has one: the service lets him do nothing else. */
const FactorNeeded = (): ReactNode => {
  const t = useTexts(doorTexts);
  const { signOut } = useSession();
  return (
    <FrontDoor title={t.factorTitle} hint={t.factorHint} wide>
      <FactorsCard />
      <Button variant="subtle" onClick={() => void signOut()}>
        {t.signOut}
      </Button>
      <SignInAgain />
    </FrontDoor>
  );
};
export default FactorNeeded;
