import { findUserById, lockOwnUser, toUserBody, updateUser } from '@sheaf/accounts/users';
import { proofIn, type Reauthentication, userBody } from '@sheaf/contract/identity';
import { updateProfileRequest } from '@sheaf/contract/users';
import type { User } from '@sheaf/db/schema';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { clientOf } from '../auth/client.ts';
import { type ChangeRoutes, changeRoutes, jsonRoute, type RequestContext, type Route } from '../http/route.ts';
import type { UserServices } from './user-imports.ts';

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
