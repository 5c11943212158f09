import type { Secret } from '@sheaf/contract';
import { BUILT_IN_ROLES, type ConfiguredRoles, isKnownPermission, ROLE_NAME, type RolePermissions } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { GeneratedSecrets } from './generated-secrets.ts';
import type { Values } from './parse.ts';
import { readingFailure, readRegularFile } from './regular-file.ts';
import { lateYaml } from './yaml-text.ts';

/** The built-in roles, or those of a file that was checked: throws where it has become bad meanwhile. */
export const readCheckedRoles = (path: string | undefined): ConfiguredRoles => {
  const result = readRoles(path);
  if (!result.ok) throw new Error(`ROLES_FILE ${result.message}`); // it was good a moment ago, when it was checked
  return { permissions: result.roles, areFromFile: path !== undefined };
};

/** Who may sign in, by what, and what they may do then. */
export const signInConfig = (v: Values, generated: GeneratedSecrets, roles: ConfiguredRoles) => ({
  enabled: v.AUTH_ENABLED,
  method: v.AUTH_METHOD,
  /** Encrypts what has to be read again. */
  appSecretKey: v.APP_SECRET_KEY ?? generated.appSecretKey,
  sessionSecret: v.SESSION_SECRET ?? generated.sessionSecret,
  adminPassword: v.ADMIN_PASSWORD,
  autoCreateUsers: v.AUTO_CREATE_USERS,
  registrationEnabled: v.ENABLE_REGISTRATION,
  emailVerificationRequired: v.REQUIRE_EMAIL_VERIFICATION,
  defaultRole: v.DEFAULT_USER_ROLE,
  roles,
  passwordPolicy: {
    minLength: v.PASSWORD_MIN_LENGTH,
    requireSpecial: v.PASSWORD_REQUIRE_SPECIAL,
    requireNumbers: v.PASSWORD_REQUIRE_NUMBERS,
  },
  lockout: { maxAttempts: v.MAX_LOGIN_ATTEMPTS, durationMs: v.LOCKOUT_DURATION * 1_000 },
});

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly useTls: boolean;
  readonly username: string;
  readonly password: Secret;
  readonly from: string;
}

/** The mail server, where one is named whole. */
export const mailConfig = (v: Values): MailConfig | undefined => {
  const { SMTP_HOST: host, SMTP_USERNAME: username, SMTP_PASSWORD: password, SMTP_FROM_ADDRESS: from } = v;
  if (host === undefined || username === undefined || password === undefined || from === undefined) return undefined;
  return { host, port: v.SMTP_PORT, useTls: v.SMTP_USE_TLS, username, password, from };
};

type RolesResult = { readonly ok: true; readonly roles: RolePermissions } | { readonly ok: false; readonly message: string };

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
