import { ActionIcon, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { ROLES } from '@sheaf/vocabulary/permissions';
import { IconPencil, IconPlus, IconTrash, IconUpload, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { pagingOf } from '../../components/paging.ts';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { pageOf, useAddressState } from '../../interface/address-state.ts';
import type { Arguments } from '../../interface/call.ts';
import { useRowsPerPage } from '../../interface/rows-per-page.ts';
import { useTypedFilter } from '../../interface/typed-filter.ts';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { useRoleName } from '../../messages/use-role-name.ts';
import { useMe, useSession } from '../../session/session.tsx';
import { DeleteUser } from './delete-user.tsx';
import { ImportUsers } from './import-users.tsx';
import { type User, UserForm } from './user-form.tsx';

type Query = NonNullable<Arguments<'get /api/users'>['query']>;
type Open = { readonly kind: 'new' | 'import' } | { readonly kind: 'edit' | 'delete'; readonly user: User };

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
            {displayName !== null && (
              <Text size="xs" c="dimmed" className="stranger">
                {username}
              </Text>
            )}
            {id === me.id && (
              <Badge size="sm" variant="light" tt="none">
                {t('users.you')}
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed" className="stranger">
            {email}
          </Text>
        </Stack>
      ),
    },
    { key: 'role', title: t('users.role'), cell: ({ role }) => <Text size="sm">{roleName(role)}</Text> },
    {
      key: 'state',
      title: t('users.state'),
      cell: ({ disabled, email_verified: isVerified, auth_method: method }) => (
        <Group gap={6}>
          <Badge variant="light" tt="none" color={disabled ? 'red' : 'teal'}>
            {disabled ? t('users.disabled') : t('users.active')}
          </Badge>
          {!isVerified && (
            <Badge variant="light" tt="none" color="yellow">
              {t('users.unverified')}
            </Badge>
          )}
          {method !== 'local' && (
            <Badge variant="default" tt="none">
              {t(`users.${method}`)}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'since', title: t('users.since'), cell: ({ created_at: at }) => <Text size="sm">{format.date(at)}</Text> },
    {
      key: 'actions',
      title: t('users.actions'),
      hasHiddenTitle: true,
      align: 'right',
      cell: (user) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {may('users.update') && (
            <ActionIcon
              variant="subtle"
              onClick={() => open({ kind: 'edit', user })}
              aria-label={t('users.editOf', { name: user.username })}
              title={t('users.edit')}
            >
              <IconPencil size={16} />
            </ActionIcon>
          )}
          {may('users.delete') && user.id !== me.id && (
            <ActionIcon
              variant="subtle"
              color="red"
              onClick={() => open({ kind: 'delete', user })}
              aria-label={t('users.removeOf', { name: user.username })}
              title={t('users.remove')}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ),
    },
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
  const [state, change] = useAddressState(['q', 'role', 'page']);
  const [typed, type] = useTypedFilter(state.q, (q) => change({ q }, { replace: true }));
  const { perPage, isSettled } = useRowsPerPage();
  const query = { ...state, page: pageOf(state), per_page: perPage, sort: 'username' } as Query;
  const list = useCall('get /api/users', { query }, { enabled: isSettled, keepPrevious: true });
  const { data } = list;
  const columns = useColumns(setOpen);
  return (
    <>
      <ScreenHeader title={t('users.title')} hint={t('users.hint')}>
        {may('users.create') && (
          <>
            <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => setOpen({ kind: 'import' })}>
              {t('users.import')}
            </Button>
            <Button leftSection={<IconPlus size={16} />} onClick={() => setOpen({ kind: 'new' })}>
              {t('users.create')}
            </Button>
          </>
        )}
      </ScreenHeader>
      <Group mb="md" gap="sm">
        <FindField label={t('users.find')} value={typed} onChange={type} style={{ flex: '1 1 220px' }} />
        <ChoiceFilter
          name={t('users.role')}
          any={t('users.anyRole')}
          choices={ROLES}
          labelOf={roleName}
          value={state.role}
          onChange={(role) => change({ role })}
        />
      </Group>
      <RecordTable
        caption={t('users.title')}
        columns={columns}
        records={data?.data}
        idOf={({ id }) => id}
        {...pagingOf(list, change)}
        empty={<EmptyState icon={IconUsers} title={t('users.none')} />}
      />
      <Dialog open={open} onClose={() => setOpen(undefined)} />
    </>
  );
};
export default Users;
