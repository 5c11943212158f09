import { Alert, Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { RevokeKeys } from '../../components/revoke-keys.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { usePasswordHint } from '../../messages/use-password-hint.ts';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import { useMe } from '../../session/session.tsx';

/** A new password. */
export const PasswordCard = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(false);
  const change = useChange('post /api/users/change-password', ['get /api/auth/sessions', 'get /api/keys']);
  const errorOf = useFieldErrors(change.error);
  const passwordHint = usePasswordHint();
  const isCurrentWrong = change.error?.code === 'CURRENT_PASSWORD_WRONG';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate(
      { body: { current_password: current, new_password: next, revoke_keys: revokesKeys } },
      {
        onSuccess: () => {
          setCurrent('');
          setNext('');
          setRevokesKeys(false);
        },
      },
    );
  };
  return (
    <SectionCard title={t('profile.password')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {change.error !== null && !isCurrentWrong && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
          {change.isSuccess && (
            <Alert color="teal" role="status">
              {change.data.revoked_keys === 0
                ? t('profile.passwordChanged')
                : t('profile.passwordAndKeysChanged', { count: change.data.revoked_keys })}
            </Alert>
          )}
          {/* for those who keep passwords: whose it is */}
          <input type="text" name="username" autoComplete="username" value={me.username} readOnly hidden />
          <PasswordField
            label={t('profile.currentPassword')}
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={isCurrentWrong ? t('errors.CURRENT_PASSWORD_WRONG') : errorOf('current_password')}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <PasswordField
            label={t('profile.newPassword')}
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
            description={passwordHint}
            error={errorOf('new_password') ?? errorOf('password')}
            autoComplete="new-password"
            required
            withAsterisk={false}
          />
          <RevokeKeys username={me.username} isChosen={revokesKeys} onChange={setRevokesKeys} />
          <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
            {t('profile.changePassword')}
          </Button>
        </Stack>
      </form>
    </SectionCard>
  );
};
