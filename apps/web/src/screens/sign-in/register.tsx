import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { RegistrationForm } from '../../session/registration-form.tsx';
import { useSession } from '../../session/session.tsx';
import { FrontDoor } from './front-door.tsx';

/** Where everybody may make an account, this is how. */
const Register = (): ReactNode => {
  const t = useTranslate();
  const { signedIn } = useSession();
  const [, navigate] = useLocation();
  const [isWaiting, setWaiting] = useState(false);
  if (isWaiting)
    return (
      <FrontDoor title={t('entry.waitingTitle')}>
        <Text>{t('entry.waiting')}</Text>
        <Button component={Link} href="/">
          {t('entry.toSignIn')}
        </Button>
      </FrontDoor>
    );
  return (
    <FrontDoor title={t('entry.registerTitle')}>
      <RegistrationForm
        submitLabel={t('entry.register')}
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
