import { permissionNeeded, reasonedError } from '@sheaf/contract';
import { roleListQuery, rolesBody, rolesRequest } from '@sheaf/contract/users';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { jsonRoute, type Route } from '../http/route.ts';
import { changeRoles } from './change-roles.ts';
import type { RoleServices } from './role-services.ts';
import { readRolesBody } from './roles-body.ts';

/** Who changes roles gives permissions to whom he likes, himself among them; a key that leaked must not. */
const requireAdministrator = ({ via, permissions }: Principal): void => {
  if (via === 'key') throw reasonedError('FORBIDDEN', 'not_with_a_key');
  if (!permissions.includes('*')) throw permissionNeeded('*');
};

const read = (services: RoleServices): Route =>
  jsonRoute({
    method: 'get',
    path: '/api/roles',
    access: 'users.read',
    summary: 'List roles with their permissions',
    query: roleListQuery,
    status: 200,
    response: rolesBody,
    handle: ({ query, principal }) => readRolesBody(services.database.db, services, principal, query),
  });

const change = (services: RoleServices): Route =>
  jsonRoute({
    method: 'put',
    path: '/api/roles',
    access: 'users.update',
    summary: 'Change, add and remove roles',
    description: [
      'Administrators only, and not with an API key. The body is the whole set: a role that is not listed is removed. Built-in roles cannot be removed, nor roles that users have (409, `role_in_use`). `admin` keeps `*`, which no other role can have.',
      'Changes apply to the next request of every user and to open event connections, and are in the audit log. If ROLES_FILE is set, it defines the roles, and the answer is 409 with the reason `roles_from_file`.',
    ].join('\n\n'),
    errors: { DUPLICATE_RESOURCE: 'DUPLICATE_RESOURCE' },
    body: rolesRequest,
    status: 200,
    response: rolesBody,
    present: ({ principal }, db) => {
      requireAdministrator(principal);
      return readRolesBody(db, services, principal);
    },
    handle: async ({ body, principal, context }) => {
      const { database, configured, identity } = services;
      requireAdministrator(principal);
      if (configured.areFromFile) throw reasonedError('DUPLICATE_RESOURCE', 'roles_from_file', { variable: 'ROLES_FILE' });
      await database.db.transaction((tx) =>
        changeRoles(tx, configured, body.roles, { principal, address: context.address, requireMatch: context.requireMatch }),
      );
      identity.forgetAll();
      return readRolesBody(database.db, services, principal);
    },
  });

export const roleRoutes = (services: RoleServices): readonly Route[] => [read(services), change(services)];
