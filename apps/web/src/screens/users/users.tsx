import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { ROLES } from '@sheaf/vocabulary/permissions';
import { IconMailForward, IconShieldOff, IconUpload, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Mark } from '../../components/badges.tsx';
import { CreateButton, EditAction, RemoveAction, RowAction } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ChoiceFilter, FindField, useTypedFilter } from '../../components/list-filters.tsx';
import { actionsColumn, type Column, RecordTable } from '../../components/record-table.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { useAddressState } from '../../interface/address-state.ts';
import { useChange } from '../../interface/call.ts';
import { usePagedCall } from '../../interface/paged-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useMe, useSession } from '../../session/session.tsx';
import { useRoleName, useRoles } from '../roles/use-roles.ts';
import { ImportUsers } from './import-users.tsx';
import { DeleteUser, InviteAgain, type User, UserForm } from './user-form.tsx';

type Open = { readonly kind: 'new' | 'import' } | { readonly kind: 'edit' | 'delete' | 'invite' | 'resetMfa'; readonly user: User };

const useColumns = (open: (what: Open) => void): readonly Column<User>[] => {
  const t = useTranslate();
  const roleName = useRoleName();
  const format = useFormat();
  const me = useMe();
  const { may } = useSession();
  return [
    {
      key: 'name',
      title: t('users.name'),
      cell: ({ id, username, display_name: displayName, email }) => (
        <Stack gap={0}>
          <Group gap="xs">
            <Text size="sm" fw={500} className="stranger">
              {displayName ?? username}
            </Text>
            {displayName !== null && <SmallNote className="stranger">{username}</SmallNote>}
            {id === me.id && (
              <Badge size="sm" variant="light" tt="none">
                {t('users.you')}
              </Badge>
            )}
          </Group>
          <SmallNote className="stranger">{email}</SmallNote>
        </Stack>
      ),
    },
    { key: 'role', title: t('users.role'), cell: ({ role }) => <Text size="sm">{roleName(role)}</Text> },
    {
      key: 'state',
      title: t('users.state'),
      cell: ({ disabled, email_verified: isVerified, auth_method: method, is_invited: isInvited }) => (
        <Group gap={6}>
          <Mark text={disabled ? t('users.disabled') : t('users.active')} color={disabled ? 'red' : 'teal'} />
          {isInvited && <Mark text={t('users.isInvited')} color="blue" />}
          {!isVerified && <Mark text={t('users.unverified')} color="yellow" />}
          {method !== 'local' && <Mark text={t(`users.${method}`)} />}
        </Group>
      ),
    },
    {
      key: 'lastSignIn',
      title: t('users.lastSignIn'),
      cell: ({ last_sign_in_at: at }) => (
        <Text size="sm" {...(at === null ? {} : { title: format.dateTime(at) })}>
          {at === null ? t('users.never') : format.ago(at)}
        </Text>
      ),
    },
    { key: 'since', title: t('users.since'), cell: ({ created_at: at }) => <Text size="sm">{format.date(at)}</Text> },
    actionsColumn(t('users.actions'), (user) => {
      const name = user.username;
      const isOther = user.id !== me.id;
      const opener = (kind: Exclude<Open['kind'], 'new' | 'import'>) => () => open({ kind, user });
      return (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {may('users.update') && isOther && user.is_invited && (
            <RowAction
              icon={IconMailForward}
              title={t('users.inviteAgain')}
              label={t('users.inviteAgainOf', { name })}
              onClick={opener('invite')}
            />
          )}
          {may('users.update') && isOther && user.has_mfa && (
            <RowAction
              icon={IconShieldOff}
              title={t('users.resetMfa')}
              label={t('users.resetMfaOf', { name })}
              onClick={opener('resetMfa')}
            />
          )}
          {may('users.update') && <EditAction title={t('users.edit')} label={t('users.editOf', { name })} onClick={opener('edit')} />}
          {may('users.delete') && isOther && (
            <RemoveAction title={t('users.remove')} label={t('users.removeOf', { name })} onClick={opener('delete')} />
          )}
        </Group>
      );
    }),
  ];
};

const Dialog = ({ open, onClose }: { readonly open: Open | undefined; readonly onClose: () => void }): ReactNode => {
  switch (open?.kind) {
    case 'new':
      return <UserForm user={undefined} onClose={onClose} />;
    case 'import':
      return <ImportUsers onClose={onClose} />;
    case 'edit':
      return <UserForm user={open.user} onClose={onClose} />;
    case 'delete':
      return <DeleteUser user={open.user} onClose={onClose} />;
    case 'invite':
      return <InviteAgain user={open.user} onClose={onClose} />;
    case 'resetMfa':
      return <ResetMfa user={open.user} onClose={onClose} />;
    case undefined:
      return null;
  }
};

/** All users. */
const Users = (): ReactNode => {
  const t = useTranslate();
  const roleName = useRoleName();
  const { may } = useSession();
  const [open, setOpen] = useState<Open>();
  const [state, change, bind] = useAddressState(['q', 'role', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { paging } = usePagedCall('get /api/users', { ...state, sort: 'username' }, change);
  const roles = useRoles();
  const columns = useColumns(setOpen);
  const empty = <EmptyState icon={IconUsers} title={t('users.none')} />;
  return (
    <>
      <ScreenHeader title={t('users.title')} hint={t('users.hint')}>
        <Button variant="default" component={Link} href="/users/roles">
          {t('roleScreen.title')}
        </Button>
        {may('users.create') && (
          <>
            <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => setOpen({ kind: 'import' })}>
              {t('users.import')}
            </Button>
            <CreateButton label={t('users.create')} onClick={() => setOpen({ kind: 'new' })} />
          </>
        )}
      </ScreenHeader>
      <Group mb="md" gap="sm">
        <FindField label={t('users.find')} value={typed} onChange={type} style={{ flex: '1 1 220px' }} />
        <ChoiceFilter
          name={t('users.role')}
          any={t('users.anyRole')}
          choices={(roles.data?.roles.map(({ name }) => name) ?? ROLES).map((value) => ({ value, label: roleName(value) }))}
          {...bind('role')}
        />
      </Group>
      <RecordTable caption={t('users.title')} columns={columns} {...paging} empty={empty} />
      <Dialog open={open} onClose={() => setOpen(undefined)} />
    </>
  );
};
export default Users;

/** Takes the second factors from a user who has lost them. */
const ResetMfa = ({ user, onClose }: { readonly user: User; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const reset = useChange('delete /api/users/{user_id}/mfa', ['get /api/users']);
  return (
    <ConfirmDialog
      title={t('users.resetMfaOf', { name: user.username })}
      hint={t('users.resetMfaHint')}
      change={reset}
      submit={t('users.resetMfa')}
      onConfirm={() => reset.mutate({ params: { user_id: user.id } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};
