import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ProblemNote } from '../components/problem-note.tsx';
import { TextField } from '../components/text-field.tsx';
import { type Arguments, call } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { askForPasskey, knowsPasskeys } from './passkey.ts';
import type { SecondStep } from './password-form.tsx';

interface Props {
  readonly step: SecondStep;
  readonly onSignedIn: () => Promise<void>;
  readonly onBack: () => void;
  /** The step is over, by time or by too many wrong codes. */
  readonly onTooLate: () => void;
}

/** The second factor: a code or a passkey. */
export const SecondStepForm = ({ step, onSignedIn, onBack, onTooLate }: Props): ReactNode => {
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
