// The rows of the specification about the watch directories of users: the three endpoints, their rules and their statuses.
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidv7 } from '@sheaf/process';
import type { Answer, ApiClient } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { conditionOf } from '../support/error-condition.ts';
import { type RunningApi, startApi, testWithApi } from '../support/running-api.ts';

const test = testWithApi({ ENABLE_PER_USER_WATCH: 'true' });

interface Someone {
  readonly id: string;
  readonly client: ApiClient;
  readonly path: string;
  readonly directory: string;
}

const given = async ({ admin, anyone, folder }: RunningApi, username: string, role = 'viewer'): Promise<Someone> => {
  const { body } = await admin.post('/api/users', { username, email: `${username}@example.org`, password: 'correct horse battery', role });
  const id = String(body['id']);
  return {
    id,
    client: await anyone.login(username),
    path: `/api/users/${id}/watch-directory`,
    directory: join(folder, 'user_watch', username),
  };
};

const codeOf = ({ body }: Answer): unknown => conditionOf(body);
const CREATE = { ensure_created: true };

const refused = (t: ExecutionContext<RunningApi>, answer: Answer, status: number, code: string): void => {
  t.is(answer.status, status, JSON.stringify(answer.body));
  t.is(codeOf(answer), code);
};

const allThree = async (client: ApiClient, path: string): Promise<Answer[]> => [
  await client.get(path),
  await client.post(path, CREATE),
  await client.delete(path),
];

test('GET: 200 with {user_id, username, watch_directory_path, exists, enabled}', async (t) => {
  const { id, client, path, directory } = await given(t.context, 'get-shape');
  const absent = await client.get(path);
  t.is(absent.status, 200);
  t.deepEqual(absent.body, { user_id: id, username: 'get-shape', watch_directory_path: directory, exists: false, enabled: true });
  await client.post(path, CREATE);
  t.deepEqual((await client.get(path)).body, { ...absent.body, exists: true });
});

test('GET: watch_directory_path is null while something else is in its place', async (t) => {
  const { client, path, directory } = await given(t.context, 'get-null');
  await mkdir(join(directory, '..'), { recursive: true });
  await symlink('/', directory);
  t.like((await client.get(path)).body, { watch_directory_path: null, exists: false });
});

test('POST: {ensure_created} answers 200 {success, message, watch_directory_path}', async (t) => {
  const { client, path, directory } = await given(t.context, 'post-shape');
  const { status, body } = await client.post(path, CREATE);
  t.is(status, 200);
  t.deepEqual(Object.keys(body).toSorted(), ['message', 'success', 'watch_directory_path']);
  t.like(body, { success: true, watch_directory_path: directory });
  t.is(typeof body['message'], 'string');
  t.is((await stat(directory)).mode & 0o7777, 0o755);
});

test('POST: ensure_created is a boolean, and true where it is not there', async (t) => {
  const { client, path } = await given(t.context, 'post-strict');
  for (const body of [{ ensure_created: 'true' }, { ensure_created: 1 }, { ...CREATE, path: '/etc' }, []])
    refused(t, await client.post(path, body), 400, 'VALIDATION_ERROR');
  t.like((await client.get(path)).body, { exists: false });
  t.like(await client.post(path, {}), { status: 200, body: { success: true } });
  t.like((await client.get(path)).body, { exists: true });
});

test('POST: ensure_created false makes nothing and says whether it is there', async (t) => {
  const { client, path, directory } = await given(t.context, 'post-false');
  t.like(await client.post(path, { ensure_created: false }), { status: 200, body: { success: false, watch_directory_path: directory } });
  t.like((await client.get(path)).body, { exists: false });
  await client.post(path, CREATE);
  t.like(await client.post(path, { ensure_created: false }), { status: 200, body: { success: true, watch_directory_path: directory } });
});

test('DELETE: 200 {success, message, watch_directory_path: null}', async (t) => {
  const { client, path } = await given(t.context, 'delete-shape');
  await client.post(path, CREATE);
  const { status, body } = await t.context.admin.delete(path);
  t.is(status, 200);
  t.deepEqual(Object.keys(body).toSorted(), ['message', 'success', 'watch_directory_path']);
  t.like(body, { success: true, watch_directory_path: null });
});

