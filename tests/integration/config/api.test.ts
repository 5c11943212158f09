// What variables of the api do, seen by a client: folders, cookies, passwords, defaults of documents, addresses.

import { existsSync } from 'node:fs';
import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient, drawLines, makePdf, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { freePort } from '../../support/free-port.ts';
import { startApi } from '../../support/running-api.ts';
import { startSurface } from '../../support/surface.ts';

test('DATA_PATH, UPLOAD_PATH, TEMP_STORAGE_PATH and THUMBNAIL_PATH are where secrets, documents, drafts and thumbnails lie', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-paths-'));
  const at = (name: string): string => join(folder.path, name);
  const { admin, stop } = await startApi({
    DATA_PATH: at('own'),
    UPLOAD_PATH: at('papers'),
    TEMP_STORAGE_PATH: at('drafts'),
    THUMBNAIL_PATH: at('pictures'),
  });
  t.teardown(stop);
  const bytes = new Uint8Array(await drawLines(['a letter']).png().toBuffer());
  const { body } = await admin.upload({ name: 'letter.png', bytes });
  t.is((await admin.request(`/api/documents/${String(body['id'])}/thumbnail`)).status, 200);
  t.is((await stat(at('own/secrets.json'))).mode & 0o777, 0o600);
  const filesOf = async (name: string): Promise<Buffer[]> => {
    const entries = await readdir(at(name), { recursive: true, withFileTypes: true });
    return Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))));
  };
  t.true((await filesOf('papers')).some((file) => file.equals(bytes)));
  t.true((await filesOf('pictures')).length > 0);
  t.true(existsSync(at('drafts')));
  t.false(existsSync(at('papers/temp')) || existsSync(at('papers/thumbnails')));
});

test('SESSION_COOKIE_* are what the cookie says, and PASSWORD_* what a password needs', async (t) => {
  const { anyone, admin, stop } = await startApi({
    SESSION_COOKIE_NAME: 'paper',
    SESSION_COOKIE_SECURE: 'true',
    SESSION_COOKIE_HTTPONLY: 'false',
    SESSION_COOKIE_SAMESITE: 'strict',
    PASSWORD_MIN_LENGTH: '12',
  });
  t.teardown(stop);
  const answer = await anyone.request('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'correct horse battery', cookie: true }),
  });
  t.regex(answer.headers.getSetCookie()[0] ?? '', /^paper=[\w-]{43}; Path=\/; Secure; SameSite=Strict$/);
  const make = async (password: string) => {
    const username = `u${password.length}`;
    return (await admin.post('/api/users', { username, email: `${username}@example.org`, role: 'viewer', password })).status;
  };
  t.is(await make('eleven-long'), 400);
  t.is(await make('twelve--long'), 201);
});

test('PASSWORD_REQUIRE_SPECIAL and PASSWORD_REQUIRE_NUMBERS ask for such characters', async (t) => {
  await using database = await openTestDatabase();
  let number = 0;
  const register = async (environment: Readonly<Record<string, string>>, password: string) => {
    await using api = await startApiWithPermissions(database, {}, [], {}, { ENABLE_REGISTRATION: 'true', ...environment });
    const username = `user${(number += 1)}`;
    return (await new ApiClient(api.url).post('/api/auth/register', { username, email: `${username}@example.org`, password })).status;
  };
  t.is(await register({ PASSWORD_REQUIRE_SPECIAL: 'true' }, 'letters9only'), 400);
  t.is(await register({ PASSWORD_REQUIRE_SPECIAL: 'true' }, 'letters-only'), 201);
  t.is(await register({ PASSWORD_REQUIRE_NUMBERS: 'true' }, 'letters-and-more'), 400);
  t.is(await register({ PASSWORD_REQUIRE_NUMBERS: 'true' }, 'letters9more'), 201);
});

