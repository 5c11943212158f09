import { NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { ROLES } from '@sheaf/vocabulary/permissions';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import type { Answer } from '../../interface/call.ts';
import { useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useFieldErrors } from '../../messages/use-problem-messages.ts';
import { useRoleName } from '../../messages/use-role-name.ts';
import { useMe } from '../../session/session.tsx';

export type User = Answer<'get /api/users'>['data'][number];

interface Props {
  /** Undefined: a new one. */
  readonly user: User | undefined;
  readonly onClose: () => void;
}

/** Everything about a user that an administrator decides. */
export const UserForm = ({ user, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const roleName = useRoleName();
  const [username, setUsername] = useState(user?.username ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [displayName, setDisplayName] = useState(user?.display_name ?? '');
  const [role, setRole] = useState(user?.role ?? 'viewer');
  const [password, setPassword] = useState('');
  const [isDisabled, setDisabled] = useState(user?.disabled ?? false);
  const create = useChange('post /api/users', ['get /api/users']);
  const update = useChange('patch /api/users/{user_id}', ['get /api/users', 'get /api/auth/me']);
  const give = useChange('put /api/users/{user_id}/password');
  const change = user === undefined ? create : give.error === null ? update : give;
  const errorOf = useFieldErrors(change.error);
  const me = useMe();
  const isKeptHere = user === undefined || user.auth_method === 'local';

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (user === undefined)
      create.mutate(
        { body: { username, email, role, password, ...(displayName.trim() === '' ? {} : { display_name: displayName }) } },
        { onSuccess: onClose },
      );
    else {
      const body = {
        ...(username === user.username ? {} : { username }),
        ...(email === user.email ? {} : { email }),
        ...(role === user.role ? {} : { role }),
        display_name: displayName.trim() === '' ? null : displayName,
        disabled: isDisabled,
      };
      const params = { user_id: user.id };
      const save = (): void => update.mutate({ params, body }, { onSuccess: onClose });
      // first, as it is what is refused most: then nothing has changed yet
      if (password === '') save();
      else give.mutate({ params, body: { new_password: password } }, { onSuccess: save });
    }
  };

  return (
    <Dialog opened onClose={onClose} title={user === undefined ? t('users.create') : t('users.editOf', { name: user.username })}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {change.error !== null && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
          <TextInput
            label={t('users.username')}
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
            error={errorOf('username')}
            readOnly={!isKeptHere}
            autoCapitalize="none"
            spellCheck={false}
            autoComplete="off"
            maxLength={64}
            required
            withAsterisk={false}
            data-autofocus
          />
          <TextInput
            label={t('users.email')}
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={errorOf('email')}
            autoComplete="off"
            required
            withAsterisk={false}
          />
          <TextInput
            label={t('users.displayName')}
            value={displayName}
            onChange={(event) => setDisplayName(event.currentTarget.value)}
            error={errorOf('display_name')}
            maxLength={200}
          />
          <NativeSelect
            label={t('users.role')}
            data={[...new Set([...ROLES, role])].map((value) => ({ value, label: roleName(value) }))}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value)}
            error={errorOf('role')}
          />
          {isKeptHere && user?.id !== me.id && (
            <PasswordField
              label={user === undefined ? t('users.password') : t('users.newPassword')}
              description={user === undefined ? t('users.passwordHint') : t('users.newPasswordHint')}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={errorOf(user === undefined ? 'password' : 'new_password')}
              autoComplete="new-password"
              required={user === undefined}
              withAsterisk={false}
            />
          )}
          {user !== undefined && (
            <Switch label={t('users.isDisabled')} checked={isDisabled} onChange={(event) => setDisabled(event.currentTarget.checked)} />
          )}
          <FormButtons submit={t('users.save')} isBusy={create.isPending || give.isPending || update.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
