import { Anchor, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { SignInSteps } from '../../session/sign-in-steps.tsx';
import { signInTexts } from '../../session/sign-in-texts.ts';
import { FrontDoor } from './front-door.tsx';

const SignIn = (): ReactNode => {
  const t = useTexts(signInTexts);
  const { options } = useSession();
  const [step, setStep] = useState<'first' | 'second'>('first');
  return (
    <FrontDoor title={step === 'first' ? t.title : t.second} hint={step === 'first' ? t.welcome : undefined}>
      <SignInSteps onStep={setStep} />
      {options?.registration_enabled === true && step === 'first' && (
        <Group gap={6} justify="center">
          <Text size="sm">{t.registerHint}</Text>
          <Anchor component={Link} href="/register" size="sm">
            {t.register}
          </Anchor>
        </Group>
      )}
    </FrontDoor>
  );
};
export default SignIn;