test('Rule 1: a user may read and create only their own directory, an administrator that of any user', async (t) => {
  const [ann, bob] = [await given(t.context, 'rule1-ann', 'editor'), await given(t.context, 'rule1-bob', 'auditor')];
  for (const [one, other] of [
    [ann, bob],
    [bob, ann],
  ] as const) {
    t.is((await one.client.get(one.path)).status, 200);
    refused(t, await one.client.get(other.path), 403, 'FORBIDDEN');
    refused(t, await one.client.post(other.path, CREATE), 403, 'FORBIDDEN');
  }
  t.is((await ann.client.post(ann.path, CREATE)).status, 200);
  t.is((await t.context.admin.get(bob.path)).status, 200);
  t.is((await t.context.admin.post(bob.path, CREATE)).status, 200);
  t.is(
    (
      await ann.client.get(
        ann.path
          .toUpperCase()
          .replace(/.*USERS/, '/api/users')
          .replace('WATCH-DIRECTORY', 'watch-directory'),
      )
    ).status,
    200,
  );
});

test('Rule 2: DELETE requires an administrator and removes the directory with its contents', async (t) => {
  const { client, path, directory } = await given(t.context, 'rule2', 'editor');
  await client.post(path, CREATE);
  await mkdir(join(directory, 'sub'));
  await writeFile(join(directory, 'sub', 'a.txt'), 'some words');
  refused(t, await client.delete(path), 403, 'FORBIDDEN');
  t.deepEqual(await readdir(directory), ['sub']);
  const { status, body } = await t.context.admin.delete(path);
  t.is(status, 200);
  t.regex(String(body['message']), /1 file deleted, of which 1 were never imported/);
  await t.throwsAsync(stat(directory), { code: 'ENOENT' });
  t.is((await t.context.admin.delete(path)).status, 200);
});

test('Rule 3: POST creates the directory if missing and succeeds if it already exists', async (t) => {
  const { client, path, directory } = await given(t.context, 'rule3');
  t.is((await client.post(path, CREATE)).status, 200);
  await writeFile(join(directory, 'kept.txt'), 'kept');
  t.like(await client.post(path, CREATE), { status: 200, body: { success: true, watch_directory_path: directory } });
  t.deepEqual(await readdir(directory), ['kept.txt']);
  await rm(directory, { recursive: true });
  t.is((await client.post(path, CREATE)).status, 200);
  t.deepEqual(await readdir(directory), []);
});

test.serial('Rule 4 and 500: all three answer an error while the feature is disabled, to who is allowed', async (t) => {
  const api = await startApi({ ENABLE_PER_USER_WATCH: 'false' });
  try {
    const { client, path, directory } = await given(api, 'rule4');
    for (const answer of await allThree(api.admin, path)) refused(t, answer, 500, 'WATCH_DIRECTORY_DISABLED');
    refused(t, await client.get(path), 500, 'WATCH_DIRECTORY_DISABLED');
    refused(t, await client.post(path, CREATE), 500, 'WATCH_DIRECTORY_DISABLED');
    refused(t, await client.delete(path), 403, 'FORBIDDEN');
    for (const answer of await allThree(api.anyone, path)) refused(t, answer, 401, 'UNAUTHORIZED');
    await t.throwsAsync(stat(join(directory, '..')), { code: 'ENOENT' });
  } finally {
    await api.stop();
  }
});

test('401: missing or invalid authentication', async (t) => {
  const { path } = await given(t.context, 'no-one');
  for (const answer of await allThree(t.context.anyone, path)) refused(t, answer, 401, 'UNAUTHORIZED');
  const response = await t.context.anyone.request(path, { headers: { authorization: 'Bearer of-nothing' } });
  t.is(response.status, 401);
});

test('403: who is no administrator asks for somebody else, whether or not there is such a user', async (t) => {
  for (const role of ['viewer', 'editor', 'auditor']) {
    const { client } = await given(t.context, `curious-${role}`, role);
    const { path } = await given(t.context, `other-of-${role}`);
    for (const asked of [path, `/api/users/${uuidv7()}/watch-directory`])
      for (const answer of await allThree(client, asked)) refused(t, answer, 403, 'FORBIDDEN');
  }
});

