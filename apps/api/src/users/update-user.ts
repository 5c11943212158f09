import { requireKnownRole, requireMayChange, requireMayGive } from '@sheaf/accounts';
import {
  type AuditEntry,
  getUser,
  lockUser,
  requireOtherAdministrator,
  toManagedUserBody,
  type UserChanges,
  updateUser,
} from '@sheaf/accounts/users';
import { codedError, forbidden, reasonedError } from '@sheaf/contract';
import { managedUserBody } from '@sheaf/contract/identity';
import { type UpdateUserRequest, updateUserRequest } from '@sheaf/contract/users';
import { type Db, readRoles, readRolesToGive } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { claimDirectory, settleDirectory } from '@sheaf/watch';
import { type ChangeRoutes, changeRoutes } from '../http/route.ts';
import type { UserServices } from './user-imports.ts';
import { userParams } from './watch-directory.ts';

/** Choice: as with new users, an address that an administrator typed is taken for proven; not what people type for themselves. */
const isVouchedFor = ({ permissions }: Principal): boolean => scopeOf(permissions, 'users.update') === 'all';

const toChanges = ({ principal, request: { username, email, role, display_name, disabled }, now }: Change, user: User): UserChanges => ({
  ...(username === undefined || username === user.username ? {} : { username }),
  ...(email === undefined || email === user.email ? {} : { email, emailVerifiedAt: isVouchedFor(principal) ? now : null }),
  ...(role === undefined || role === user.role ? {} : { role }),
  ...(display_name === undefined || display_name === user.displayName ? {} : { displayName: display_name }),
  ...(disabled === undefined || disabled === (user.disabledAt !== null) ? {} : { disabledAt: disabled ? now : null }),
});

/** What the audit log records of a change: one entry for each kind of it. */
const entriesOf = (changes: UserChanges, before: User): Pick<AuditEntry, 'action' | 'details'>[] => {
  const entries: Pick<AuditEntry, 'action' | 'details'>[] = [];
  if (changes.username !== undefined) entries.push({ action: 'user.renamed', details: { from: before.username, to: changes.username } });
  if (changes.role !== undefined) entries.push({ action: 'user.role_changed', details: { from: before.role, to: changes.role } });
  if (changes.disabledAt !== undefined) entries.push({ action: changes.disabledAt === null ? 'user.enabled' : 'user.disabled' });
  const fields = (['email', 'displayName'] as const).filter((field) => changes[field] !== undefined);
  if (fields.length > 0) entries.push({ action: 'user.updated', details: { fields } });
  return entries;
};

interface Change {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly id: string;
  readonly request: UpdateUserRequest;
  readonly now: Date;
  readonly requireMatch: (tx: Db) => Promise<void>;
}

/**
 * Names are an administrator's to give, as what is put into watch folders goes to who has the name. Throws NAME_KEPT_ELSEWHERE for
 * a user from an identity provider, which calls them what it likes.
 */
const requireMayRename = ({ permissions }: Principal, { authMethod }: User): void => {
  if (scopeOf(permissions, 'users.update') !== 'all') throw forbidden('Only an administrator can change a user name.');
  if (authMethod === 'local') return;
  throw codedError('DUPLICATE_RESOURCE', 'NAME_KEPT_ELSEWHERE', { auth_method: authMethod });
};

/** One's own address changes in the profile alone, which asks for a proof that it is oneself. */
const requireNotOwnAddress = ({ userId, via }: Principal, { id, email }: User, changes: UserChanges): void => {
  const isMoved = changes.email !== undefined && changes.email.toLowerCase() !== email.toLowerCase();
  if (isMoved && userId === id && via !== 'disabled-auth') throw reasonedError('FORBIDDEN', 'own_email_by_profile');
};

interface Changed {
  readonly user: User;
  /** Their watch directory, where it has to follow a new name. */
  readonly directoryId: string | undefined;
}

const changeUser = async (tx: Db, { accounts, audit, watchDirectories }: UserServices, change: Change): Promise<Changed> => {
  const { principal, address, id, request, now } = change;
  const { user, isAllowed } = await lockUser(tx, principal, 'users.update', id);
  if (!isAllowed) throw reasonedError('FORBIDDEN', 'not_your_own');
  await change.requireMatch(tx);
  const roles = await (request.role === undefined ? readRoles : readRolesToGive)(tx, accounts.roles);
  requireMayChange(roles, principal, user);
  const changes = toChanges(change, user);
  if (Object.keys(changes).length === 0) return { user, directoryId: undefined };
  requireNotOwnAddress(principal, user, changes);
  if (changes.username !== undefined) requireMayRename(principal, user);
  if (changes.role !== undefined) {
    requireKnownRole(roles, changes.role);
    requireMayGive(roles, principal, changes.role);
  }
  const isDemoted = changes.role !== undefined && !accounts.adminRoles.includes(changes.role);
  if (isDemoted || changes.disabledAt instanceof Date) await requireOtherAdministrator(tx, user, accounts.adminRoles);
  const isMoving = changes.username !== undefined && watchDirectories !== undefined;
  const directoryId = isMoving ? await claimDirectory(tx, watchDirectories, user) : undefined;
  const changed = await updateUser(tx, id, changes, now);
  if (changes.disabledAt instanceof Date) await accounts.sessions.endAll(tx, id);
  for (const entry of entriesOf(changes, user)) {
    // who had the address is told, too, where it was taken from them
    await audit(tx, { actor: principal, address, outcome: 'success', subject: { type: 'user', id }, ...entry }, user.email);
  }
  return { user: changed, directoryId };
};

export const update = (services: UserServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/users/{user_id}',
    access: 'users.update',
    summary: 'Change a user',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. Changes apply to the next request of the user; renamed users stay signed in. The last active administrator can neither be disabled nor get another role.',
    errors: {
      USER_NOT_FOUND: 'NOT_FOUND',
      DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE',
      LAST_ADMINISTRATOR: 'DUPLICATE_RESOURCE',
      NAME_KEPT_ELSEWHERE: 'DUPLICATE_RESOURCE',
    },
    params: userParams,
    body: updateUserRequest,
    response: managedUserBody,
    present: async ({ params, principal }, db) => toManagedUserBody(db, await getUser(db, principal, params.user_id)),
    handle: async ({ params, body, principal, context }) => {
      const { accounts, database, clock, watchDirectories } = services;
      const { address, requireMatch } = context;
      const change = { principal, address, id: params.user_id, request: body, now: clock.now(), requireMatch };
      const { user, directoryId } = await database.db.transaction((tx) => changeUser(tx, services, change));
      accounts.sessions.forget(user.id);
      if (watchDirectories !== undefined && directoryId !== undefined)
        await settleDirectory(watchDirectories, directoryId, { actor: principal, address: context.address });
      return toManagedUserBody(services.database.db, user);
    },
  });
