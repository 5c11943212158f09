import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CreateButton } from '../../components/create-button.tsx';
import { Mark } from '../../components/mark.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate } from '../../language/language.tsx';
import { useRoleHint } from '../../messages/use-role-hint.ts';
import { useRoleName } from '../../messages/use-role-name.ts';
import { useMe } from '../../session/session.tsx';
import { PermissionList } from './permission-list.tsx';
import { RoleForm } from './role-form.tsx';
import { type Role, useChangeRoles, useRoles } from './use-roles.ts';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly role: Role };

/** Which role it is, and who has it. */
const RoleMarks = ({ role }: { readonly role: Role }): ReactNode => {
  const t = useTranslate();
  return (
    <Group gap={6}>
      {role.is_built_in && <Mark text={t('roleScreen.builtIn')} />}
      {role.is_changed && <Mark text={t('roleScreen.changed')} color="yellow" />}
      <Text size="sm" c="dimmed">
        {t('roleScreen.userCount', { count: role.user_count })}
      </Text>
    </Group>
  );
};

interface CardProps {
  readonly role: Role;
  readonly isEditable: boolean;
  readonly open: (what: Open) => void;
}

const RoleCard = ({ role, isEditable, open }: CardProps): ReactNode => {
  const t = useTranslate();
  const name = useRoleName()(role.name);
  const hint = useRoleHint()(role);
  const buttons = (
    <Group gap="xs">
      {isEditable && role.name !== 'admin' && (
        <Button size="xs" variant="default" onClick={() => open({ kind: 'edit', role })} aria-label={t('roleScreen.editOf', { name })}>
          {t('roleScreen.edit')}
        </Button>
      )}
      {isEditable && !role.is_built_in && role.user_count === 0 && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          onClick={() => open({ kind: 'delete', role })}
          aria-label={t('roleScreen.removeOf', { name })}
        >
          {t('roleScreen.remove')}
        </Button>
      )}
    </Group>
  );
  return (
    <SectionCard title={name} hint={role.is_built_in && !role.is_changed ? hint : undefined} action={buttons}>
      <RoleMarks role={role} />
      <PermissionList permissions={role.permissions} />
    </SectionCard>
  );
};

/** Asks once more before a role is removed. */
const DeleteRole = ({ role, onClose }: { readonly role: Role; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const change = useChangeRoles();
  const remove = useMutation<void, Problem>({
    mutationFn: () => change((roles) => roles.filter(({ name }) => name !== role.name)),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('roleScreen.removeOf', { name: role.name })}
      hint={t('roleScreen.removeHint')}
      change={remove}
      submit={t('roleScreen.remove')}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
};

const OpenDialog = ({ open, onClose }: { readonly open: Open | undefined; readonly onClose: () => void }): ReactNode => {
  switch (open?.kind) {
    case 'new':
      return <RoleForm role={undefined} onClose={onClose} />;
    case 'edit':
      return <RoleForm role={open.role} onClose={onClose} />;
    case 'delete':
      return <DeleteRole role={open.role} onClose={onClose} />;
    case undefined:
      return null;
  }
};

/** All roles with their permissions. */
const Roles = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const { data, error, refetch } = useRoles();
  const isEditable = data?.is_editable === true && me.permissions.includes('*');
  return (
    <>
      <ScreenHeader title={t('roleScreen.title')} hint={t('roleScreen.hint')}>
        <Button variant="default" component={Link} href="/users">
          {t('roleScreen.users')}
        </Button>
        {isEditable && <CreateButton label={t('roleScreen.create')} onClick={() => setOpen({ kind: 'new' })} />}
      </ScreenHeader>
      <Stack gap="md">
        {data === undefined && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        {data?.is_editable === false && <Alert color="blue">{t('roleScreen.fromFile')}</Alert>}
        {data?.roles.map((role) => (
          <RoleCard key={role.name} role={role} isEditable={isEditable} open={setOpen} />
        ))}
      </Stack>
      <OpenDialog open={open} onClose={() => setOpen(undefined)} />
    </>
  );
};
export default Roles;
