import { requireMayChange } from '@sheaf/accounts';
import { lockUser } from '@sheaf/accounts/users';
import { reasonedError } from '@sheaf/contract';
import { type Db, readRoles } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { UserServices } from './user-services.ts';

/** A key that leaked must not be a way to sign in as somebody, and what is one's own is changed in the profile. */
export const requirePerson = (principal: Principal, userId: string): void => {
  if (principal.via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  if (principal.userId === userId) throw reasonedError('FORBIDDEN', 'own_password_by_profile');
};

/** The user, locked, whose ways to sign in `principal` may change. */
export const findChangeable = async (
  tx: Db,
  principal: Principal,
  id: string,
  { accounts }: Pick<UserServices, 'accounts'>,
): Promise<User> => {
  const { user, isAllowed } = await lockUser(tx, principal, 'users.update', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  requireMayChange(await readRoles(tx, accounts.roles), principal, user);
  return user;
};
