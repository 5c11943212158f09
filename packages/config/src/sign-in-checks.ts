import { isIPv4 } from 'node:net';
import type { Secret } from '@sheaf/contract';
import { englishMessage } from '@sheaf/messages/english';
import type { Values } from './parse.ts';
import { readRoles } from './sign-in.ts';

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
