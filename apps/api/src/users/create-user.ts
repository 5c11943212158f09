import { userBody } from '@sheaf/contract/identity';
import { createUserRequest } from '@sheaf/contract/users';
import { toUserBody } from '@sheaf/users';
import { jsonRoute, type Route } from '../http/route.ts';
import type { UserServices } from './user-services.ts';

export const create = ({ accounts }: UserServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/users',
    access: 'users.create',
    summary: 'Create a user',
    description: '`role` defaults to DEFAULT_USER_ROLE. You cannot assign a role with more permissions than your own.',
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: createUserRequest,
    status: 201,
    response: userBody,
    handle: async ({ body, principal, context }) => toUserBody(await accounts.registration.register(body, principal, context.address)),
  });
