import { getUserById, listUsers, userNotFound } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import type { User } from '@sheaf/db/schema';
import { codenamesOf, numbersOf } from '@sheaf/paperless';
import { type Principal, scopeOf } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { pageOfEntries } from './entries.ts';
import { pageBody } from './paging.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, withNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

/** Users of one answer. */
const MAX_USERS = 10_000;

const userBody = z.strictObject({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  date_joined: z.iso.datetime(),
  is_staff: z.literal(false),
  is_active: z.boolean(),
  is_superuser: z.literal(false),
  groups: z.array(z.int()),
  user_permissions: z.array(z.string()),
  inherited_permissions: z.array(z.string()),
  is_mfa_enabled: z.boolean(),
});

/** The users that the caller may read, and the caller. */
const readUsers = async (db: Db, principal: Principal): Promise<User[]> => {
  if (scopeOf(principal.permissions, 'users.read') === 'none') return [await getUserById(db, principal.userId)];
  return (await listUsers(db, principal, { page: 1, perPage: MAX_USERS, sort: 'username', order: 'asc' })).rows;
};

const present = async (db: Db, users: readonly User[], principal: Principal): Promise<z.infer<typeof userBody>[]> => {
  const numberOf = await numbersOf(
    db,
    users.map(({ id }) => ({ kind: 'user', id })),
  );
  return users.map((user) => ({
    id: numberOf('user', user.id),
    username: user.username,
    email: user.email,
    first_name: user.displayName ?? '',
    last_name: '',
    date_joined: user.createdAt.toISOString(),
    // apps offer a superuser all that Paperless has, whatever the permissions are, and staff its logs and administration
    is_staff: false,
    is_active: user.disabledAt === null,
    is_superuser: false,
    groups: [],
    user_permissions: user.id === principal.userId ? codenamesOf(principal.permissions) : [],
    inherited_permissions: [],
    is_mfa_enabled: false,
  }));
};

/** The caller. */
export const presentSelf = async (db: Db, principal: Principal): Promise<z.infer<typeof userBody>> => {
  const [self] = await present(db, [await getUserById(db, principal.userId)], principal);
  if (self === undefined) throw userNotFound({ user_id: principal.userId });
  return self;
};

export const users = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/users`,
    access: 'signed-in',
    summary: 'List users',
    query: anyQuery,
    response: pageBody(userBody),
    handle: async ({ query, principal, context }) => {
      const bodies = await present(db, await readUsers(db, principal), principal);
      const byName = Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name.replace(/^(-?)username/, '$1name'), value] as const),
      );
      const page = pageOfEntries(
        bodies.map((body) => ({ ...body, name: body.username })),
        { path: '/users', query: byName, context },
      );
      return { ...page, results: page.results.map(({ name: _name, ...body }) => body) };
    },
  });

export const user = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/users/{id}`,
    access: 'signed-in',
    summary: 'Get a user',
    params: numberParams,
    query: anyQuery,
    response: userBody,
    handle: async ({ params, principal }) => withNumber(await present(db, await readUsers(db, principal), principal), Number(params.id)),
  });
