import { MAX_PER_PAGE } from '@sheaf/vocabulary/limits';
import { isKnownPermission, ROLE_NAME } from '@sheaf/vocabulary/permissions';
import { ROLE_SORT_FIELDS } from '@sheaf/vocabulary/sort-fields';
import { z } from 'zod';
import { rule, textLike } from '../issue.ts';
import { pageQuery, paginationBody } from '../page.ts';

/** No more than one page of a list. */
const MAX_ROLES = MAX_PER_PAGE;
const MAX_PERMISSIONS = 200;

const isBuiltInField = z.boolean().describe('The role is part of the service: it can be changed, but not removed');
const isChangedField = z.boolean().describe('The permissions of this built-in role differ from the original ones');
const userCountField = z.int().min(0).describe('Users with this role, as far as you may read them');

/** Choice: all roles on one page, as a change takes all of them. */
export const roleListQuery = pageQuery.extend({
  per_page: pageQuery.shape.per_page.unwrap().default(MAX_PER_PAGE),
  sort: z.enum(ROLE_SORT_FIELDS).optional().describe('Default: built-in roles first'),
  order: z.enum(['asc', 'desc']).default('asc'),
});
export type RoleListQuery = z.infer<typeof roleListQuery>;

const roleBody = z
  .strictObject({
    name: z.string(),
    is_built_in: isBuiltInField,
    is_changed: isChangedField,
    permissions: z.array(z.string()),
    user_count: userCountField,
  })
  .meta({ id: 'Role' });
export type RoleBody = z.infer<typeof roleBody>;

export const rolesBody = z
  .strictObject({
    roles: z.array(roleBody),
    permissions: z.array(z.string()).describe('All permissions that a role can have'),
    is_editable: z.boolean().describe('False if ROLES_FILE defines the roles'),
    pagination: paginationBody,
  })
  .meta({ id: 'Roles' });
export type RolesBody = z.infer<typeof rolesBody>;

const permissionField = z
  .string()
  .max(100)
  .superRefine((permission, context) => {
    if (!isKnownPermission(permission)) context.addIssue({ code: 'custom', ...issueOf(permission) });
  });

const issueOf = (permission: string) => {
  const { error, params } = rule('no_such_permission', { permission });
  return { message: error, params };
};

const roleRequest = z
  .strictObject({
    name: textLike(ROLE_NAME, 'not_role_name'),
    permissions: z.array(permissionField).max(MAX_PERMISSIONS),
    is_built_in: isBuiltInField.optional(),
    is_changed: isChangedField.optional(),
    user_count: userCountField.optional(),
  })
  .meta({ id: 'RoleRequest' });
export type RoleRequest = z.infer<typeof roleRequest>;

export const rolesRequest = z
  .strictObject({ roles: z.array(roleRequest).max(MAX_ROLES).describe('All roles; a role that is not listed is removed') })
  .meta({ id: 'RolesRequest' });