test('404: user not found', async (t) => {
  for (const id of [uuidv7(), '../../etc', 'nonsense'].map(encodeURIComponent))
    for (const answer of await allThree(t.context.admin, `/api/users/${id}/watch-directory`))
      t.is(answer.status, 404, JSON.stringify(answer.body));
  refused(t, await t.context.admin.get(`/api/users/${uuidv7()}/watch-directory`), 404, 'USER_NOT_FOUND');
});

test('500: creation failed', async (t) => {
  const { client, path, directory } = await given(t.context, 'cannot-make');
  await mkdir(join(directory, '..'), { recursive: true });
  await writeFile(directory, 'in the way');
  const answer = await client.post(path, CREATE);
  refused(t, answer, 500, 'WATCH_DIRECTORY_FAILED');
  t.notRegex(JSON.stringify(answer.body), /EEXIST|ENOTDIR|user_watch/);
});

test('500: deletion failed', async (t) => {
  const { path, directory } = await given(t.context, 'cannot-delete');
  await mkdir(join(directory, '..'), { recursive: true });
  await writeFile(directory, 'in the way');
  refused(t, await t.context.admin.delete(path), 500, 'WATCH_DIRECTORY_FAILED');
  t.true((await stat(directory)).isFile());
});

test('an API key counts by its scope, also for its owner', async (t) => {
  const { admin, anyone } = t.context;
  const me = String((await admin.get('/api/auth/me')).body['id']);
  const { path } = await given(t.context, 'by-key');
  const withKey = async (scope: string[], method: string, asked: string): Promise<number> => {
    const { body } = await admin.post('/api/keys', { name: 'a key', scope });
    const headers = { 'x-api-key': String(body['key']), 'content-type': 'application/json' };
    const init = { method, headers, ...(method === 'POST' ? { body: JSON.stringify(CREATE) } : {}) };
    return (await anyone.request(asked, init)).status;
  };
  const own = `/api/users/${me}/watch-directory`;
  t.is(await withKey(['users.read'], 'GET', path), 200);
  t.is(await withKey(['users.read'], 'POST', path), 403);
  t.is(await withKey(['users.update'], 'POST', path), 200);
  t.is(await withKey(['users.update'], 'DELETE', path), 403);
  t.is(await withKey(['users.delete.own'], 'DELETE', path), 403);
  t.is(await withKey(['users.delete'], 'DELETE', path), 200);
  t.is(await withKey(['documents.read'], 'POST', own), 403);
  t.is(await withKey(['documents.read'], 'GET', own), 403);
  t.is(await withKey(['users.update.own'], 'POST', own), 200);
});

test('the directory follows its user: renamed with them, set aside when they are deleted', async (t) => {
  const { admin, folder, database } = t.context;
  const { id, client, path, directory } = await given(t.context, 'follows');
  await client.post(path, CREATE);
  await writeFile(join(directory, 'a.txt'), 'some words');
  await chmod(directory, 0o755);
  t.is((await admin.send('PATCH', `/api/users/${id}`, { username: 'followed' })).status, 200);
  t.like((await client.get(path)).body, {
    username: 'followed',
    watch_directory_path: join(folder, 'user_watch', 'followed'),
    exists: true,
  });
  t.is((await admin.delete(`/api/users/${id}`)).status, 204);
  const kept = (await readdir(join(folder, 'user_watch', '.deleted'))).filter((name) => name.startsWith('followed-'));
  t.is(kept.length, 1);
  await t.throwsAsync(stat(join(folder, 'user_watch', 'followed')), { code: 'ENOENT' });
  const { rows } = await database.pool.query<{ action: string; actor_name: string }>(
    `select action, actor_name from audit_log where action like 'watch_directory.%' and (details->>'name' in ('follows', 'followed') or details->>'to' = 'followed') order by created_at`,
  );
  t.deepEqual(
    rows.map(({ action, actor_name: name }) => `${action} by ${name}`),
    ['watch_directory.created by follows', 'watch_directory.renamed by admin', 'watch_directory.set_aside by admin'],
  );
});
