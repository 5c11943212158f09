import { Alert, Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { ProblemNote } from '../../components/problem-note.tsx';
import { PasswordField, usePasswordHint } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { EntryDone, EntryPage } from './signed-in.tsx';

/** Where a link of an invitation leads: the user chooses their password. */
const Invitation = (): ReactNode => {
  const t = useTranslate();
  const token = new URLSearchParams(useSearch()).get('token');
  const [password, setPassword] = useState('');
  const passwordHint = usePasswordHint();
  const accept = useChange('post /api/auth/invitation');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    accept.mutate({ body: { token: token ?? '', password } });
  };
  if (token === null || token === '')
    return (
      <EntryPage title={t('entry.invitationTitle')}>
        <Alert color="red" role="alert">
          {t('entry.noToken')}
        </Alert>
      </EntryPage>
    );
  if (accept.isSuccess) return <EntryDone title={t('entry.acceptedTitle')}>{t('entry.accepted')}</EntryDone>;
  return (
    <EntryPage title={t('entry.invitationTitle')} hint={t('entry.invitationHint')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={accept.error} />
          <PasswordField
            label={t('entry.newPassword')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            description={passwordHint}
            autoComplete="new-password"
            required
            withAsterisk={false}
            autoFocus
          />
          <Button type="submit" loading={accept.isPending}>
            {t('entry.accept')}
          </Button>
        </Stack>
      </form>
    </EntryPage>
  );
};
export default Invitation;
