import { Button, Group, Stack, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { RevokeKeys } from '../../components/revoke-keys.tsx';
import { EmailField, NameField, TextField } from '../../components/text-field.tsx';
import type { Answer } from '../../interface/call.ts';
import { problemOfError } from '../../interface/problem.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import { useMe } from '../../session/session.tsx';
import { InvitationLinks, invitationLink } from './invitation-links.tsx';
import { RoleChoice } from './role-choice.tsx';

/** What an entry of an import would have been answered with by itself. */
const REFUSED = 400;

export type User = Answer<'get /api/users'>['data'][number];

interface Props {
  /** Undefined: a new one. */
  readonly user: User | undefined;
  readonly onClose: () => void;
}

/** Everything about a user that an administrator decides. */
export const UserForm = ({ user, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const [username, setUsername] = useState(user?.username ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [displayName, setDisplayName] = useState(user?.display_name ?? '');
  const [role, setRole] = useState(user?.role ?? 'viewer');
  const [password, setPassword] = useState('');
  const [revokesKeys, setRevokesKeys] = useState(true);
  const [isDisabled, setDisabled] = useState(user?.disabled ?? false);
  const create = useChange('post /api/users', ['get /api/users', 'get /api/roles']);
  const update = useChange('patch /api/users/{user_id}', ['get /api/users', 'get /api/roles', 'get /api/auth/me']);
  const give = useChange('put /api/users/{user_id}/password', ['get /api/keys']);
  const invite = useChange('post /api/users/import', ['get /api/users', 'get /api/roles']);
  const change = user === undefined ? create : give.error === null ? update : give;
  const [notInvited] = invite.data?.errors ?? [];
  const inviteProblem =
    notInvited === undefined
      ? invite.error
      : problemOfError(REFUSED, { code: notInvited.code, message: notInvited.error, details: notInvited.details });
  const problem = inviteProblem ?? change.error;
  const errorOf = useFieldErrors(problem);
  const me = useMe();
  const isKeptHere = user === undefined || user.auth_method === 'local';

  const save = (): void => {
    const fields = { username, email, role, ...(displayName.trim() === '' ? {} : { display_name: displayName }) };
    if (user === undefined && password === '') invite.mutate({ body: [fields] });
    else if (user === undefined) create.mutate({ body: { ...fields, password } }, { onSuccess: onClose });
    else {
      const body = {
        ...(username === user.username ? {} : { username }),
        ...(email === user.email ? {} : { email }),
        ...(role === user.role ? {} : { role }),
        display_name: displayName.trim() === '' ? null : displayName,
        disabled: isDisabled,
      };
      const params = { user_id: user.id };
      // first, as it is what is refused most: then nothing has changed yet
      if (password === '') update.mutate({ params, body }, { onSuccess: onClose });
      else
        give.mutate(
          { params, body: { new_password: password, revoke_keys: revokesKeys } },
          {
            onSuccess: ({ revoked_keys: count }) => {
              notifications.show({ message: t('users.passwordSet', { name: user.username, count }) });
              update.mutate({ params, body }, { onSuccess: onClose });
            },
          },
        );
    }
  };

  const [invited] = invite.data?.invitations ?? [];
  if (invited !== undefined)
    return (
      <Dialog opened onClose={onClose} title={t('users.invited', { name: invited.username })} closeOnClickOutside={false}>
        <Stack gap="md">
          <InvitationLinks links={[invitationLink(invited.token)]} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('users.close')}</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  return (
    <FormDialog
      title={user === undefined ? t('users.create') : t('users.editOf', { name: user.username })}
      change={{ error: problem, isPending: create.isPending || give.isPending || update.isPending || invite.isPending }}
      submit={t('users.save')}
      onSubmit={save}
      onClose={onClose}
    >
      <NameField
        label={t('users.username')}
        value={username}
        onChange={setUsername}
        error={errorOf('username')}
        readOnly={!isKeptHere}
        autoCapitalize="none"
        spellCheck={false}
        autoComplete="off"
        maxLength={64}
      />
      <EmailField label={t('users.email')} value={email} onChange={setEmail} error={errorOf('email')} autoComplete="off" required />
      <TextField
        label={t('users.displayName')}
        value={displayName}
        onChange={setDisplayName}
        error={errorOf('display_name')}
        maxLength={200}
      />
      <RoleChoice value={role} onChange={setRole} error={errorOf('role')} />
      {isKeptHere && user?.id !== me.id && (
        <PasswordField
          label={user === undefined ? t('users.password') : t('users.newPassword')}
          description={user === undefined ? t('users.inviteHint') : t('users.newPasswordHint')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={errorOf(user === undefined ? 'password' : 'new_password')}
          autoComplete="new-password"
          withAsterisk={false}
        />
      )}
      {user !== undefined && password !== '' && <RevokeKeys username={user.username} isChosen={revokesKeys} onChange={setRevokesKeys} />}
      {user !== undefined && (
        <Switch label={t('users.isDisabled')} checked={isDisabled} onChange={(event) => setDisabled(event.currentTarget.checked)} />
      )}
    </FormDialog>
  );
};
