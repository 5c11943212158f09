import { Alert, Anchor, Button, Checkbox, Divider, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ProblemNote } from '../components/problem-note.tsx';
import { PasswordField, TextField } from '../components/text-fields.tsx';
import { type Answer, type Arguments, call } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { FederatedButton, type FederatedMethod } from './federated-button.tsx';
import { askForPasskey, knowsPasskeys } from './passkey.ts';
import { useSession } from './session.tsx';

export type SecondStep = Extract<Answer<'post /api/auth/login'>, { readonly mfa_required: true }>;

interface PasswordFormProps {
  /** Who it has to be; asked for where it is not given. */
  readonly username?: string;
  /** Who it was at the last try. */
  readonly lastUsername?: string;
  /** Stands where the problem of a try will stand. */
  readonly notice?: ReactNode;
  readonly onSignedIn: () => Promise<void>;
  readonly onSecondStep: (step: SecondStep, username: string) => void;
}

/** Name and password. */
export const PasswordForm = ({ username: given, lastUsername = '', notice, onSignedIn, onSecondStep }: PasswordFormProps): ReactNode => {
  const t = useTranslate();
  const [username, setUsername] = useState(given ?? lastUsername);
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const answer = await call('post /api/auth/login', { body: { username, password, cookie: true, remember_me: remember } });
      if ('mfa_required' in answer) onSecondStep(answer, username);
      else await onSignedIn();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {problem === undefined ? (
          notice
        ) : problem.code === 'UNAUTHORIZED' ? (
          <Alert color="red" role="alert">
            {t('signIn.wrong')}
          </Alert>
        ) : problem.code === 'EMAIL_NOT_VERIFIED' ? (
          <Alert color="yellow" role="alert">
            {t('signIn.notConfirmed')}{' '}
            <Anchor component={Link} href="/verify-email" inherit underline="always">
              {t('signIn.sendAnother')}
            </Anchor>
          </Alert>
        ) : (
          <ProblemNote problem={problem} />
        )}
        <TextField
          label={t('signIn.username')}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          readOnly={given !== undefined}
          data-autofocus={given === undefined || undefined}
          autoFocus={given === undefined}
        />
        <PasswordField
          label={t('signIn.password')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={given !== undefined || undefined}
        />
        <Checkbox label={t('signIn.remember')} checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />
        <Button type="submit" loading={isBusy} fullWidth>
          {t('signIn.signIn')}
        </Button>
      </Stack>
    </form>
  );
};

interface SecondStepFormProps {
  readonly step: SecondStep;
  readonly onSignedIn: () => Promise<void>;
  readonly onBack: () => void;
  /** The step is over, by time or by too many wrong codes. */
  readonly onTooLate: () => void;
}

/** The second factor: a code or a passkey. */
export const SecondStepForm = ({ step, onSignedIn, onBack, onTooLate }: SecondStepFormProps): ReactNode => {
  const t = useTranslate();
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [hasDeclined, setDeclined] = useState(false);
  const hasApp = step.methods.includes('totp');
  const mayUsePasskey = step.methods.includes('webauthn') && knowsPasskeys();

  const verify = async (proof: () => Promise<Arguments<'post /api/auth/mfa/verify'>['body']>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setDeclined(false);
    try {
      await call('post /api/auth/mfa/verify', { body: await proof() });
      await onSignedIn();
    } catch (error) {
      if (error instanceof Problem && error.code === 'MFA_TOKEN_INVALID') onTooLate();
      else if (error instanceof Problem) setProblem(error);
      else setDeclined(true); // the browser's own words for a closed dialog help nobody
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void verify(async () => ({ mfa_token: step.mfa_token, code }));
  };
  const usePasskey = (): void => {
    void verify(async () => {
      const options = await call('post /api/auth/mfa/webauthn/login/options', { body: { mfa_token: step.mfa_token } });
      return { mfa_token: step.mfa_token, credential: await askForPasskey(options) };
    });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text c="dimmed" size="sm">
          {!mayUsePasskey ? t('signIn.secondHint') : hasApp ? t('signIn.secondHintEither') : t('signIn.secondHintPasskey')}
        </Text>
        {hasDeclined && (
          <Alert color="yellow" role="alert">
            {t('signIn.passkeyDeclined')}
          </Alert>
        )}
        {problem?.status === 401 ? (
          <Alert color="red" role="alert">
            {t('signIn.wrongCode')}
          </Alert>
        ) : (
          <ProblemNote problem={problem} />
        )}
        <TextField
          label={t('signIn.code')}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          inputMode="text"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus
          data-autofocus
        />
        <Button type="submit" loading={isBusy} fullWidth>
          {t('signIn.next')}
        </Button>
        <Group justify="space-between">
          <Button variant="subtle" onClick={onBack}>
            {t('signIn.back')}
          </Button>
          {mayUsePasskey && (
            <Button variant="default" leftSection={<IconKey size={16} />} onClick={usePasskey} disabled={isBusy}>
              {t('signIn.passkey')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
};

interface SignInStepsProps {
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
export const SignInSteps = ({ username, federated = [], refusal, onStep }: SignInStepsProps): ReactNode => {
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
