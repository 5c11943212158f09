import type { Secret } from '@sheaf/contract';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import type { GeneratedSecrets } from './generated-secrets.ts';
import type { Values } from './parse.ts';
import { readRoles } from './roles-file.ts';

/** The built-in roles, or those of a file that was checked: throws where it has become bad meanwhile. */
export const readCheckedRoles = (path: string | undefined): ConfiguredRoles => {
  const result = readRoles(path);
  if (!result.ok) throw new Error(`ROLES_FILE ${result.message}`); // it was good a moment ago, when it was checked
  return { permissions: result.roles, areFromFile: path !== undefined };
};

/** Who may come in, by what, and what he may do then. */
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
