import { Checkbox, Fieldset, Group, Stack } from '@mantine/core';
import type { Action, Scope } from '@sheaf/vocabulary/permissions';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { NameField } from '../../components/text-field.tsx';
import type { Problem } from '../../interface/problem.ts';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { useProblemMessages } from '../../messages/use-problem-messages.ts';
import { useRoleName } from '../../messages/use-role-name.ts';
import { ACTION_GROUPS, toPermissions, toReach } from './role-permissions.ts';
import { type Role, useChangeRoles } from './use-roles.ts';

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
export const RoleForm = ({ role, onClose }: Props): ReactNode => {
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
