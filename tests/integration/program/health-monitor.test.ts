import { makeProblem } from '@sheaf/contract/operations';
import { type AlertNews, raiseAlert } from '@sheaf/events/notifications';
import { setQueuePaused } from '@sheaf/queue';
import { enqueueJob, givenDocument } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { type AlertScene, openAlertScene, POLICY } from './health-monitor-fixture.ts';

const test = anyTest as TestFn<AlertScene>;

test.beforeEach(async (t) => {
  t.context = await openAlertScene();
});
test.afterEach.always((t) => t.context[Symbol.asyncDispose]());

const times = async (count: number, work: () => Promise<void>): Promise<void> => {
  for (let n = 0; n < count; n += 1) await work();
};

test('a full disk is told once to the administrators alone, by all channels, and once more when it has room', async (t) => {
  const { look, told, rows, meters, admin, metric } = t.context;
  await look();
  t.deepEqual(await told(), []);
  meters.disks = [{ path: '/papers', share: 0.95, freeBytes: 2 * 1024 ** 3 }];
  await times(3, look);
  t.deepEqual(await told(), [['warning', 'disk:/papers']]);
  const [notification] = await rows('select user_id, type, message, data from notifications');
  const problem = makeProblem('disk_usage_high', { path: '/papers', percent: 95, free_bytes: 2 * 1024 ** 3 });
  t.like(notification, { user_id: admin.id, type: 'alert', message: problem.message });
  t.deepEqual(notification?.['data'], { component: 'disk:/papers', level: 'warning', problems: [problem] });
  t.deepEqual(await rows('select channel from deliveries order by channel'), [{ channel: 'email' }, { channel: 'webhook' }]);
  t.regex(await metric(), /sheaf_alerts_raised_total\{[^}]*component="disk",level="warning"[^}]*\} 1/);

  meters.disks = [{ path: '/papers', share: 0.89, freeBytes: 1 }];
  await look();
  t.is((await told()).length, 1, 'about the limit');
  meters.disks = [{ path: '/papers', share: 0.5, freeBytes: 1 }];
  await times(2, look);
  t.deepEqual(await told(), [
    ['warning', 'disk:/papers'],
    ['info', 'disk:/papers'],
  ]);
  t.deepEqual(await rows('select from alerts'), []);
  const events = await rows(`select data->'problems' as problems from events where type = 'alert' order by id`);
  t.deepEqual(
    events.map(({ problems }) => problems),
    [[problem], [makeProblem('disk_usage_normal', { path: '/papers' })]],
  );
});

test('how bad an alert is does not take the place of the level of its line in the log', async (t) => {
  const { look, lines, meters } = t.context;
  meters.disks = [{ path: '/papers', share: 0.95, freeBytes: 1 }];
  await look();
  const line = lines.find((some) => some.includes('disk:/papers'));
  t.regex(line ?? '', /severity: 'warning'/);
  t.notRegex(line ?? '', /\blevel:/);
});

for (const meter of ['cpu', 'memory'] as const) {
  test(`${meter} above its threshold counts at the second look`, async (t) => {
    const { look, told, meters } = t.context;
    meters[meter] = 0.99;
    await look();
    t.deepEqual(await told(), []);
    await times(3, look);
    t.deepEqual(await told(), [['warning', meter]]);
    meters[meter] = 0.1;
    await times(2, look);
    t.deepEqual(await told(), [
      ['warning', meter],
      ['info', meter],
    ]);
  });
}

test('processors that are busy with documents are no reason for an alert; when others keep them busy afterwards, they are', async (t) => {
  const { look, told, meters, database, admin } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: admin.id });
  await enqueueJob(database.db, { documentId: id, maxAttempts: 3 });
  await database.pool.query(
    `update ocr_jobs set status = 'processing', lease_by = 'w', lease_until = now() + interval '1 hour', started_at = now()`,
  );
  meters.cpu = 0.99;
  await times(3, look);
  t.deepEqual(await told(), []);

  // it ended between two looks: what was measured is from its time
  await database.pool.query(
    `update ocr_jobs set status = 'completed', lease_by = null, lease_until = null, completed_at = now() - interval '30 seconds'`,
  );
  await times(2, look);
  t.deepEqual(await told(), []);

  await database.pool.query(`update ocr_jobs set completed_at = now() - interval '1 hour'`);
  await times(2, look);
  t.deepEqual(await told(), [['warning', 'cpu']]);
  await database.pool.query(`update ocr_jobs set completed_at = now()`);
  await look();
  t.is((await told()).length, 1, 'nobody knows, so it stays as it is');
});

