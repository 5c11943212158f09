import { requireKnownRole, requireMayChange, requireMayGive } from '@sheaf/accounts';
import {
  type AuditEntry,
  findUserById,
  getUser,
  lockOwnUser,
  lockUser,
  requireOtherAdministrator,
  toManagedUserBody,
  toUserBody,
  type UserChanges,
  updateUser,
} from '@sheaf/accounts/users';
import { codedError, forbidden, reasonedError } from '@sheaf/contract';
import { managedUserBody, proofIn, type Reauthentication, userBody } from '@sheaf/contract/identity';
import { type UpdateUserRequest, updateProfileRequest, updateUserRequest } from '@sheaf/contract/users';
import { type Db, readRoles, readRolesToGive } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { claimDirectory, settleDirectory } from '@sheaf/watch';
import { clientOf } from '../auth/answer-sign-in.ts';
import { type ChangeRoutes, changeRoutes, jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import type { UserServices } from './user-imports.ts';
import { userParams } from './watch-directory.ts';

const ownUser = (database: UserServices['database'], principal: Principal): Promise<User> =>
  database.db.transaction((tx) => lockOwnUser(tx, principal.userId));

export const readProfile = ({ database }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/profile',
    access: 'signed-in',
    summary: 'Get your own account',
    response: userBody,
    handle: async ({ principal }) => toUserBody(await ownUser(database, principal)),
  });

const isMoved = (email: string | undefined, { email: before }: User): boolean =>
  email !== undefined && email.toLowerCase() !== before.toLowerCase();

/** An identity provider may know its user by the address: who has a session alone must not become its owner by another one. */
const requireForEmail = async (
  email: string,
  proof: Reauthentication | undefined,
  { principal, context }: { readonly principal: Principal; readonly context: RequestContext },
  { database, identity }: UserServices,
): Promise<void> => {
  const user = await findUserById(database.db, principal.userId);
  if (user === undefined || !isMoved(email, user)) return;
  await identity.reauthenticator.require({ principal, user, proof, client: clientOf(context) });
};

export const updateProfile = (services: UserServices): ChangeRoutes =>
  changeRoutes({
    path: '/api/users/profile',
    // the address is what an identity provider may know its user by: who has a key must not become its owner
    access: 'session',
    summary: 'Change your own e-mail address or display name',
    description:
      'Only the given fields change; PUT and PATCH are equivalent. A new e-mail address requires re-authentication: `password`, or `code` or `credential` of a second factor; external users without a second factor need a sign-in within the last ten minutes. The address must be confirmed before the next sign-in if e-mail verification is enabled.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE', PROOF_WRONG: 'FORBIDDEN', ACCOUNT_LOCKED: 'RATE_LIMITED' },
    body: updateProfileRequest,
    response: userBody,
    present: async ({ principal }, db) => toUserBody(await lockOwnUser(db, principal.userId)),
    handle: async ({ body, principal, context }) => {
      const { accounts, audit, database, clock } = services;
      if (body.email !== undefined) await requireForEmail(body.email, proofIn(body), { principal, context }, services);
      const { user, sendLetter } = await database.db.transaction(async (tx) => {
        const before = await lockOwnUser(tx, principal.userId);
        await context.requireMatch(tx);
        const hasMoved = isMoved(body.email, before);
        const changed = await updateUser(
          tx,
          before.id,
          {
            ...(body.email === undefined ? {} : { email: body.email }),
            ...(hasMoved ? { emailVerifiedAt: null } : {}),
            ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
          },
          clock.now(),
        );
        await audit(
          tx,
          {
            actor: principal,
            address: context.address,
            action: 'user.updated',
            outcome: 'success',
            subject: { type: 'user', id: before.id },
            details: { fields: [...(hasMoved ? ['email'] : []), ...(body.display_name === undefined ? [] : ['display_name'])] },
          },
          before.email,
        );
        return { user: changed, sendLetter: hasMoved ? await accounts.emailVerification.prepare(tx, changed) : () => {} };
      });
      sendLetter();
      accounts.sessions.forget(user.id);
      return toUserBody(user);
    },
  });

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
