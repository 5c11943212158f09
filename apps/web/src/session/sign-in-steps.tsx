import { Button, Divider, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../language/language.tsx';
import { PasswordForm, type SecondStep } from './password-form.tsx';
import { SecondStepForm } from './second-step-form.tsx';
import { useSession } from './session.tsx';
import { signInTexts } from './sign-in-texts.ts';

interface Props {
  /** Who it has to be. */
  readonly username?: string;
  /** Which of the steps is shown. */
  readonly onStep?: (step: 'first' | 'second') => void;
}

/** All ways in that there are here. */
export const SignInSteps = ({ username, onStep }: Props): ReactNode => {
  const t = useTexts(signInTexts);
  const { options, signedIn } = useSession();
  const [step, setStep] = useState<SecondStep>();
  const go = (next: SecondStep | undefined): void => {
    setStep(next);
    onStep?.(next === undefined ? 'first' : 'second');
  };
  if (step !== undefined) return <SecondStepForm step={step} onSignedIn={signedIn} onBack={() => go(undefined)} />;
  const returnTo = encodeURIComponent(location.pathname + location.search);
  const isFederated = options?.oidc_enabled === true || options?.saml_enabled === true;
  return (
    <Stack gap="md">
      <PasswordForm {...(username === undefined ? {} : { username })} onSignedIn={signedIn} onSecondStep={go} />
      {isFederated && <Divider label={t.or} />}
      {options?.oidc_enabled === true && (
        <Button component="a" href={`/api/auth/oidc/login?return_to=${returnTo}`} variant="default" fullWidth>
          {t.oidc}
        </Button>
      )}
      {options?.saml_enabled === true && (
        <Button component="a" href={`/api/auth/saml/login?return_to=${returnTo}`} variant="default" fullWidth>
          {t.saml}
        </Button>
      )}
    </Stack>
  );
};
