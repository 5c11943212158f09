import { Alert, Button, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { useChange } from '../../interface/use-call.ts';
import { useTexts } from '../../language/language.tsx';
import { FrontDoor } from './front-door.tsx';
import { doorTexts } from './texts.ts';

/** Where a link of an invitation leads: the user chooses his password. */
const Invitation = (): ReactNode => {
  const t = useTexts(doorTexts);
  const token = new URLSearchParams(useSearch()).get('token');
  const [password, setPassword] = useState('');
  const accept = useChange('post /api/auth/invitation');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    accept.mutate({ body: { token: token ?? '', password } });
  };
  if (token === null || token === '')
    return (
      <FrontDoor title={t.invitationTitle}>
        <Alert color="red" role="alert">
          {t.noToken}
        </Alert>
      </FrontDoor>
    );
  if (accept.isSuccess)
    return (
      <FrontDoor title={t.acceptedTitle}>
        <Text>{t.accepted}</Text>
        <Button component={Link} href="/">
          {t.toSignIn}
        </Button>
      </FrontDoor>
    );
  return (
    <FrontDoor title={t.invitationTitle} hint={t.invitationHint}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={accept.error} />
          <PasswordField
            label={t.newPassword}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="new-password"
            required
            withAsterisk={false}
            autoFocus
          />
          <Button type="submit" loading={accept.isPending}>
            {t.accept}
          </Button>
        </Stack>
      </form>
    </FrontDoor>
  );
};
export default Invitation;
