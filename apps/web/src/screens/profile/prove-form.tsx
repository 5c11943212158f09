import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { PasswordField } from '../../components/text-fields.tsx';
import { type Arguments, call, useCall } from '../../interface/call.ts';
import { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { askForPasskey, knowsPasskeys } from '../../session/passkey.ts';
import { useSession } from '../../session/session.tsx';

interface ProofKinds {
  readonly hasPassword: boolean;
  /** Of an authenticator app, or a recovery code. */
  readonly hasCode: boolean;
  readonly hasPasskey: boolean;
}

/** What the user can prove themselves with. */
const useProofKinds = (): ProofKinds => {
  const { me } = useSession();
  const { data } = useCall('get /api/auth/mfa', {}); // a service without second factors answers 404
  const proven = data?.devices.filter(({ enabled }) => enabled) ?? [];
  return {
    hasPassword: me?.auth_method === 'local' || me?.auth_method === 'ldap',
    hasCode: proven.length > 0,
    hasPasskey: proven.some(({ type }) => type === 'webauthn') && knowsPasskeys(),
  };
};

/** What the user proves themselves with. */
export type Proof = Arguments<'delete /api/auth/mfa/{id}'>['body'];

interface Props {
  readonly onProven: (proof: Proof) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the password or a second factor once more before something that concerns the account's safety. */
export const ProveForm = ({ onProven, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const { hasPassword, hasCode, hasPasskey } = useProofKinds();
  const [chosen, setChosen] = useState<'password' | 'code'>();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [hasDeclined, setDeclined] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const kind = chosen ?? (hasPassword ? 'password' : 'code');
  const prove = async (proof: () => Promise<Proof>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    setDeclined(false);
    try {
      await onProven(await proof());
    } catch (error) {
      if (error instanceof Problem) setProblem(error);
      else setDeclined(true); // the browser's own words for a closed dialog help nobody
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void prove(async () => (kind === 'password' ? { password: text } : { code: text }));
  };
  const usePasskey = (): void =>
    void prove(async () => ({ credential: await askForPasskey(await call('post /api/auth/mfa/webauthn/login/options', { body: {} })) }));
  const choose = (other: 'password' | 'code'): void => {
    setChosen(other);
    setText('');
    setProblem(undefined);
  };
  const field = {
    value: text,
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    required: true,
    withAsterisk: false,
    'data-autofocus': true,
    // the button that was pressed is gone
    autoFocus: chosen !== undefined,
  };
  return (
    <Dialog opened onClose={onClose} title={t('profile.confirm')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{kind === 'password' ? t('profile.confirmHint') : t('profile.confirmByCode')}</Text>
          <ProblemNote problem={problem} />
          {hasDeclined && (
            <Alert color="yellow" role="alert">
              {t('profile.passkeyNotUsed')}
            </Alert>
          )}
          {kind === 'password' ? (
            <PasswordField label={t('profile.password')} autoComplete="current-password" {...field} />
          ) : (
            <TextInput label={t('profile.code')} autoComplete="one-time-code" spellCheck={false} {...field} />
          )}
          <Group gap="sm">
            {kind === 'password' && hasCode && (
              <Button variant="subtle" size="xs" onClick={() => choose('code')}>
                {t('profile.useCode')}
              </Button>
            )}
            {kind === 'code' && hasPassword && (
              <Button variant="subtle" size="xs" onClick={() => choose('password')}>
                {t('profile.usePassword')}
              </Button>
            )}
            {hasPasskey && (
              <Button variant="subtle" size="xs" leftSection={<IconKey size={14} />} onClick={usePasskey} disabled={isBusy}>
                {t('profile.usePasskey')}
              </Button>
            )}
          </Group>
          <FormButtons submit={t('profile.next')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