test('ALLOWED_FILE_TYPES and MAX_FILE_SIZE_MB are what an upload may be', async (t) => {
  const { admin, stop } = await startApi({ ALLOWED_FILE_TYPES: 'txt', MAX_FILE_SIZE_MB: '1' });
  t.teardown(stop);
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) => (await admin.upload({ name, bytes })).status;
  t.is(await upload('a.txt', new Uint8Array(1_000).fill(97)), 201);
  t.is(await upload('large.txt', new Uint8Array(1_100_000).fill(97)), 400);
  t.is(await upload('a.pdf', new Uint8Array(makePdf([{ lines: ['a letter'] }]))), 400);
});

test('OCR_LANGUAGE and OCR_RETRY_ATTEMPTS are what a document is queued with, DEFAULT_USER_ROLE what a stranger becomes', async (t) => {
  const { admin, anyone, stop } = await startApi({
    OCR_LANGUAGE: 'deu',
    OCR_RETRY_ATTEMPTS: '1',
    ENABLE_REGISTRATION: 'true',
    DEFAULT_USER_ROLE: 'auditor',
  });
  t.teardown(stop);
  const { body } = await admin.upload({ name: 'a.txt', bytes: new TextEncoder().encode('a letter') });
  t.is(body['ocr_language'], 'deu');
  const queue = await admin.get('/api/ocr/queue');
  t.is((queue.body['data'] as Record<string, unknown>[])[0]?.['max_attempts'], 2);
  const stranger = await anyone.post('/api/auth/register', {
    username: 'eve',
    email: 'eve@example.org',
    password: 'correct horse battery',
  });
  t.is(stranger.body['role'], 'auditor');
});

test('ADMIN_PASSWORD makes the first administrator', async (t) => {
  const { admin, stop } = await startApi({ ADMIN_PASSWORD: 'from the environment' });
  t.teardown(stop);
  t.like((await admin.get('/api/auth/me')).body, { username: 'admin', role: 'admin' });
});

test('ROLES_FILE decides what a role may do', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-roles-'));
  await writeFile(join(folder.path, 'roles.yml'), 'roles:\n  viewer: {permissions: [labels.read]}\n');
  const { admin, anyone, stop } = await startApi({ ROLES_FILE: join(folder.path, 'roles.yml') });
  t.teardown(stop);
  await admin.post('/api/users', { username: 'vera', email: 'vera@example.org', role: 'viewer', password: 'correct horse battery' });
  const vera = await anyone.login('vera');
  t.deepEqual([(await vera.get('/api/labels')).status, (await vera.get('/api/documents')).status], [200, 403]);
});

test('SERVER_HOST and SERVER_PORT are where it listens, while SERVER_ADDRESS is not set', async (t) => {
  const port = await freePort();
  await using surface = await startSurface({ SERVER_ADDRESS: '', SERVER_HOST: '127.0.0.3', SERVER_PORT: String(port) });
  t.is(surface.port, port);
  t.is((await fetch(`http://127.0.0.3:${port}/api/open`)).status, 200);
  await t.throwsAsync(fetch(`http://127.0.0.1:${port}/api/open`));
});

test('VERSIONS_KEEP is how many earlier files a document keeps', async (t) => {
  const { admin, stop, storedFiles } = await startApi({ VERSIONS_KEEP: '1' });
  t.teardown(stop);
  const { body } = await admin.upload({ name: 'a.txt', bytes: new TextEncoder().encode('file 1') });
  for (const n of [2, 3]) {
    const form = new FormData();
    form.set('file', new Blob([`file ${n}`]), 'a.txt');
    t.is((await admin.request(`/api/documents/${String(body['id'])}/content`, { method: 'PUT', body: form })).status, 200);
  }
  const { data } = (await admin.get(`/api/documents/${String(body['id'])}/versions`)).body;
  t.deepEqual(
    (data as { version: number }[]).map(({ version }) => version),
    [3, 2],
  );
  t.is((await storedFiles()).filter((path) => path.includes('/documents/')).length, 2);
});
