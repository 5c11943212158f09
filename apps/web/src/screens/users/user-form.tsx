import { Alert, Button, Code, CopyButton, Group, Radio, Select, Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { BUILT_IN_ROLES, ROLES } from '@sheaf/vocabulary/permissions';
import { type ReactNode, useState } from 'react';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { RevokeKeys } from '../../components/revoke-keys.tsx';
import { EmailField, NameField, PasswordField, TextField } from '../../components/text-fields.tsx';
import { type Answer, useCall, useChange } from '../../interface/call.ts';
import { problemOfError } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';
import { useRoleHint, useRoleName, useRoles } from '../roles/use-roles.ts';

interface RoleChoiceProps {
  readonly value: string;
  readonly onChange: (role: string) => void;
  readonly error: string | undefined;
}

/** For who may create users and not read them: the service says where it is not so. */
const UNCHANGED = ROLES.map((name) => ({ name, is_built_in: true, is_changed: false, permissions: BUILT_IN_ROLES[name] }));

/** The role of a user, with what each one is for. */
export const RoleChoice = ({ value, onChange, error }: RoleChoiceProps): ReactNode => {
  const t = useTranslate();
  const roleName = useRoleName();
  const roleHint = useRoleHint();
  const { data } = useRoles();
  const roles = data?.roles ?? UNCHANGED;
  const isKnown = roles.some(({ name }) => name === value);
  return (
    <Radio.Group label={t('users.role')} value={value} onChange={onChange} error={error}>
      <Stack gap="xs" mt="xs">
        {roles.map((role) => (
          <Radio key={role.name} value={role.name} label={roleName(role.name)} description={roleHint(role)} />
        ))}
        {!isKnown && <Radio value={value} label={roleName(value)} description={t('roleScreen.nothing')} />}
      </Stack>
    </Radio.Group>
  );
};

/** Where a user sets their first password. */
export const invitationLink = (token: string): string => `${location.origin}/invitation?token=${encodeURIComponent(token)}`;

/** Links that are told once, to be handed on. */
export const InvitationLinks = ({ links }: { readonly links: readonly string[] }): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap="xs">
      <Text size="sm">{t('users.invitations')}</Text>
      <Code block className="stranger" tabIndex={0} mah={240}>
        {links.join('\n')}
      </Code>
      <CopyButton value={links.join('\n')}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} style={{ alignSelf: 'flex-start' }}>
            {copied ? t('users.copied') : t('users.copy')}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
};

/** What an entry of an import would have been answered with by itself. */
const REFUSED = 400;

export type User = Answer<'get /api/users'>['data'][number];

interface UserFormProps {
  /** Undefined: a new one. */
  readonly user: User | undefined;
  readonly onClose: () => void;
}

/** Everything about a user that an administrator decides. */
export const UserForm = ({ user, onClose }: UserFormProps): ReactNode => {
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

/** Gives a user who has no password yet another invitation. */
export const InviteAgain = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const invite = useChange('post /api/users/{user_id}/invitation', ['get /api/users']);
  const { data } = invite;
  return (
    <Dialog opened onClose={onClose} title={t('users.inviteAgainOf', { name: user.username })}>
      <Stack gap="md">
        <ProblemNote problem={invite.error} />
        {data === undefined ? (
          <Text size="sm">{t('users.inviteAgainHint')}</Text>
        ) : (
          <>
            {data.is_sent && <Alert color="teal">{t('users.inviteSent', { email: user.email })}</Alert>}
            <InvitationLinks links={[invitationLink(data.token)]} />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {data === undefined ? t('users.cancel') : t('users.close')}
          </Button>
          {data === undefined && (
            <Button loading={invite.isPending} onClick={() => invite.mutate({ params: { user_id: user.id } })} data-autofocus>
              {t('users.inviteAgain')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
};

interface DeleteUserProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Deletes a user; asks who takes over what is theirs. */
export const DeleteUser = ({ user, onClose }: DeleteUserProps): ReactNode => {
  const t = useTranslate();
  const [heir, setHeir] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const others = useCall('get /api/users', { query: { per_page: 50, ...(q === '' ? {} : { q }) } }, { keepPrevious: true });
  const remove = useChange('delete /api/users/{user_id}', ['get /api/users', 'get /api/roles']);
  return (
    <Dialog opened onClose={onClose} title={t('users.deleteTitle', { name: user.username })}>
      <Stack gap="md">
        <ProblemNote problem={remove.error} />
        <Text size="sm">{t('users.deleteHint')}</Text>
        <Select
          label={t('users.deleteTransfer')}
          placeholder={t('users.deleteNobody')}
          clearable
          searchable
          data={(others.data?.data ?? []).filter(({ id }) => id !== user.id).map(({ id, username }) => ({ value: id, label: username }))}
          value={heir}
          onChange={setHeir}
          searchValue={typed}
          onSearchChange={setTyped}
          filter={({ options }) => options}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('users.cancel')}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate({ params: { user_id: user.id }, query: heir === null ? {} : { transfer_to: heir } }, { onSuccess: onClose })
            }
          >
            {t('users.deleteConfirm')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
};
