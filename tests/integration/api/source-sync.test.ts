import { Listener } from '@sheaf/db';
import { silentLogger, uuidv7 } from '@sheaf/process';
import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { codeOf, givenSource, PASSWORD, webdavSource } from '../../support/given-source.ts';
import { text as messageText } from '../../support/messages.ts';
import { testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

const detailsOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details;

test('a run is asked for once: while it waits or runs, asking again is refused', async (t) => {
  const { admin, database } = t.context;
  const path = `/api/sources/${await givenSource(admin)}`;
  const nothing = { processed: 0, total: 0, added: 0, updated: 0, moved: 0, removed: 0, skipped: 0, failed: 0, bytes: 0 };
  const none = { job_id: null, started_at: null, finished_at: null, current_file: null, error: null };
  t.like((await admin.get(`${path}/sync-status`)).body, { state: 'idle', ...nothing, ...none });
  const answers = await Promise.all(Array.from({ length: 4 }, () => admin.post(`${path}/sync`, {})));
  t.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [202, 409, 409, 409],
  );
  const job = answers.find(({ status }) => status === 202)?.body['job_id'];
  for (const { body } of answers.filter(({ status }) => status === 409)) t.like(detailsOf(body), { job_id: job });
  t.is(codeOf(await admin.post(`${path}/sync`, {})), 'SYNC_RUNNING');
  t.is((await admin.get(path)).body['status'], 'syncing');
  t.like((await admin.get(`${path}/sync-status`)).body, { state: 'running', job_id: job, started_at: null });
  await database.pool.query(
    `update sync_runs set state = 'running', started_at = now(), processed = 3, total = 7, bytes = 5000000000, current_file = 'a.pdf' where id = $1`,
    [job],
  );
  t.is(codeOf(await admin.post(`${path}/sync`, {})), 'SYNC_RUNNING');
  t.like((await admin.get(`${path}/sync-status`)).body, {
    state: 'running',
    processed: 3,
    total: 7,
    bytes: 5_000_000_000,
    current_file: 'a.pdf',
  });
  await database.pool.query(`update sync_runs set state = 'completed', finished_at = now() where id = $1`, [job]);
  t.like((await admin.get(`${path}/sync-status`)).body, { state: 'idle', job_id: job, current_file: null });
  t.is((await admin.get(path)).body['status'], 'active');
  const second = await admin.post(`${path}/sync`, {});
  t.is(second.status, 202);
  await database.pool.query(`update sync_runs set state = 'failed', error = 'gone' where id = $1`, [second.body['job_id']]);
  t.like((await admin.get(`${path}/sync-status`)).body, { state: 'failed', job_id: second.body['job_id'], error: 'gone' });
});

test('who asked for a run is kept with it', async (t) => {
  const { admin, database } = t.context;
  const { body } = await admin.post(`/api/sources/${await givenSource(admin)}/sync`, {});
  const { rows } = await database.pool.query('select trigger, state, requested_by from sync_runs where id = $1', [body['job_id']]);
  t.deepEqual(rows, [{ trigger: 'manual', state: 'queued', requested_by: (await admin.get('/api/auth/me')).body['id'] }]);
});

