import { useQueryClient } from '@tanstack/react-query';
import { type Answer, call } from '../../interface/call.ts';
import { refresh, useCall } from '../../interface/use-call.ts';
import { useSession } from '../../session/session.tsx';

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
