import { getUser, getUserByEmail, listUsers, listUsersAfter, toManagedUserBodies, toManagedUserBody } from '@sheaf/accounts/users';
import { managedUserBody } from '@sheaf/contract/identity';
import { userGroupsBody, userListQuery } from '@sheaf/contract/users';

import { z } from 'zod';
import { listRoute } from '../http/list-route.ts';
import { jsonRoute, type Route } from '../http/route.ts';
import { userParams } from './user-params.ts';
import type { UserServices } from './user-services.ts';

export const list = ({ database, cursors }: UserServices): Route =>
  listRoute({
    cursors,
    path: '/api/users',
    access: 'users.read',
    summary: 'List users',
    query: userListQuery,
    name: 'data',
    item: managedUserBody,
    page: async ({ query: { page, per_page: perPage, ...filter }, principal }) => {
      const { rows, total } = await listUsers(database.db, principal, { page, perPage, ...filter });
      return { rows: await toManagedUserBodies(database.db, rows), total };
    },
    cut: async ({ query, principal }, part) => {
      const { rows, next } = await listUsersAfter(database.db, principal, { ...query, ...part });
      return { rows: await toManagedUserBodies(database.db, rows), next };
    },
  });

export const read = ({ database }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/{user_id}',
    access: 'users.read',
    summary: 'Get a user',
    errors: { USER_NOT_FOUND: 'NOT_FOUND' },
    params: userParams,
    status: 200,
    response: managedUserBody,
    handle: async ({ params, principal }) => toManagedUserBody(database.db, await getUser(database.db, principal, params.user_id)),
  });

export const groups = ({ database }: UserServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/users/{email}/groups',
    access: 'users.read',
    summary: 'Get the groups of a user from the identity provider at the last sign-in',
    errors: { USER_NOT_FOUND: 'NOT_FOUND' },
    params: z.strictObject({ email: z.string().min(1).max(254) }),
    status: 200,
    response: userGroupsBody,
    handle: async ({ params, principal }) => {
      const user = await getUserByEmail(database.db, principal, params.email);
      return { email: user.email, groups: user.externalGroups, role: user.role };
    },
  });