test('cancelling ends a run that waits at once, and asks one that runs to end', async (t) => {
  const { admin, database } = t.context;
  const path = `/api/sources/${await givenSource(admin)}`;
  t.is(codeOf(await admin.post(`${path}/sync/cancel`, {})), 'SYNC_NOT_RUNNING');
  const { body: waiting } = await admin.post(`${path}/sync`, {});
  t.like(await admin.post(`${path}/sync/cancel`, {}), { status: 200, body: { success: true } });
  const ended = (await admin.get(`${path}/sync-status`)).body;
  t.like(ended, { state: 'cancelled', job_id: waiting['job_id'] });
  t.is(typeof ended['finished_at'], 'string');
  t.is((await admin.post(`${path}/sync/cancel`, {})).status, 409);

  const { body: running } = await admin.post(`${path}/sync`, {});
  await database.pool.query(`update sync_runs set state = 'running', started_at = now() where id = $1`, [running['job_id']]);
  t.is((await admin.post(`${path}/sync/cancel`, {})).status, 200);
  const asked = async () =>
    (await database.pool.query('select state, cancel_requested_at, finished_at from sync_runs where id = $1', [running['job_id']]))
      .rows[0] as {
      state: string;
      cancel_requested_at: Date;
      finished_at: Date | null;
    };
  const first = await asked();
  t.like(first, { state: 'running', finished_at: null });
  t.is((await admin.post(`${path}/sync/cancel`, {})).status, 200, 'as long as it has not ended');
  t.deepEqual((await asked()).cancel_requested_at, first.cancel_requested_at);
});

test('a source that is disabled runs no more: what waits or runs is to end, and nothing is begun', async (t) => {
  const { admin, database } = t.context;
  const id = await givenSource(admin);
  const { body } = await admin.post(`/api/sources/${id}/sync`, {});
  await admin.send('PUT', `/api/sources/${id}`, { enabled: false });
  t.is((await admin.get(`/api/sources/${id}/sync-status`)).body['state'], 'cancelled');
  t.is(codeOf(await admin.post(`/api/sources/${id}/sync`, {})), 'SOURCE_DISABLED');
  await admin.send('PUT', `/api/sources/${id}`, { enabled: true });
  const stateOf = async (run: unknown) =>
    (await database.pool.query('select state, cancel_requested_at is not null as cancelled from sync_runs where id = $1', [run])).rows[0];
  t.deepEqual(await stateOf(body['job_id']), { state: 'cancelled', cancelled: true });

  const { body: running } = await admin.post(`/api/sources/${id}/sync`, {});
  await database.pool.query(`update sync_runs set state = 'running' where id = $1`, [running['job_id']]);
  await admin.send('PUT', `/api/sources/${id}`, { name: 'Renamed' });
  t.deepEqual(await stateOf(running['job_id']), { state: 'running', cancelled: false });
  await admin.send('PUT', `/api/sources/${id}`, { url: 'https://elsewhere.example/', password: PASSWORD });
  t.deepEqual(await stateOf(running['job_id']), { state: 'running', cancelled: true }, 'a run over the former place');
});

test('the sync process is informed of whatever concerns it', async (t) => {
  const { admin, database } = t.context;
  const told: string[] = [];
  let isListening = false;
  const listener = new Listener({
    url: database.url,
    channels: ['sheaf_sources'],
    log: silentLogger(),
    onNudge: (_channel, payload) => {
      if (payload === undefined) isListening = true;
      else told.push(payload);
    },
  });
  await listener.start();
  try {
    await waitFor(() => isListening, { description: 'the listener to listen', limitMs: 20_000 });
    const expectNudge = async (what: string, id: string, act: () => Promise<unknown>): Promise<void> => {
      const before = told.filter((payload) => payload === id).length;
      await act();
      await waitFor(() => told.filter((payload) => payload === id).length > before, {
        description: `a nudge when ${what}`,
        limitMs: 20_000,
      });
      t.pass(what);
    };
    const id = await givenSource(admin);
    await waitFor(() => told.includes(id), { description: 'a nudge when a source is made', limitMs: 20_000 });
    await expectNudge('a run is asked for', id, () => admin.post(`/api/sources/${id}/sync`, {}));
    await expectNudge('it is cancelled', id, () => admin.post(`/api/sources/${id}/sync/cancel`, {}));
    await expectNudge('the source changes', id, () => admin.send('PUT', `/api/sources/${id}`, { name: 'Renamed' }));
    await expectNudge('the source is deleted', id, () => admin.delete(`/api/sources/${id}`));
  } finally {
    await listener.stop();
  }
});

