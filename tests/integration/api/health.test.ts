import { detailedHealthBody, healthBody } from '@sheaf/contract';
import { recordHeartbeat } from '@sheaf/db';
import { uuidv7 } from '@sheaf/runtime';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const MESSAGE = '1 stored file is not as it should be (1 missing); run bin/sheaf verify';

const heartbeat = (id: string, now: Date, components: Parameters<typeof recordHeartbeat>[1]['components']) => ({
  id,
  name: 'watcher',
  pid: 1,
  host: 'here',
  version: '1.0.0',
  configHash: '',
  probePort: 1,
  holdsLock: true,
  status: 'warning' as const,
  components,
  facts: {},
  memoryBytes: 1,
  startedAt: now,
});

test.serial('a damaged stored file that the watcher found is a warning of the storage with its remedy', async (t) => {
  const { anyone, admin, database } = t.context;
  const now = new Date();
  const components = { stored_files: { status: 'warning' as const, message: MESSAGE }, file_storage: { status: 'healthy' as const } };
  await recordHeartbeat(database.db, heartbeat(uuidv7(), now, components), now);
  const health = healthBody.parse((await anyone.get('/api/health')).body);
  t.is(health.status, 'warning');
  t.is(health.components.file_storage, 'warning');
  t.is(health.messages['stored_files'], MESSAGE);
  const detailed = detailedHealthBody.parse((await admin.get('/api/health/detailed')).body);
  t.deepEqual(detailed.components['stored_files'], components.stored_files);
  t.deepEqual(detailed.components['file_storage'], { status: 'healthy' });
  t.like(detailed.processes, [{ name: 'watcher', version: '1.0.0', status: 'warning' }]);
  t.deepEqual(detailed.processes[0]?.components, components);
});

test.serial('what a process said long ago is not its state', async (t) => {
  const { anyone, admin, database } = t.context;
  await database.pool.query('delete from processes');
  const components = { stored_files: { status: 'warning' as const, message: MESSAGE } };
  await recordHeartbeat(database.db, heartbeat(uuidv7(), new Date(), components), new Date(Date.now() - 60_000));
  const health = healthBody.parse((await anyone.get('/api/health')).body);
  t.is(health.components.file_storage, 'healthy');
  t.is(health.messages['stored_files'], undefined);
  t.deepEqual(detailedHealthBody.parse((await admin.get('/api/health/detailed')).body).processes, []);
});
