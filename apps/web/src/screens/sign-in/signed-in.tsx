import { Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../../language/language.tsx';
import { tellSignedIn } from '../../session/signed-in-elsewhere.ts';
import { FrontDoor } from './front-door.tsx';
import { doorTexts } from './texts.ts';

/** Where the window ends in which somebody signed in to go on in another one. */
const SignedIn = (): ReactNode => {
  const t = useTexts(doorTexts);
  useEffect(tellSignedIn, []);
  return (
    <FrontDoor title={t.signedInTitle}>
      <Text>{t.signedIn}</Text>
    </FrontDoor>
  );
};
export default SignedIn;
