import { Radio, Stack } from '@mantine/core';
import { BUILT_IN_ROLES, ROLES } from '@sheaf/vocabulary/permissions';
import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useRoleHint } from '../../messages/use-role-hint.ts';
import { useRoleName } from '../../messages/use-role-name.ts';
import { useRoles } from '../roles/use-roles.ts';

interface Props {
  readonly value: string;
  readonly onChange: (role: string) => void;
  readonly error: string | undefined;
}

/** For who may create users and not read them: the service says where it is not so. */
const UNCHANGED = ROLES.map((name) => ({ name, is_built_in: true, is_changed: false, permissions: BUILT_IN_ROLES[name] }));

/** The role of a user, with what each one is for. */
export const RoleChoice = ({ value, onChange, error }: Props): ReactNode => {
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
