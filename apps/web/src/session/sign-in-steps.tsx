import { Alert, Divider, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../language/language.tsx';
import { FederatedButton, type FederatedMethod } from './federated-button.tsx';
import { PasswordForm, type SecondStep } from './password-form.tsx';
import { SecondStepForm } from './second-step-form.tsx';
import { useSession } from './session.tsx';

interface Props {
  /** Who it has to be. */
  readonly username?: string;
  /** The identity providers that one may go to from here. */
  readonly federated?: readonly FederatedMethod[];
  /** Why an earlier try did not lead in. */
  readonly refusal?: string | undefined;
  /** Which of the steps is shown. */
  readonly onStep?: (step: 'first' | 'second') => void;
}

/** Name and password with what follows them, or an identity provider. */
export const SignInSteps = ({ username, federated = [], refusal, onStep }: Props): ReactNode => {
  const t = useTranslate();
  const { signedIn } = useSession();
  const [step, setStep] = useState<SecondStep>();
  const [lastUsername, setLastUsername] = useState('');
  const [isTooLate, setTooLate] = useState(false);
  const go = (next: SecondStep | undefined): void => {
    setTooLate(false);
    setStep(next);
    onStep?.(next === undefined ? 'first' : 'second');
  };
  const startAgain = (): void => {
    go(undefined);
    setTooLate(true);
  };
  if (step !== undefined) return <SecondStepForm step={step} onSignedIn={signedIn} onBack={() => go(undefined)} onTooLate={startAgain} />;
  const notice = isTooLate ? t('signIn.stepExpired') : refusal;
  return (
    <Stack gap="md">
      <PasswordForm
        {...(username === undefined ? {} : { username })}
        lastUsername={lastUsername}
        notice={
          notice !== undefined && (
            <Alert color="red" role="alert">
              {notice}
            </Alert>
          )
        }
        onSignedIn={signedIn}
        onSecondStep={(next, given) => {
          setLastUsername(given);
          go(next);
        }}
      />
      {federated.length > 0 && <Divider label={t('signIn.or')} />}
      {federated.map((method) => (
        <FederatedButton key={method} method={method} returnTo={location.pathname + location.search} />
      ))}
    </Stack>
  );
};
