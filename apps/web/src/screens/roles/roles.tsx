import { Alert, Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Action, Scope } from '@sheaf/vocabulary/permissions';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Mark } from '../../components/badges.tsx';
import { CreateButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, FormButtons } from '../../components/dialog.tsx';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import { ScreenHeader, SectionCard } from '../../components/screen-parts.tsx';
import { NameField } from '../../components/text-fields.tsx';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';
import { ACTION_GROUPS, toPermissions, toReach } from './role-permissions.ts';
import { type Role, useChangeRoles, useRoleHint, useRoleName, useRoles } from './use-roles.ts';

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

/** What a role may do, in words. */
const PermissionList = ({ permissions }: { readonly permissions: readonly string[] }): ReactNode => {
  const t = useTranslate();
  const { find } = useTranslator();
  const reach = toReach(permissions);
  const groups = ACTION_GROUPS.filter(({ actions }) => actions.some((action) => reach[action] !== undefined));
  if (permissions.includes('*') || groups.length === 0)
    return <Text size="sm">{permissions.includes('*') ? t('roleScreen.everything') : t('roleScreen.nothing')}</Text>;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      {groups.map(({ resource, actions }) => (
        <Stack key={resource} gap={2}>
          <Text size="sm" fw={600}>
            {find(`permissionGroups.${resource}`)}
          </Text>
          {actions
            .filter((action) => reach[action] !== undefined)
            .map((action) => (
              <Text key={action} size="sm">
                {t(`permissions.${action}`)}
                {reach[action] === 'own' ? ` (${t('roleScreen.ownOnly')})` : ''}
              </Text>
            ))}
        </Stack>
      ))}
    </SimpleGrid>
  );
};

interface Props {
  /** Undefined: a new one. */
  readonly role: Role | undefined;
  readonly onClose: () => void;
}

interface ChoiceProps {
  readonly action: Action;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

const PermissionChoice = ({ action, scope, onChange }: ChoiceProps): ReactNode => {
  const t = useTranslate();
  const permission = t(`permissions.${action}`);
  return (
    <Group justify="space-between" gap="sm">
      <Checkbox
        label={permission}
        checked={scope !== 'none'}
        onChange={(event) => onChange(event.currentTarget.checked ? 'all' : 'none')}
      />
      {scope !== 'none' && (
        <Checkbox
          size="xs"
          label={t('roleScreen.ownOnly')}
          aria-label={t('roleScreen.ownOnlyOf', { permission })}
          checked={scope === 'own'}
          onChange={(event) => onChange(event.currentTarget.checked ? 'own' : 'all')}
        />
      )}
    </Group>
  );
};

/** A role with a tick for each of its permissions. */
const RoleForm = ({ role, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const { find } = useTranslator();
  const { ofIssue } = useProblemMessages();
  const roleName = useRoleName();
  const [name, setName] = useState(role?.name ?? '');
  const [reach, setReach] = useState(toReach(role?.permissions ?? []));
  const change = useChangeRoles();
  const save = useMutation<void, Problem>({
    mutationFn: () => {
      const draft = { name, permissions: toPermissions(reach, role?.permissions ?? []) };
      return change((roles) => (role === undefined ? [...roles, draft] : roles.map((one) => (one.name === role.name ? draft : one))));
    },
    onSuccess: onClose,
  });
  const nameIssues = save.error?.issues.filter(({ path }) => path.endsWith('.name')) ?? [];
  const choose = (action: Action, scope: Scope): void => {
    const { [action]: _before, ...others } = reach;
    setReach(scope === 'none' ? others : { ...others, [action]: scope });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={role === undefined ? t('roleScreen.create') : t('roleScreen.editOf', { name: roleName(role.name) })}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {nameIssues.length === 0 && <ProblemNote problem={save.error} />}
          {role === undefined && (
            <NameField
              label={t('roleScreen.name')}
              value={name}
              onChange={setName}
              error={nameIssues.length === 0 ? undefined : nameIssues.map(ofIssue).join(', ')}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
            />
          )}
          {ACTION_GROUPS.map(({ resource, actions }) => (
            <Fieldset key={resource} legend={find(`permissionGroups.${resource}`)}>
              <Stack gap="xs">
                {actions.map((action) => (
                  <PermissionChoice
                    key={action}
                    action={action}
                    scope={reach[action] ?? 'none'}
                    onChange={(scope) => choose(action, scope)}
                  />
                ))}
              </Stack>
            </Fieldset>
          ))}
          <FormButtons submit={t('roleScreen.save')} isBusy={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};
