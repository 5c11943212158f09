import { uuidv7 } from '@sheaf/process';
import { recordHeartbeat } from '@sheaf/program';
import type { Answer } from '@sheaf/testkit';
import test from 'ava';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const openApi = async (environment?: Readonly<Record<string, string>>): Promise<RunningApi & AsyncDisposable> => {
  const api = await startApi(environment);
  return { ...api, [Symbol.asyncDispose]: () => api.stop() };
};

const put = ({ admin }: RunningApi, body: object): Promise<Answer> => admin.send('PUT', '/api/settings', body);
const systemOf = ({ body }: Answer): Record<string, unknown> => body['system'] as Record<string, unknown>;
const issuesOf = ({ body }: Answer): { path: string; message: string }[] =>
  (body['error'] as { details: { issues: { path: string; message: string }[] } }).details.issues;

test('what is changed holds from the next request on', async (t) => {
  await using api = await openApi({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000' });
  const limitOf = async (): Promise<string | null> => (await api.admin.get('/api/settings')).headers.get('x-ratelimit-limit');
  t.is(await limitOf(), '1020');
  t.is((await put(api, { rate_limit_per_minute: 500, rate_limit_burst: 5 })).status, 200);
  t.is(await limitOf(), '505');
  t.is((await put(api, { rate_limit_enabled: false })).status, 200);
  t.is(await limitOf(), null);

  const register = (username: string, password: string) =>
    api.anyone.post('/api/auth/register', { username, email: `${username}@example.org`, password });
  t.is((await register('ann', 'short pw 1')).status, 403);
  t.is((await put(api, { enable_registration: true, password_min_length: 12, default_user_role: 'editor' })).status, 200);
  t.is((await register('ann', 'short pw 1')).status, 400);
  const made = await register('ann', 'a longer password');
  t.deepEqual([made.status, made.body['role']], [201, 'editor']);
  t.true((await api.anyone.get('/api/auth/config')).body['registration_enabled']);

  const upload = (name: string) => api.admin.upload({ name, bytes: new TextEncoder().encode(`words of ${name}`) });
  t.is((await upload('a.txt')).status, 201);
  const allowed = async () => (await api.admin.get('/api/settings')).body['system'] as { allowed_file_types: string[] };
  t.deepEqual((await allowed()).allowed_file_types, ['pdf', 'txt', 'doc', 'docx', 'png', 'jpg', 'jpeg', 'xml'], 'e-invoices too');
  t.is((await put(api, { system: { allowed_file_types: ['pdf'] } })).status, 200);
  t.is((await upload('b.txt')).status, 400);
  t.deepEqual((await allowed()).allowed_file_types, ['pdf']);
  t.is((await put(api, { allowed_file_types: null })).status, 200);
  t.is((await upload('b.txt')).status, 201);
});

test('each change is in the audit log with the value that held before and the one that holds now, and what does not change is not', async (t) => {
  await using api = await openApi();
  const configured = systemOf(await api.admin.get('/api/settings'))['rate_limit_burst'];
  t.is(typeof configured, 'number');
  await put(api, { rate_limit_burst: 5, log_level: 'warn' });
  await put(api, { rate_limit_burst: 6, log_level: 'warn' });
  await put(api, { rate_limit_burst: null });
  const { data } = (await api.admin.get('/api/audit?action=setting.changed')).body as { data: Record<string, unknown>[] };
  const changes = data.map(({ subject, details, actor }) => ({
    id: (subject as { id: string }).id,
    details,
    by: (actor as { username: string }).username,
  }));
  t.deepEqual(
    changes.filter(({ id }) => id === 'rate_limit_burst').map(({ details }) => details),
    [
      { old: 6, new: configured, reset: true },
      { old: 5, new: 6 },
      { old: configured, new: 5 },
    ],
  );
  t.is(changes.filter(({ id }) => id === 'log_level').length, 1);
  t.true(changes.every(({ by }) => by === 'admin'));
});

test('a value that cannot be is refused by the name of its setting, and nothing of the request is stored', async (t) => {
  await using api = await openApi();
  const refused: readonly (readonly [body: Record<string, unknown>, key: string])[] = [
    [{ ocr_concurrent_jobs: 0 }, 'ocr_concurrent_jobs'],
    [{ ocr_concurrent_jobs: '4' }, 'ocr_concurrent_jobs'],
    [{ system: { ocr_confidence_threshold: 7 } }, 'ocr_confidence_threshold'],
    [{ email_enabled: true }, 'email_enabled'],
    [{ rate_limit_burst: 9, default_user_role: 'emperor' }, 'default_user_role'],
    [{ allowed_file_types: ['exe'] }, 'allowed_file_types'],
    [{ ocr_language: 'not a code' }, 'ocr_language'],
    [{ rate_limit_burst: 1, system: { rate_limit_burst: 2 } }, 'rate_limit_burst'],
    [{ theme: 'dark', enable_registration: true, default_user_role: 'admin' }, 'default_user_role'],
  ];
  for (const [body, key] of refused) {
    const answer = await put(api, body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.true(
      issuesOf(answer).some(({ path }) => path.endsWith(key)),
      JSON.stringify(answer.body),
    );
  }
  for (const body of [
    { database_url: 'postgresql://a' },
    { system: { jwt_secret: 'x' } },
    { auth_enabled: false },
    { ocr_queue_paused: true },
  ])
    t.is((await put(api, body)).status, 400, JSON.stringify(body));
  const after = await api.admin.get('/api/settings');
  t.deepEqual(after.body['stored'], []);
  t.is(after.body['theme'], 'auto');
});

test('settings that go together can only be changed together', async (t) => {
  await using api = await openApi({ DEFAULT_USER_ROLE: 'admin' });
  const alone = await put(api, { enable_registration: true });
  t.is(alone.status, 400);
  t.is(issuesOf(alone)[0]?.path, 'enable_registration');
  t.regex(issuesOf(alone)[0]?.message ?? '', /DEFAULT_USER_ROLE/);
  t.is((await put(api, { enable_registration: true, default_user_role: 'viewer' })).status, 200);
  t.is((await put(api, { default_user_role: null })).status, 400, 'neither can one of them be taken back');
});

test('of two who change the same at the same time the last one wins, and both are in the audit log', async (t) => {
  await using api = await openApi();
  const configured = systemOf(await api.admin.get('/api/settings'))['rate_limit_burst'];
  const answers = await Promise.all([1, 2, 3, 4].map((burst) => put(api, { rate_limit_burst: burst })));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const { data } = (await api.admin.get('/api/audit?action=setting.changed')).body as {
    data: { details: { old: unknown; new: unknown } }[];
  };
  t.is(data.length, 4);
  t.is(systemOf(await api.admin.get('/api/settings'))['rate_limit_burst'], data[0]?.details.new);
  for (const [at, { details }] of data.entries())
    t.is(details.old, data[at + 1]?.details.new ?? configured, 'no change is lost in between');
});

test('a permission for settings is needed, whoever asks', async (t) => {
  await using api = await openApi();
  const person = await givenPerson(api, 'admin');
  const key = await person.makeKey(['settings.*']);
  const read = await api.anyone.request('/api/settings', { headers: key.headers });
  t.true('system' in ((await read.json()) as object), 'a key that may read settings reads them');
  const other = await person.makeKey(['documents.read']);
  t.false('system' in ((await (await api.anyone.request('/api/settings', { headers: other.headers })).json()) as object));
  const change = await api.anyone.request('/api/settings', {
    method: 'PUT',
    headers: { ...key.headers, 'content-type': 'application/json' },
    body: '{"rate_limit_burst": 1}',
  });
  t.is(change.status, 403);
});

test('what processes take up at a start is told until they have', async (t) => {
  await using api = await openApi();
  const beat = (used: number, seenAt = new Date()): Promise<void> => {
    const facts = { start_settings: { ocr_oem: { used, unstored: 1 } } };
    const row = { id: WORKER, name: 'ocr-worker', pid: 1, host: 'h', version: '1', configHash: 'c', probePort: 1, holdsLock: false };
    return recordHeartbeat(
      api.database.db,
      { ...row, status: 'healthy', components: {}, facts, memoryBytes: 1, startedAt: seenAt },
      seenAt,
    );
  };
  await beat(1);
  const changed = await put(api, { ocr_oem: 0, rate_limit_burst: 3 });
  t.deepEqual(changed.body['restart_required'], ['ocr_oem']);
  t.is(systemOf(changed)['ocr_oem'], 0);
  await beat(0); // it has started again
  t.deepEqual((await api.admin.get('/api/settings')).body['restart_required'], []);
  t.deepEqual((await put(api, { ocr_oem: null })).body['restart_required'], ['ocr_oem'], 'taking it back needs a start as well');
  await beat(0, new Date(Date.now() - 60_000));
  t.deepEqual((await api.admin.get('/api/settings')).body['restart_required'], [], 'who is gone works with nothing');
});

const WORKER = uuidv7();
