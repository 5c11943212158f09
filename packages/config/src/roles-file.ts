import { BUILT_IN_ROLES, isKnownPermission, ROLE_NAME, type RolePermissions } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import { lateYaml } from './late-yaml.ts';
import { readingFailure, readRegularFile } from './regular-file.ts';

export type RolesResult = { readonly ok: true; readonly roles: RolePermissions } | { readonly ok: false; readonly message: string };

const MAX_BYTES = 1024 * 1024;

const roleName = z.string().regex(ROLE_NAME, 'is not a role name: 1 to 64 letters, digits, underscores or dashes');
const permission = z.string().refine(isKnownPermission, { error: ({ input }) => `"${String(input)}" is not a permission` });
const rolesFile = z.strictObject({
  roles: z
    .record(roleName, z.strictObject({ permissions: z.array(permission) }))
    // A file that takes it away would leave a service that nobody can administer.
    .refine(({ admin }) => admin === undefined || admin.permissions.includes('*'), {
      path: ['admin', 'permissions'],
      error: 'must contain "*"; otherwise nobody can administer the service',
    }),
});

const toMessage = (path: string, error: z.ZodError): string =>
  `names an invalid file: ${path}: ${error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`).join('; ')}`;

/** The built-in roles with those of the file over them; the built-in ones alone without a file. */
export const readRoles = (path: string | undefined): RolesResult => {
  if (path === undefined) return { ok: true, roles: BUILT_IN_ROLES };
  try {
    const bytes = readRegularFile(path, MAX_BYTES);
    if (bytes.length > MAX_BYTES) return { ok: false, message: `names a file that is too large: ${path}` };
    // Anchors cost nothing here, but a file of a few lines must not unfold to gigabytes.
    const parsed = rolesFile.safeParse(lateYaml().parse(bytes.toString('utf8'), { maxAliasCount: 100 }));
    if (!parsed.success) return { ok: false, message: toMessage(path, parsed.error) };
    const given = Object.entries(parsed.data.roles).map(([role, { permissions }]) => [role, permissions] as const);
    return { ok: true, roles: { ...BUILT_IN_ROLES, ...Object.fromEntries(given) } };
  } catch (error) {
    return { ok: false, message: `names a file that cannot be read: ${path}: ${readingFailure(error)}` };
  }
};
