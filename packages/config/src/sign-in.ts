import { isIPv4 } from 'node:net';
import type { Secret } from '@sheaf/contract';
import { englishMessage } from '@sheaf/messages/english';
import { BUILT_IN_ROLES, type ConfiguredRoles, isKnownPermission, ROLE_NAME, type RolePermissions } from '@sheaf/vocabulary/permissions';
import { z } from 'zod';
import type { GeneratedSecrets } from './generated-secrets.ts';
import type { Values } from './parse.ts';
import { readingFailure, readRegularFile } from './regular-file.ts';
import { lateYaml } from './yaml-text.ts';

/** What RFC 6265 and RFC 9110 let names of cookies and of headers be made of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that mean something else already, or that others set. */
const TAKEN_HEADERS = ['authorization', 'cookie', 'host', 'content-type', 'content-length', 'origin', 'x-csrf-token', 'x-request-id'];

const checkCookieName: Check = ({ SESSION_COOKIE_NAME: name, SESSION_COOKIE_SECURE: secure }) => {
  if (name === undefined) return undefined;
  if (!TOKEN.test(name)) return 'must be a cookie name: letters, digits, _ and -';
  return /^__(host|secure)-/i.test(name) && secure !== true
    ? 'can start with __Host- or __Secure- only if SESSION_COOKIE_SECURE=true'
    : undefined;
};

const checkSameSite: Check = ({ SESSION_COOKIE_SAMESITE: sameSite, SESSION_COOKIE_SECURE: secure }) =>
  sameSite === 'none' && secure !== true
    ? 'can be None only if SESSION_COOKIE_SECURE=true: browsers reject the cookie otherwise; set SESSION_COOKIE_SECURE=true or use Lax'
    : undefined;

const checkStoreUrl: Check = ({ SESSION_BACKEND: backend, STORE_SESSION_URL: url }) => {
  if (url === undefined) return backend === 'redis' ? 'is required when SESSION_BACKEND=redis' : undefined;
  const parsed = URL.canParse(url.reveal()) ? new URL(url.reveal()) : undefined;
  return parsed !== undefined && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? undefined
    : 'must be a URL such as redis://user:password@host:6379/0';
};

const checkKeyHeader: Check = ({ API_KEY_HEADER: header }) => {
  if (header === undefined) return undefined;
  if (!TOKEN.test(header)) return 'must be a header name such as X-API-Key';
  return TAKEN_HEADERS.includes(header.toLowerCase()) ? 'is a header with another meaning; choose one such as X-API-Key' : undefined;
};

/** The rules across variables about sessions and keys, by the variable that is to be mended. */
export const SESSION_CHECKS: Readonly<Record<string, Check>> = {
  SESSION_COOKIE_NAME: checkCookieName,
  SESSION_COOKIE_SAMESITE: checkSameSite,
  STORE_SESSION_URL: checkStoreUrl,
  API_KEY_HEADER: checkKeyHeader,
};

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

type Check = (values: Partial<Values>) => string | undefined;

const MIN_SECRET_CHARACTERS = 32;

const checkSecret = (value: Secret | undefined): string | undefined =>
  value === undefined || value.reveal().length >= MIN_SECRET_CHARACTERS
    ? undefined
    : `must have at least ${MIN_SECRET_CHARACTERS} characters; \`openssl rand -base64 48\` makes one`;

const hostOf = ({ SERVER_ADDRESS, SERVER_HOST }: Partial<Values>): string =>
  SERVER_ADDRESS === undefined ? (SERVER_HOST ?? '') : SERVER_ADDRESS.slice(0, SERVER_ADDRESS.lastIndexOf(':'));

const isLoopback = (host: string): boolean => {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
};

/** Without sign-in whoever reaches the port is administrator. */
const checkAuthEnabled: Check = (values) =>
  values.AUTH_ENABLED !== false || isLoopback(hostOf(values))
    ? undefined
    : 'must not be false unless the service is bound to a loopback address; set SERVER_HOST=127.0.0.1 or AUTH_ENABLED=true';

const checkRolesFile: Check = ({ ROLES_FILE }) => {
  const result = readRoles(ROLES_FILE);
  return result.ok ? undefined : result.message;
};

const checkDefaultRole: Check = ({
  DEFAULT_USER_ROLE: role,
  ROLES_FILE,
  ENABLE_REGISTRATION,
  AUTO_CREATE_USERS,
  OIDC_AUTO_CREATE_USERS,
}) => {
  const result = readRoles(ROLES_FILE);
  if (role === undefined || !result.ok) return undefined;
  const isOpen = ENABLE_REGISTRATION === true || AUTO_CREATE_USERS === true || OIDC_AUTO_CREATE_USERS === true;
  if (!isOpen || result.roles[role]?.includes('*') !== true) return undefined;
  return 'must not be an administrator role while accounts are created automatically (ENABLE_REGISTRATION, AUTO_CREATE_USERS, OIDC_AUTO_CREATE_USERS)';
};

const neededForMail =
  (name: 'SMTP_HOST' | 'SMTP_USERNAME' | 'SMTP_PASSWORD' | 'SMTP_FROM_ADDRESS'): Check =>
  (values) => {
    if (values[name] !== undefined) return undefined;
    const cause = (['EMAIL_ENABLED', 'REQUIRE_EMAIL_VERIFICATION'] as const).find((variable) => values[variable] === true);
    return cause && `is required when ${cause}=true`;
  };

/** The first administrator has no weaker password than anybody else. */
const checkAdminPassword: Check = ({ ADMIN_PASSWORD, PASSWORD_MIN_LENGTH, PASSWORD_REQUIRE_NUMBERS, PASSWORD_REQUIRE_SPECIAL }) => {
  if (ADMIN_PASSWORD === undefined) return undefined;
  const password = ADMIN_PASSWORD.reveal();
  const minimum = PASSWORD_MIN_LENGTH ?? 0;
  if (Array.from(password).length < minimum) return englishMessage('issues.too_short', { minimum });
  if (PASSWORD_REQUIRE_NUMBERS === true && !/\d/.test(password)) return englishMessage('issues.no_digit');
  return PASSWORD_REQUIRE_SPECIAL === true && /^[\p{L}\p{N}]*$/u.test(password) ? englishMessage('issues.no_special_character') : undefined;
};

/** The rules across variables about who may sign in and how mail leaves, by the variable that is to be mended. */
export const SIGN_IN_CHECKS: Readonly<Record<string, Check>> = {
  AUTH_ENABLED: checkAuthEnabled,
  ROLES_FILE: checkRolesFile,
  DEFAULT_USER_ROLE: checkDefaultRole,
  APP_SECRET_KEY: ({ APP_SECRET_KEY }) => checkSecret(APP_SECRET_KEY),
  SESSION_SECRET: ({ SESSION_SECRET }) => checkSecret(SESSION_SECRET),
  ADMIN_PASSWORD: checkAdminPassword,
  SMTP_HOST: neededForMail('SMTP_HOST'),
  SMTP_USERNAME: neededForMail('SMTP_USERNAME'),
  SMTP_PASSWORD: neededForMail('SMTP_PASSWORD'),
  SMTP_FROM_ADDRESS: neededForMail('SMTP_FROM_ADDRESS'),
};
