import { detailedHealthBody, healthBody, unhealthy, warning } from '@sheaf/contract/operations';
import { recordHeartbeat } from '@sheaf/program';
import { heartbeat } from '../../support/heartbeat.ts';
import { testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi();

const DAMAGED = warning('stored_files_damaged', { files: 1, missing: 1, damaged: 0, unreadable: 0 });

/** What is told is up to a second old. */
const until = <T>(description: string, look: () => Promise<T | undefined | false>): Promise<T> =>
  waitFor(look, { description, limitMs: 20_000 });

test.serial('a damaged stored file that the watcher found is a warning of the storage with its remedy', async (t) => {
  const { anyone, admin, database } = t.context;
  const now = new Date();
  const components = { stored_files: DAMAGED, file_storage: { status: 'healthy' as const } };
  await recordHeartbeat(
    database.db,
    heartbeat(now, { status: 'warning', components, facts: { instance: 3 }, configHash: 'abc', memoryBytes: 5 }),
    now,
  );
  const health = await until('the finding', async () => {
    const body = healthBody.parse((await anyone.get('/api/health')).body);
    return body.messages['stored_files'] === DAMAGED.message && body;
  });
  t.deepEqual(health.problems['stored_files'], DAMAGED.problems);
  t.is(health.status, 'warning');
  t.is(health.components.file_storage, 'warning');
  const detailed = detailedHealthBody.parse((await admin.get('/api/health/detailed')).body);
  t.deepEqual(detailed.components['stored_files'], components.stored_files);
  t.deepEqual(detailed.components['file_storage'], { status: 'healthy' });
  const [watcher] = detailed.processes;
  t.like(watcher, { name: 'watcher', version: '1.0.0', status: 'warning', pid: 1, probe_port: 1, memory_bytes: 5 });
  t.deepEqual(watcher?.components, components);
  t.regex(watcher?.config_hash ?? '', /^[0-9a-f]{16}$/, 'not the hash itself, of which secrets could be guessed');
});

test.serial('that all processes together take too much, as the api hears from the supervisor, is a warning and no obstacle', async (t) => {
  const { anyone, admin, database } = t.context;
  await database.pool.query('delete from processes');
  const memory = warning('memory_limit_exceeded', { used_bytes: 900, limit_bytes: 800 });
  const now = new Date();
  await recordHeartbeat(database.db, heartbeat(now, { name: 'api', status: 'warning', components: { memory_limit: memory } }), now);
  const health = await until('the warning', async () => {
    const body = healthBody.parse((await anyone.get('/api/health')).body);
    return body.messages['memory'] === memory.message && body;
  });
  t.is(health.status, 'warning');
  t.deepEqual(detailedHealthBody.parse((await admin.get('/api/health/detailed')).body).components['memory'], memory);
  const status = await (await anyone.request('/status')).text();
  t.regex(status, /memory +warning/);
  t.true(memory.message !== undefined && status.includes(memory.message));
  t.is((await anyone.get('/ready')).status, 200);
});

test.serial('a process that crashes repeatedly, as the supervisor reports, is unhealthy, and the service stays ready', async (t) => {
  const { anyone, admin, database } = t.context;
  await database.pool.query('delete from processes');
  const crashing = unhealthy('process_crashing', {
    process: 'ocr-worker',
    crashes: 7,
    exit_code: '?',
    signal: 'SIGABRT',
    state: 'waiting',
    state_at: '2026-11-22T10:00:00.000Z',
  });
  const { message = '' } = crashing;
  const now = new Date();
  const components = { crashed_processes: crashing };
  await recordHeartbeat(database.db, heartbeat(now, { name: 'api', status: 'healthy', components }), now);
  const health = await until('the report', async () => {
    const body = healthBody.parse((await anyone.get('/api/health')).body);
    return body.messages['processes']?.startsWith(message) === true && body;
  });
  t.deepEqual(health.problems['processes']?.slice(0, 1), crashing.problems);
  t.is(health.status, 'unhealthy');
  t.like(detailedHealthBody.parse((await admin.get('/api/health/detailed')).body).components['processes'], { status: 'unhealthy' });
  const status = await (await anyone.request('/status')).text();
  t.regex(status, /processes +unhealthy/);
  t.true(status.includes(message));
  t.is((await anyone.get('/ready')).status, 200);
  await database.pool.query('delete from processes');
  await until('the report to be gone', async () => (await anyone.get('/api/health')).body['status'] !== 'unhealthy');
});

test.serial('a watch folder that became invalid is unhealthy, without its path for anybody, and the service stays ready', async (t) => {
  const { anyone, admin, database } = t.context;
  await database.pool.query('delete from processes');
  const unusable = unhealthy('watch_folder_unusable', { folder: '/srv/scans', error: 'ENOTDIR', variable: 'WATCH_FOLDER' });
  const components = { watch_folder: unusable };
  await recordHeartbeat(database.db, heartbeat(new Date(), { status: 'unhealthy', components }), new Date());
  const health = await until('the report', async () => {
    const body = healthBody.parse((await anyone.get('/api/health')).body);
    return body.messages['watch_folders'] !== undefined && body;
  });
  t.is(health.status, 'unhealthy');
  t.deepEqual(health.problems['watch_folders'], unhealthy('watch_folder_problem').problems);
  t.false(JSON.stringify(health).includes('/srv/scans'));
  const { watch_folders } = detailedHealthBody.parse((await admin.get('/api/health/detailed')).body).components;
  t.deepEqual(watch_folders, unusable);
  t.is((await anyone.get('/ready')).status, 200);
});

test.serial('what a process said long ago is not its state', async (t) => {
  const { anyone, admin, database } = t.context;
  await database.pool.query('delete from processes');
  const components = { stored_files: DAMAGED };
  await recordHeartbeat(database.db, heartbeat(new Date(), { status: 'warning', components }), new Date(Date.now() - 60_000));
  const health = await until('the process to be missed', async () => {
    const body = healthBody.parse((await anyone.get('/api/health')).body);
    return body.messages['processes'] !== undefined && body;
  });
  t.is(health.components.file_storage, 'healthy');
  t.is(health.messages['stored_files'], undefined);
  t.like(health.problems['processes'], [{ code: 'process_silent', details: { process: 'watcher' } }]);
  t.deepEqual(detailedHealthBody.parse((await admin.get('/api/health/detailed')).body).processes, []);
});

test.serial('processes of different versions are a warning with its remedy', async (t) => {
  const { anyone, database } = t.context;
  await database.pool.query('delete from processes');
  const [old, now] = [new Date(Date.now() - 120_000), new Date()];
  await recordHeartbeat(database.db, heartbeat(old, { status: 'warning', name: 'api', version: '2.0.0' }), now);
  const worker = { name: 'ocr-worker', version: '1.0.0', facts: { instance: 2, probe_host: '127.0.0.1', config_since: old.toISOString() } };
  await recordHeartbeat(database.db, heartbeat(old, { status: 'warning', ...worker }), now);
  const [problem] = await until('the warning', async () => {
    const { problems } = healthBody.parse((await anyone.get('/api/health')).body);
    return problems['processes']?.[0]?.code === 'process_version_differs' && problems['processes'];
  });
  t.deepEqual(problem?.details, { process: 'ocr-worker.2', restart: 'ocr-worker.2' });
});

test.serial('a part that does not work at all makes the service unready; that the process lives is another question', async (t) => {
  const { anyone, database } = t.context;
  await database.pool.query('delete from processes');
  const now = new Date();
  const components = { 'ocr-engine': { status: 'unhealthy' as const, message: 'nothing can be read' } };
  await recordHeartbeat(database.db, heartbeat(now, { status: 'warning', name: 'ocr-worker', components }), now);
  await until('the service to be unready', async () => (await anyone.get('/ready')).status === 503);
  // what it says of the programs that are installed is for anybody
  const problem = { code: 'other', message: 'nothing can be read', details: {} };
  t.deepEqual((await anyone.get('/ready')).body, { status: 'unhealthy', message: problem.message, problems: [problem] });
  const health = await anyone.get('/api/health');
  t.is(health.status, 200);
  t.is(health.body['status'], 'unhealthy');
  t.is((await anyone.get('/health')).status, 200);
  await database.pool.query('delete from processes');
  await until('the service to be ready', async () => (await anyone.get('/ready')).status === 200);
});

test.serial('however many ask, the heartbeats are read once; for liveness never', async (t) => {
  const { anyone, database } = t.context;
  const { pool } = database;
  const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
  let reads = 0;
  pool.query = ((...given: unknown[]) => {
    const statement = JSON.stringify(given[0]);
    // the look for other processes of the api comes by itself every few seconds, whoever asks
    const isLookForOthers = statement.includes('"processes\\".\\"id\\" <>');
    if (statement.includes('from \\"processes\\"') && !isLookForOthers) reads += 1;
    return query(...given);
  }) as typeof pool.query;
  try {
    await until('the heartbeats to be read', async () => (await anyone.get('/ready')).status === 200 && reads > 0);
    reads = 0;
    const client = await pool.connect();
    await client.query('begin; lock table processes in access exclusive mode');
    const alive = await Promise.all(Array.from({ length: 32 }, () => anyone.get('/health')));
    const readsOfLiveness = reads;
    const asked = Promise.all(
      ['/ready', '/api/health', '/status'].flatMap((path) => Array.from({ length: 10 }, () => anyone.request(path))),
    );
    await client.query('rollback');
    client.release();
    t.true(alive.every(({ status }) => status === 200));
    t.is(readsOfLiveness, 0);
    t.true((await asked).every(({ status }) => status === 200));
    t.true(reads <= 2, `${reads} reads for 30 questions`);
  } finally {
    pool.query = query as typeof pool.query;
  }
});
