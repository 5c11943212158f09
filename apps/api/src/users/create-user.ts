import { createUserRequest, userBody } from '@sheaf/contract';
import { toUserBody } from '@sheaf/db';
import { jsonRoute, type Route } from '../http/route.ts';
import type { UserServices } from './user-services.ts';

export const create = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users',
    access: 'users.create',
    summary: 'Make a user',
    description: 'Without `role` he gets DEFAULT_USER_ROLE. Nobody can give a role that may do more than he himself may.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createUserRequest,
    status: 201,
    response: userBody,
    handle: async ({ body, principal, context }) => toUserBody(await accounts.registration.register(body, principal, context.address)),
  });
