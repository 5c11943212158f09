import { managedUserBody, paginationBody, toPagination, userGroupsBody, userListQuery } from '@sheaf/contract';
import { getUser, getUserByEmail, listUsers, toManagedUserBody } from '@sheaf/db';
import { z } from 'zod';
import { jsonRoute } from '../http/route.ts';
import { userParams } from './user-params.ts';

export const list = jsonRoute({
  method: 'get',
  path: '/api/users',
  access: 'users.read',
  summary: 'The users',
  query: userListQuery,
  status: 200,
  response: z.strictObject({ data: z.array(managedUserBody), pagination: paginationBody }),
  handle: async ({ query, principal }, { database }) => {
    const { page, per_page, sort, order, q, role } = query;
    const { rows, total } = await listUsers(database.db, principal, { page, perPage: per_page, sort, order, q, role });
    return { data: rows.map(toManagedUserBody), pagination: toPagination(query, total) };
  },
});

export const read = jsonRoute({
  method: 'get',
  path: '/api/users/{user_id}',
  access: 'users.read',
  summary: 'One user',
  errors: { USER_NOT_FOUND: 'NOT_FOUND' },
  params: userParams,
  status: 200,
  response: managedUserBody,
  handle: async ({ params, principal }, { database }) => toManagedUserBody(await getUser(database.db, principal, params.user_id)),
});

export const groups = jsonRoute({
  method: 'get',
  path: '/api/users/{email}/groups',
  access: 'users.read',
  summary: 'The groups that the identity provider named at the last sign-in of the user with this e-mail address',
  errors: { USER_NOT_FOUND: 'NOT_FOUND' },
  params: z.strictObject({ email: z.string().min(1).max(254) }),
  status: 200,
  response: userGroupsBody,
  handle: async ({ params, principal }, { database }) => {
    const user = await getUserByEmail(database.db, principal, params.email);
    return { email: user.email, groups: user.externalGroups, role: user.role };
  },
});
