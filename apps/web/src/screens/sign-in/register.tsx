import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../../language/language.tsx';
import { RegistrationForm } from '../../session/registration-form.tsx';
import { useSession } from '../../session/session.tsx';
import { FrontDoor } from './front-door.tsx';
import { doorTexts } from './texts.ts';

/** Where everybody may make an account, this is how. */
const Register = (): ReactNode => {
  const t = useTexts(doorTexts);
  const { signedIn } = useSession();
  const [, navigate] = useLocation();
  const [isWaiting, setWaiting] = useState(false);
  if (isWaiting)
    return (
      <FrontDoor title={t.waitingTitle}>
        <Text>{t.waiting}</Text>
        <Button component={Link} href="/">
          {t.toSignIn}
        </Button>
      </FrontDoor>
    );
  return (
    <FrontDoor title={t.registerTitle}>
      <RegistrationForm
        submitLabel={t.register}
        onWaiting={() => setWaiting(true)}
        onSignedIn={async () => {
          navigate('/documents', { replace: true });
          await signedIn();
        }}
      />
    </FrontDoor>
  );
};
export default Register;
