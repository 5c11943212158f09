import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ProblemNote, useFieldErrors } from '../components/problem-note.tsx';
import { EmailField, PasswordField, usePasswordHint } from '../components/text-fields.tsx';
import { call } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';

interface Props {
  readonly submitLabel: string;
  readonly suggestedUsername?: string;
  /** The setup code of the service is asked for as well. */
  readonly asksForSetupCode?: boolean;
  /** Called when the user exists and is signed in by cookie; where they cannot sign in yet, `onWaiting` is called instead. */
  readonly onSignedIn: () => Promise<void>;
  readonly onWaiting?: () => void;
}

/** Makes a user, and signs them in. */
export const RegistrationForm = ({
  submitLabel,
  suggestedUsername = '',
  asksForSetupCode = false,
  onSignedIn,
  onWaiting,
}: Props): ReactNode => {
  const t = useTranslate();
  const [setupCode, setSetupCode] = useState('');
  const [username, setUsername] = useState(suggestedUsername);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [problem]);
  const errorOf = useFieldErrors(problem);
  const passwordHint = usePasswordHint();
  const hasFieldErrors = ['username', 'email', 'password'].some((field) => errorOf(field) !== undefined);

  const signIn = async (): Promise<void> => {
    try {
      await call('post /api/auth/login', { body: { username, password, cookie: true } });
    } catch (error) {
      if (onWaiting === undefined || !(error instanceof Problem) || error.code !== 'EMAIL_NOT_VERIFIED') throw error;
      onWaiting();
      return;
    }
    await onSignedIn();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await call('post /api/auth/register', {
        body: { username, email, password, ...(asksForSetupCode ? { setup_code: setupCode } : {}) },
      });
      await signIn();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    // the service tells of all fields at once, the browser of one after the other
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        {!hasFieldErrors && <ProblemNote problem={problem} />}
        {asksForSetupCode && (
          <TextInput
            label={t('registration.setupCode')}
            description={t('registration.setupCodeHint')}
            value={setupCode}
            onChange={(event) => setSetupCode(event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={100}
            required
            withAsterisk={false}
            autoFocus
          />
        )}
        <TextInput
          label={t('registration.username')}
          description={t('registration.usernameHint')}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
          error={errorOf('username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
          withAsterisk={false}
          autoFocus={!asksForSetupCode}
        />
        <EmailField
          label={t('registration.email')}
          value={email}
          onChange={setEmail}
          error={errorOf('email')}
          autoComplete="email"
          required
        />
        <PasswordField
          label={t('registration.password')}
          description={passwordHint}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={errorOf('password')}
          autoComplete="new-password"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={isBusy} fullWidth>
          {submitLabel}
        </Button>
      </Stack>
    </form>
  );
};
