import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '@sheaf/config';
import anyTest, { type TestFn } from 'ava';

const test = anyTest as TestFn<string>;
test.beforeEach(async (t) => {
  t.context = await mkdtemp(join(tmpdir(), 'sheaf-config-'));
});
test.afterEach.always((t) => rm(t.context, { recursive: true, force: true }));

const load = (folder: string, environment: Record<string, string> = {}) =>
  loadConfig({
    environment: {
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      WATCH_FOLDER: join(folder, 'watch'),
      ...environment,
    },
  });

const issues = (folder: string, environment: Record<string, string>): Record<string, string> => {
  try {
    load(folder, environment);
    return {};
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.issues.map(({ variable, message }) => [variable, message]));
  }
};

const givenRoles = (folder: string, text: string): string => {
  const path = join(folder, 'roles.yml');
  writeFileSync(path, text);
  return path;
};

test('a file of roles replaces built-in ones and adds others', (t) => {
  const path = givenRoles(
    t.context,
    'roles:\n  viewer:\n    permissions: [documents.read.own]\n  clerk:\n    permissions:\n      - documents.*\n      - users.read\n',
  );
  const { roles } = load(t.context, { ROLES_FILE: path }).config.signIn;
  t.deepEqual(roles.permissions['viewer'], ['documents.read.own']);
  t.deepEqual(roles.permissions['clerk'], ['documents.*', 'users.read']);
  t.deepEqual(roles.permissions['admin'], ['*']);
  t.true(roles.areFromFile);
});

test('a permission that does not exist ends the start, named with its file', (t) => {
  const path = givenRoles(t.context, 'roles:\n  clerk:\n    permissions: [documents.reed]\n');
  const message = issues(t.context, { ROLES_FILE: path })['ROLES_FILE'] ?? '';
  t.true(message.includes('documents.reed'));
  t.true(message.includes(path));
});

test('a file of roles that is missing, malformed, or leaves no administrator ends the start', (t) => {
  for (const text of [
    'roles: [',
    'rolls: {}',
    'roles:\n  clerk: [documents.read]\n',
    'roles:\n  clerk:\n    permissions: documents.read\n',
    'roles:\n  admin:\n    permissions: [documents.read]\n',
    'roles:\n  "bad name":\n    permissions: []\n',
  ]) {
    t.deepEqual(Object.keys(issues(t.context, { ROLES_FILE: givenRoles(t.context, text) })), ['ROLES_FILE'], text);
  }
  t.deepEqual(Object.keys(issues(t.context, { ROLES_FILE: join(t.context, 'none.yml') })), ['ROLES_FILE']);
  t.regex(issues(t.context, { ROLES_FILE: givenRoles(t.context, '['.repeat(300_000)) })['ROLES_FILE'] ?? '', /too many nested levels$/);
});

test('the default role is one that exists', (t) => {
  t.deepEqual(Object.keys(issues(t.context, { DEFAULT_USER_ROLE: 'clerk' })), ['DEFAULT_USER_ROLE']);
});

test('without sign-in the service listens on loopback only', (t) => {
  for (const address of [{}, { SERVER_HOST: '10.0.0.1' }, { SERVER_ADDRESS: '[::]:80' }, { SERVER_HOST: '127.evil.example' }]) {
    t.deepEqual(Object.keys(issues(t.context, { AUTH_ENABLED: 'false', ...address })), ['AUTH_ENABLED'], JSON.stringify(address));
  }
  for (const address of [{ SERVER_HOST: '127.0.0.2' }, { SERVER_ADDRESS: '[::1]:80' }, { SERVER_HOST: 'localhost' }]) {
    t.deepEqual(issues(t.context, { AUTH_ENABLED: 'false', ...address }), {}, JSON.stringify(address));
  }
});

test('confirming addresses needs a mail server, and secrets of one’s own are long', (t) => {
  t.deepEqual(Object.keys(issues(t.context, { REQUIRE_EMAIL_VERIFICATION: 'true', SMTP_HOST: 'mail' })).toSorted(), [
    'SMTP_FROM_ADDRESS',
    'SMTP_PASSWORD',
    'SMTP_USERNAME',
  ]);
  const short = { APP_SECRET_KEY: 'short', SESSION_SECRET: 'short' };
  t.deepEqual(Object.keys(issues(t.context, short)).toSorted(), ['APP_SECRET_KEY', 'SESSION_SECRET']);
  for (const url of ['papers.example.org', 'ftp://a.b', 'https://u:p@a.b', 'https://a.b?x=1'])
    t.deepEqual(Object.keys(issues(t.context, { PUBLIC_URL: url })), ['PUBLIC_URL'], url);
});

test('the secrets of an earlier version stay, and what it lacked is added once', async (t) => {
  await mkdir(join(t.context, 'data'));
  const path = join(t.context, 'data/secrets.json');
  const old = { jwt_secret: 'j'.repeat(40), database_password: 'p'.repeat(20), of_a_later_version: 'kept' };
  writeFileSync(path, JSON.stringify(old), { mode: 0o600 });
  const { signIn: first, tokens } = load(t.context).config;
  t.is(tokens.secret.reveal(), old.jwt_secret);
  t.like(JSON.parse(readFileSync(path, 'utf8')) as object, old);
  const second = load(t.context).config.signIn;
  t.is(second.appSecretKey.reveal(), first.appSecretKey.reveal());
  t.is(second.sessionSecret.reveal(), first.sessionSecret.reveal());
  // another process that had read the old file when this one began to add
  writeFileSync(path, JSON.stringify(old), { mode: 0o600 });
  t.is(load(t.context).config.signIn.appSecretKey.reveal(), first.appSecretKey.reveal());
});

test('a file of secrets that cannot be read is not replaced', async (t) => {
  await mkdir(join(t.context, 'data'));
  writeFileSync(join(t.context, 'data/secrets.json'), '{"jwt_secret": "sho');
  t.throws(() => load(t.context), { message: /cannot be read/ });
  t.is(readFileSync(join(t.context, 'data/secrets.json'), 'utf8'), '{"jwt_secret": "sho');
});

test('strangers never become administrators by default', (t) => {
  for (const open of ['ENABLE_REGISTRATION', 'AUTO_CREATE_USERS', 'OIDC_AUTO_CREATE_USERS'])
    t.deepEqual(Object.keys(issues(t.context, { DEFAULT_USER_ROLE: 'admin', [open]: 'true' })), ['DEFAULT_USER_ROLE'], open);
  t.deepEqual(issues(t.context, { DEFAULT_USER_ROLE: 'admin' }), {});
  t.deepEqual(issues(t.context, { DEFAULT_USER_ROLE: 'editor', ENABLE_REGISTRATION: 'true' }), {});
});
