import { ACTIONS, scopeOf } from '@sheaf/vocabulary/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { type Answer, call, refresh, useCall } from '../../interface/call.ts';
import { useTranslator } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';

/** Returns the name of a role in the reader's language; one that an administrator has made is called as it is. */
export const useRoleName = (): ((role: string) => string) => {
  const { find } = useTranslator();
  return (role) => find(`roles.${role}`) ?? role;
};

interface DescribedRole {
  readonly name: string;
  readonly is_built_in: boolean;
  readonly is_changed: boolean;
  readonly permissions: readonly string[];
}

/** Returns what users with a role can do, in a line: in a sentence for a built-in one, by its permissions for any other. */
export const useRoleHint = (): ((role: DescribedRole) => string) => {
  const { t, find } = useTranslator();
  return ({ name, is_built_in: isBuiltIn, is_changed: isChanged, permissions }) => {
    const sentence = isBuiltIn && !isChanged ? find(`roleHints.${name}`) : undefined;
    if (sentence !== undefined) return sentence;
    const actions = ACTIONS.flatMap((action) => {
      const scope = scopeOf(permissions, action);
      if (scope === 'none') return [];
      return [scope === 'own' ? `${t(`permissions.${action}`)} (${t('roleScreen.ownOnly')})` : t(`permissions.${action}`)];
    });
    return actions.length === 0 ? t('roleScreen.nothing') : actions.join(', ');
  };
};

export type Roles = Answer<'get /api/roles'>;
export type Role = Roles['roles'][number];
/** What can be changed of a role. */
export type RoleDraft = Pick<Role, 'name' | 'permissions'>;

export const useRoles = () => useCall('get /api/roles', {}, { enabled: useSession().may('users.read') });

/**
 * Stores what `change` makes of the roles. They are read anew before, as all of them are sent: what somebody else has changed meanwhile
 * stays.
 */
export const useChangeRoles = (): ((change: (roles: readonly RoleDraft[]) => readonly RoleDraft[]) => Promise<void>) => {
  const client = useQueryClient();
  return async (change) => {
    const { roles } = await call('get /api/roles', {});
    const wanted = change(roles).map(({ name, permissions }) => ({ name, permissions }));
    await call('put /api/roles', { body: { roles: wanted } });
    await refresh(client, ['get /api/roles', 'get /api/auth/me']);
  };
};