test('an action that one may not do on a source that one may read is forbidden', async (t) => {
  const { admin, database } = t.context;
  for (const name of ['reader-f', 'syncer-f']) await admin.register(name, 'viewer');
  await using api = await startApiWithPermissions(database, {
    'reader-f': ['sources.read', 'sources.create', 'sources.update.own', 'sources.delete.own', 'sources.sync.own'],
    'syncer-f': ['sources.sync', 'sources.update'],
  });
  const reader = await new ApiClient(api.url).login('reader-f');
  const id = await givenSource(admin);
  t.is((await reader.get(`/api/sources/${id}`)).status, 200);
  const deeds = {
    change: () => reader.send('PUT', `/api/sources/${id}`, { name: 'mine' }),
    delete: () => reader.delete(`/api/sources/${id}`),
    sync: () => reader.post(`/api/sources/${id}/sync`, {}),
    cancel: () => reader.post(`/api/sources/${id}/sync/cancel`, {}),
    'test with its secret': () => reader.post('/api/sources/test', { id }),
  };
  for (const [deed, act] of Object.entries(deeds)) t.is((await act()).status, 403, deed);
  t.is((await admin.get(`/api/sources/${id}`)).body['name'], 'Cloud');
  const syncer = await new ApiClient(api.url).login('syncer-f');
  t.is((await syncer.get(`/api/sources/${id}`)).status, 403);
  t.is((await syncer.post(`/api/sources/${id}/sync`, {})).status, 202, 'who may only do that needs not read it');
  t.is((await syncer.send('PUT', `/api/sources/${id}`, { name: 'Named by him' })).body['name'], 'Named by him');
});

test('the health of a source says what is wrong with it, to those who may read it', async (t) => {
  const { admin, anyone, database } = t.context;
  const id = await givenSource(admin, webdavSource({ name: 'Sick', sync_interval: 0 }));
  const set = (fields: string) => database.pool.query(`update sources set ${fields} where id = $1`, [id]);
  const read = async () => (await admin.get(`/api/health/sources/${id}`)).body;
  const listed = async () => {
    const { status, components } = (await anyone.get('/api/health')).body as {
      status: string;
      components: { sources: Record<string, string> };
    };
    return { status, source: components.sources[id] };
  };
  const untilListed = (
    state: string | undefined, // what is reported of all is up to a second old
  ) =>
    waitFor(
      async () => {
        const { status, source } = await listed();
        return source === state && status;
      },
      { description: `the source to be told of as ${state ?? 'nothing'}`, limitMs: 20_000 },
    );
  const overall = await untilListed('healthy');
  t.like(await read(), { source_id: id, name: 'Sick', status: 'healthy', last_check: null, last_sync: null, next_sync: null, failures: 0 });
  t.like(await read(), { code: 'not_checked', message: messageText('sources.not_checked') });
  await set(`failures = 2, last_error = 'wrong password', is_reachable = true, checked_at = '2026-01-01T00:00:00Z'`);
  t.like(await read(), { status: 'warning', message: 'wrong password', last_check: '2026-01-01T00:00:00.000Z', failures: 2 });
  await untilListed('warning');
  await set(`is_reachable = false, check_message = 'no such host'`);
  t.like(await read(), { status: 'unhealthy', message: 'no such host' });
  t.is(await untilListed('unhealthy'), overall, 'the service itself is as well as before');
  const text = await (await anyone.request('/api/health')).text();
  t.notRegex(text, /no such host|wrong password|Sick|example\.org/);
  await admin.send('PUT', `/api/sources/${id}`, { enabled: false });
  t.like(await read(), { status: 'healthy' });
  await untilListed(undefined); // sources of disabled users are not looked after
  t.is((await anyone.get(`/api/health/sources/${id}`)).status, 401);
  t.is((await admin.get(`/api/health/sources/${uuidv7()}`)).status, 404);
});
