// The rows of the specification's tables about users, roles, passwords and mail: name, default, and where the value arrives.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config } from '@sheaf/config';
import { BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import test from 'ava';
import { openConfiguration, type VariableRow } from '../support/configuration.ts';

const { folder, load } = openConfiguration();
const rolesFile = join(folder, 'roles.yml');
writeFileSync(rolesFile, 'roles:\n  clerk:\n    permissions: [documents.read]\n');

const MAIL = {
  SMTP_HOST: 'mail.example.org',
  SMTP_USERNAME: 'sheaf',
  SMTP_PASSWORD: 'secret',
  SMTP_FROM_ADDRESS: 'sheaf@example.org',
};
const LONG = 'k'.repeat(32);

const ROWS: readonly VariableRow[] = [
  {
    table: 'Authentication',
    name: 'AUTH_ENABLED',
    read: ({ signIn }) => signIn.enabled,
    byDefault: true,
    given: ['false', false],
    beside: { SERVER_HOST: '127.0.0.1' },
  },
  { table: 'Authentication', name: 'AUTH_METHOD', read: ({ signIn }) => signIn.method, byDefault: 'local', given: ['LOCAL', 'local'] },
  {
    table: 'Authentication',
    name: 'DEFAULT_USER_ROLE',
    read: ({ signIn }) => signIn.defaultRole,
    byDefault: 'viewer',
    given: ['clerk', 'clerk'],
    beside: { ROLES_FILE: rolesFile },
  },
  {
    table: 'Authentication',
    name: 'AUTO_CREATE_USERS',
    read: ({ signIn }) => signIn.autoCreateUsers,
    byDefault: false,
    given: ['true', true],
  },
  {
    table: 'Authentication',
    name: 'ENABLE_REGISTRATION',
    read: ({ signIn }) => signIn.registrationEnabled,
    byDefault: false,
    given: ['true', true],
  },
  {
    table: 'Authentication',
    name: 'REQUIRE_EMAIL_VERIFICATION',
    read: ({ signIn }) => signIn.emailVerificationRequired,
    byDefault: false,
    given: ['true', true],
    beside: MAIL,
  },
  {
    table: 'Authentication',
    name: 'PASSWORD_MIN_LENGTH',
    read: ({ signIn }) => signIn.passwordPolicy.minLength,
    byDefault: 8,
    given: ['12', 12],
  },
  {
    table: 'Authentication',
    name: 'PASSWORD_REQUIRE_SPECIAL',
    read: ({ signIn }) => signIn.passwordPolicy.requireSpecial,
    byDefault: false,
    given: ['true', true],
  },
  {
    table: 'Authentication',
    name: 'PASSWORD_REQUIRE_NUMBERS',
    read: ({ signIn }) => signIn.passwordPolicy.requireNumbers,
    byDefault: false,
    given: ['true', true],
  },
  {
    table: 'Authentication',
    name: 'MAX_LOGIN_ATTEMPTS',
    read: ({ signIn }) => signIn.lockout.maxAttempts,
    byDefault: 5,
    given: ['3', 3],
  },
  {
    table: 'Authentication',
    name: 'LOCKOUT_DURATION',
    read: ({ signIn }) => signIn.lockout.durationMs,
    byDefault: 900_000,
    given: ['60', 60_000],
  },
  {
    table: 'Roles',
    name: 'ROLES_FILE',
    read: ({ signIn }) => signIn.roles.permissions,
    byDefault: BUILT_IN_ROLES,
    given: [rolesFile, { ...BUILT_IN_ROLES, clerk: ['documents.read'] }],
  },
  {
    table: 'Core',
    name: 'PUBLIC_URL',
    read: ({ publicUrl }) => publicUrl,
    byDefault: 'http://localhost:8080',
    given: ['https://a.b/', 'https://a.b'],
  },
  { table: 'Notifications', name: 'SMTP_HOST', read: ({ mail }) => mail?.host, byDefault: undefined, given: ['a.b', 'a.b'], beside: MAIL },
  {
    table: 'Notifications',
    name: 'SMTP_USERNAME',
    read: ({ mail }) => mail?.username,
    byDefault: undefined,
    given: ['u', 'u'],
    beside: MAIL,
  },
  {
    table: 'Notifications',
    name: 'SMTP_PASSWORD',
    read: ({ mail }) => mail?.password.reveal(),
    byDefault: undefined,
    given: ['p', 'p'],
    beside: MAIL,
  },
  {
    table: 'Notifications',
    name: 'SMTP_FROM_ADDRESS',
    read: ({ mail }) => mail?.from,
    byDefault: undefined,
    given: ['a@b.c', 'a@b.c'],
    beside: MAIL,
  },
];

for (const { table, name, read, byDefault, given, beside } of ROWS) {
  test(`${table}: ${name}`, (t) => {
    t.deepEqual(read(load()), byDefault, 'by default');
    t.deepEqual(read(load({ ...beside, [name]: given[0] })), given[1], 'when set');
  });
}

test('Notifications: SMTP_PORT and SMTP_USE_TLS', (t) => {
  t.like(load(MAIL).mail, { port: 587, useTls: true });
  t.like(load({ ...MAIL, SMTP_PORT: '25', SMTP_USE_TLS: 'false' }).mail, { port: 25, useTls: false });
});

for (const name of ['APP_SECRET_KEY', 'SESSION_SECRET'] as const) {
  test(`Core, Authentication: ${name} is made once where it is not set`, (t) => {
    const read = ({ signIn }: Config) => (name === 'APP_SECRET_KEY' ? signIn.appSecretKey : signIn.sessionSecret).reveal();
    t.true(read(load()).length >= 32);
    t.is(read(load()), read(load()));
    t.is(read(load({ [name]: LONG })), LONG);
  });
}