test('a component that does not work at all is critical at once, one with a warning at the second look', async (t) => {
  const { look, told, beat } = t.context;
  const storage = { file_storage: { status: 'unhealthy', message: 'The storage /x is full; free some space' } } as const;
  const listener = { listener: { status: 'warning', message: 'connects again' } } as const;
  const round = async (): Promise<void> => {
    await beat('api', storage);
    await beat('sync', { ...storage, ...listener });
    await look();
  };
  await round();
  t.deepEqual(await told(), [['critical', 'file_storage']]);
  await times(2, round);
  t.deepEqual(await told(), [
    ['critical', 'file_storage'],
    ['warning', 'listener'],
  ]);
  await beat('api');
  await beat('sync', listener);
  await look();
  t.deepEqual((await told()).slice(2), [['info', 'file_storage']]);
});

test('a warning that becomes worse is told again, one that becomes less bad is not', async (t) => {
  const { look, told, beat } = t.context;
  const say = async (status: 'warning' | 'unhealthy'): Promise<void> => {
    await beat('api', { file_storage: { status, message: 'm' } });
    await look();
  };
  await say('warning');
  await say('warning');
  await say('unhealthy');
  await say('warning');
  t.deepEqual(await told(), [
    ['warning', 'file_storage'],
    ['critical', 'file_storage'],
  ]);
});

test('processes that crash repeatedly are one critical alert, whoever reports them, and one more when they run again', async (t) => {
  const { look, told, beat, rows } = t.context;
  const crashed = { crashed_processes: { status: 'unhealthy', message: 'ocr-worker crashed 4 times in a row' } } as const;
  await times(2, async () => {
    await beat('api', crashed);
    await beat('watcher', crashed);
    await look();
  });
  t.deepEqual(await told(), [['critical', 'crashed_processes']]);
  t.deepEqual(await rows('select message from notifications'), [{ message: 'ocr-worker crashed 4 times in a row' }]);
  await beat('api');
  await beat('watcher');
  await look();
  t.deepEqual((await told()).slice(1), [['info', 'crashed_processes']]);
});

test('a process that has died is missing until another is there, however long that takes', async (t) => {
  const { look, told, beat, rows } = t.context;
  await beat('api');
  await look();
  t.deepEqual(await told(), []);
  await look();
  t.deepEqual(await told(), [['critical', 'process:api']]);
  await rows('delete from processes'); // as housekeeping does after an hour
  t.context.restart();
  await look();
  t.is((await told()).length, 1);
  await beat('api');
  await look();
  t.deepEqual((await told()).slice(1), [['info', 'process:api']]);
});

test('a process that ends in good order is not missed', async (t) => {
  const { look, told, beat, rows } = t.context;
  await beat('sync');
  await look();
  await rows('delete from processes');
  await look();
  t.deepEqual(await told(), []);
});

const givenWaiting = async ({ database, admin, rows }: AlertScene): Promise<string> => {
  const { id } = await givenDocument(database.db, { ownerId: admin.id });
  await rows(
    `insert into ocr_jobs (id, document_id, max_attempts, due_at) values (gen_random_uuid(), $1, 3, now() - interval '11 minutes')
     on conflict (document_id) do update set due_at = excluded.due_at`,
    id,
  );
  return id;
};

test('documents that wait while nothing is read are reported, those of a paused queue are not', async (t) => {
  const { look, told, database, admin, rows } = t.context;
  await givenWaiting(t.context);
  await setQueuePaused(database.db, true, admin.id);
  await look();
  t.deepEqual(await told(), []);
  await setQueuePaused(database.db, false, admin.id);
  await times(2, look);
  t.deepEqual(await told(), [['critical', 'ocr_queue']]);
  await rows(`update ocr_jobs set status = 'processing', lease_by = 'w', lease_until = now() + interval '1 minute', started_at = now()`);
  await look();
  t.deepEqual((await told()).slice(1), [['info', 'ocr_queue']]);
});

test('a queue in which something was begun a moment ago does not stand', async (t) => {
  const { look, told, rows } = t.context;
  await givenWaiting(t.context);
  await givenWaiting(t.context);
  await rows(`update ocr_jobs set started_at = now() where id = (select id from ocr_jobs limit 1)`);
  await look();
  t.deepEqual(await told(), []);
});

