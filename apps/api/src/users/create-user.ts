import { createUserRequest, userBody } from '@sheaf/contract';
import { toUserBody } from '@sheaf/db';
import { jsonRoute } from '../http/route.ts';

export const create = jsonRoute({
  method: 'post',
  path: '/api/users',
  access: 'users.create',
  summary: 'Make a user',
  description: 'Without `role` he gets DEFAULT_USER_ROLE. Nobody can give a role that may do more than he himself may.',
  errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
  body: createUserRequest,
  status: 201,
  response: userBody,
  handle: async ({ body, principal, facts }, { accounts }) =>
    toUserBody(await accounts.registration.register(body, principal, facts.address)),
});
