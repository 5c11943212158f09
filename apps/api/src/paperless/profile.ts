import { userBody } from '@sheaf/contract/identity';
import type { Db } from '@sheaf/db';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { patchProfile } from '../users/profile.ts';
import { askRoute } from './ask-route.ts';
import { anyBody } from './bodies.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, refuseField } from './query.ts';
import { requestBody } from './request-body.ts';
import { PAPERLESS_PREFIX } from './requests.ts';
import { presentSelf } from './users.ts';

const PATH = `${PAPERLESS_PREFIX}/profile`;

const readProfile = async (db: Db, principal: Principal) => {
  const { email, first_name, last_name } = await presentSelf(db, principal);
  return { email, first_name, last_name, auth_token: null, social_accounts: [], has_usable_password: true, is_mfa_enabled: false };
};

export const profile = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: PATH,
    access: 'signed-in',
    summary: 'Get your name and address',
    query: anyQuery,
    status: 200,
    response: anyBody,
    handle: ({ principal }) => readProfile(db, principal),
  });

const profileRequest = requestBody(
  {
    email: z.string().max(254).optional(),
    password: z.string().max(1_000).optional(),
    first_name: z.string().max(150).optional(),
    last_name: z.string().max(150).optional(),
  },
  ['email_confirm', 'password_confirm', 'auth_token', 'social_accounts', 'has_usable_password', 'is_mfa_enabled'],
);

/** What programs send for a password that stays as it is. */
const isMasked = (password: string): boolean => /^\**$/.test(password);

/** The one name that a user has here, of the two that Paperless has. */
export const changeProfile = (services: PaperlessServices): Route =>
  jsonRoute({
    method: 'patch',
    path: PATH,
    access: 'session',
    carriesCredentials: true,
    summary: 'Change your name',
    query: anyQuery,
    body: profileRequest,
    status: 200,
    response: anyBody,
    handle: async ({ body, principal, context }) => {
      const { db } = services.database;
      const before = await presentSelf(db, principal);
      // with a token alone nobody becomes the owner of an account
      if (body.email !== undefined && body.email.toLowerCase() !== before.email.toLowerCase())
        throw refuseField('email', 'is changed in the web client');
      if (body.password !== undefined && !isMasked(body.password)) throw refuseField('password', 'is changed in the web client');
      const { first_name: first = before.first_name, last_name: last = before.last_name } = body;
      const name = `${first.trim()} ${last.trim()}`.trim();
      if (name !== before.first_name)
        await askRoute(patchProfile(services), userBody, { body: { display_name: name === '' ? null : name }, principal, context });
      return readProfile(db, principal);
    },
  });