test('what was raised before a restart is not told again, and is cleared after it', async (t) => {
  const { look, told, meters } = t.context;
  meters.cpu = 0.99;
  await times(2, look);
  t.context.restart();
  await look();
  t.is((await told()).length, 1);
  meters.cpu = 0;
  await look();
  t.deepEqual((await told()).slice(1), [['info', 'cpu']]);
});

test('a database that was away is reported when it is there again, if it was for long', async (t) => {
  const { look, told, database, rows } = t.context;
  const execute = database.db.select.bind(database.db);
  const cut = (): void => {
    Object.assign(database.db, {
      select: () => {
        throw Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
      },
    });
  };
  const mend = (): void => {
    Object.assign(database.db, { select: execute });
  };
  cut();
  await times(2, () => t.throwsAsync(look()).then(() => undefined));
  mend();
  await look();
  t.deepEqual(await told(), [['warning', 'database']]);
  t.deepEqual(await rows('select from alerts'), [], 'it is over');
  await look();
  t.is((await told()).length, 1);
});

test('a look that fails for another reason is no absence of the database', async (t) => {
  const { look, told, database } = t.context;
  const select = database.db.select.bind(database.db);
  const fail = (): never => {
    throw new Error('a mistake of ours');
  };
  Object.assign(database.db, { select: fail });
  await times(2, () => t.throwsAsync(look()).then(() => undefined));
  Object.assign(database.db, { select });
  await look();
  t.deepEqual(await told(), []);
});

test('a disk that does not answer keeps its alert, and one that is not looked at any more loses it without a word', async (t) => {
  const { look, told, rows, meters } = t.context;
  meters.disks = ['/papers', '/elsewhere'].map((path) => ({ path, share: 0.95, freeBytes: 1 }));
  await look();
  t.is((await told()).length, 2);
  meters.disks = []; // of these folders only /papers is looked at
  await times(2, look);
  t.deepEqual(await rows('select component from alerts'), [{ component: 'disk:/papers' }]);
  t.is((await told()).length, 2, 'nothing is told of either');
  meters.disks = [{ path: '/papers', share: 0.5, freeBytes: 1 }];
  await look();
  t.deepEqual((await told()).slice(2), [['info', 'disk:/papers']]);
});

test('two who raise the same alert at once tell of it once', async (t) => {
  const { database, told } = t.context;
  const audience = { policy: POLICY, roles: CONFIGURED_ROLES };
  const news: AlertNews & { level: 'warning' } = {
    component: 'file_storage',
    level: 'warning',
    problems: [makeProblem('listener_disconnected')],
  };
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasRaised, resolve: raised } = Promise.withResolvers<boolean>();
  const first = database.db.transaction(async (tx) => {
    raised(await raiseAlert(tx, audience, news));
    await mayEnd;
  });
  t.true(await hasRaised);
  const second = database.db.transaction((tx) => raiseAlert(tx, audience, news));
  end();
  await first;
  t.false(await second);
  t.deepEqual(await told(), [['warning', 'file_storage']]);
});

test('alerts of sources are not the monitor’s to clear, but go when the source has gone', async (t) => {
  const { look, told, rows, admin } = t.context;
  const [source] = await rows(
    `insert into sources (id, owner_id, name, type, url, sync_interval_seconds, file_patterns)
     values (gen_random_uuid(), $1, 's', 'webdav', 'http://127.0.0.1/', 3600, '{*}') returning id`,
    admin.id,
  );
  for (const id of [source?.['id'], '00000000-0000-7000-8000-000000000000'])
    await rows(`insert into alerts (component, level, message) values ($1, 'warning', 'm')`, `source:${String(id)}`);
  await look();
  t.deepEqual(await rows('select component from alerts'), [{ component: `source:${String(source?.['id'])}` }]);
  await rows('update sources set is_enabled = false');
  await look();
  t.deepEqual(await rows('select from alerts'), []);
  t.deepEqual(await told(), []);
});

test('disabled administrators are told nothing', async (t) => {
  const { look, rows, meters } = t.context;
  await rows('update users set disabled_at = now()');
  meters.disks = [{ path: '/papers', share: 0.95, freeBytes: 1 }];
  await look();
  t.deepEqual(await rows('select from notifications'), []);
});
