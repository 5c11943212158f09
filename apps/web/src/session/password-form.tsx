import { Alert, Anchor, Button, Checkbox, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { PasswordField } from '../components/password-field.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { TextField } from '../components/text-field.tsx';
import { type Answer, call } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';

export type SecondStep = Extract<Answer<'post /api/auth/login'>, { readonly mfa_required: true }>;

interface Props {
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
export const PasswordForm = ({ username: given, lastUsername = '', notice, onSignedIn, onSecondStep }: Props): ReactNode => {
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
