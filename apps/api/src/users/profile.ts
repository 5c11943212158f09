import { updateProfileRequest, userBody } from '@sheaf/contract';
import { lockOwnUser, makeAudit, toUserBody, updateUser } from '@sheaf/db';
import { jsonRoute } from '../http/route.ts';

export const readProfile = jsonRoute({
  method: 'get',
  path: '/api/users/profile',
  access: 'signed-in',
  summary: 'The account of who asks',
  status: 200,
  response: userBody,
  handle: async ({ principal }, { database }) => toUserBody(await database.db.transaction((tx) => lockOwnUser(tx, principal.userId))),
});

const updateBy = (method: 'put' | 'patch') =>
  jsonRoute({
    method,
    path: '/api/users/profile',
    // the address is what an identity provider may know its user by: who has a key must not become its owner
    access: 'session',
    summary: 'Change your own e-mail address or display name',
    description:
      'Only the fields that are given change; PUT and PATCH do the same. A new address has to be confirmed before the next sign-in where the service asks for that.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: updateProfileRequest,
    status: 200,
    response: userBody,
    handle: async ({ body, principal, facts }, { accounts, database, clock, config }) => {
      const { user, sendLetter } = await database.db.transaction(async (tx) => {
        const before = await lockOwnUser(tx, principal.userId);
        const isMoved = body.email !== undefined && body.email.toLowerCase() !== before.email.toLowerCase();
        const changed = await updateUser(
          tx,
          before.id,
          {
            ...(body.email === undefined ? {} : { email: body.email }),
            ...(isMoved ? { emailVerifiedAt: null } : {}),
            ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
          },
          clock.now(),
        );
        await makeAudit(config.notifications.policy)(
          tx,
          {
            actor: principal,
            address: facts.address,
            action: 'user.updated',
            outcome: 'success',
            subject: { type: 'user', id: before.id },
            details: { fields: [...(isMoved ? ['email'] : []), ...(body.display_name === undefined ? [] : ['display_name'])] },
          },
          before.email,
        );
        return { user: changed, sendLetter: isMoved ? await accounts.emailVerification.prepare(tx, changed) : () => {} };
      });
      sendLetter();
      accounts.sessions.forget(user.id);
      return toUserBody(user);
    },
  });

export const putProfile = updateBy('put');
export const patchProfile = updateBy('patch');
