import { warning } from '@sheaf/contract/operations';
import { Listener } from '@sheaf/db';
import type { DeliveryWay } from '@sheaf/events/notifications';
import {
  claimDeliveries,
  createNotification,
  deleteDeliveriesBefore,
  markDelivered,
  markUndelivered,
  releaseDelivery,
} from '@sheaf/events/notifications';
import { silentLogger } from '@sheaf/process';
import { CHANNELS } from '@sheaf/vocabulary/events';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { answers, startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { openDeliveryBench, webhookTo } from './fixture.ts';

const LEASE = { channel: 'webhook', limit: 10, leaseMs: 60_000, maxAttempts: 5 } as const;
const expire = (bench: { database: { pool: { query(sql: string): Promise<unknown> } } }): Promise<unknown> =>
  bench.database.pool.query(`update deliveries set lease_until = now() - interval '1 second' where state = 'sending'`);

test('two deliverers at once send each delivery once', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  for (let n = 0; n < 60; n += 1) await bench.tell({ title: `n ${n}` });
  const both = [bench.open({ webhook: webhookTo(receiver) }), bench.open({ webhook: webhookTo(receiver) })];
  await Promise.all(both.map((deliverer) => deliverer.start()));
  for (const row of await bench.until('delivered')) t.is(row.attempts, 1);
  t.is(receiver.received.length, 60);
  t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 60);
});

test('what leaves is told to a deliverer that sleeps, once its transaction has ended', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const deliverer = bench.open({ webhook: webhookTo(receiver) }, { pollMs: 3_600_000 });
  let nudges = 0;
  const onNudge = (_channel: string, payload?: string): void => {
    nudges += 1;
    deliverer.nudge(payload);
  };
  const listener = new Listener({ url: bench.database.url, channels: [CHANNELS.deliveries], log: silentLogger(), onNudge });
  t.teardown(() => listener.stop());
  await deliverer.start();
  await listener.start();
  await waitFor(() => nudges > 0, { description: 'the listener to be connected', limitMs: 20_000 });
  const rolledBack = bench.database.db.transaction(async (tx) => {
    const policy = { enabled: true, emailTypes: new Set<never>(), webhook: true };
    await createNotification(tx, policy, { userId: bench.user.id, type: 'security', title: 'never', message: 'was' });
    throw new Error('rolled back');
  });
  await t.throwsAsync(rolledBack, { message: 'rolled back' });
  await bench.tell({ title: 'told' });
  await bench.until('delivered');
  t.deepEqual(
    receiver.received.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title),
    ['told'],
  );
});

test('each channel that is enabled gets its own delivery', async (t) => {
  await using bench = await openDeliveryBench();
  await bench.tell({}, ['email', 'webhook']);
  t.deepEqual(
    (await bench.rows()).map(({ channel, recipient }) => [channel, recipient]),
    [
      ['email', bench.user.email],
      ['webhook', null],
    ],
  );
});

test('what is due on a channel that is off by now fails with the reason, and the other channel goes on', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  await bench.tell({}, ['email', 'webhook']);
  await bench.open({ email: { off: 'E-mail is disabled (EMAIL_ENABLED=false).' }, webhook: webhookTo(receiver) }).start();
  const [email, webhook] = await bench.untilEnded();
  t.like(email, { state: 'failed', attempts: 0, last_error: 'E-mail is disabled (EMAIL_ENABLED=false).' });
  t.like(webhook, { state: 'delivered' });
});

test('a sender that lost its lease changes nothing any more', async (t) => {
  await using bench = await openDeliveryBench();
  const { db } = bench.database;
  await bench.tell();
  const [lost] = await claimDeliveries(db, LEASE);
  if (lost === undefined) throw new Error('nothing was due');
  t.deepEqual(await claimDeliveries(db, LEASE), [], 'while the lease holds it is nobody else’s');
  await expire(bench);
  const [taken] = await claimDeliveries(db, LEASE);
  t.like(taken, { id: lost.id, attempts: 2 });
  t.false(await markDelivered(db, lost, 200));
  t.false(await markUndelivered(db, lost, { status: 500, error: 'late', retryAfterMs: 0 }));
  t.false(await releaseDelivery(db, lost));
  t.like((await bench.rows())[0], { state: 'sending', attempts: 2, last_error: null });
  if (taken !== undefined) t.true(await markDelivered(db, taken, 200));
  t.like((await bench.rows())[0], { state: 'delivered', last_status: 200 });
});

test('what its sender died of each time has failed after five times', async (t) => {
  await using bench = await openDeliveryBench();
  await bench.tell();
  for (let n = 1; n <= 5; n += 1) {
    t.is((await claimDeliveries(bench.database.db, LEASE)).length, 1);
    await expire(bench);
  }
  t.deepEqual(await claimDeliveries(bench.database.db, LEASE), []);
  t.like((await bench.rows())[0], { state: 'failed', attempts: 5 });
});

test('a deliverer that stops lets what is on its way arrive, and gives back what does not, without counting it', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const { promise: isStopping, resolve: tellStopping } = Promise.withResolvers<void>();
  receiver.answer(answers.nothing, (response) => void isStopping.then(() => answers.status(200)(response)));
  for (let n = 0; n < 10; n += 1) await bench.tell();
  const deliverer = bench.open({ webhook: webhookTo(receiver) }, { stopMs: 3_000, pollMs: 3_600_000 });
  await deliverer.start();
  await waitFor(() => receiver.received.length === 4, { description: 'four to be on their way', limitMs: 20_000 });
  const stopped = deliverer.stop();
  tellStopping();
  await stopped;
  const rows = await bench.rows();
  const delivered = rows.filter(({ state }) => state === 'delivered');
  t.is(delivered.length, 1);
  for (const row of rows.filter((each) => !delivered.includes(each))) t.like(row, { state: 'pending', attempts: 0 });
});

test('a delivery that cannot be tried fails by itself, and those after it are sent', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const real = webhookTo(receiver);
  const webhook: DeliveryWay = {
    send: (delivery, signal) => {
      if (delivery.payload.data.title === 'poison') throw new TypeError('a fault\0 of ours');
      return real.send(delivery, signal);
    },
  };
  await bench.tell({ title: 'poison' });
  await bench.tell({ title: 'good' });
  await bench.open({ webhook }).start();
  const [poison, good] = await bench.untilEnded();
  t.like(poison, { state: 'failed', attempts: 5, last_error: 'The delivery attempt failed with an internal error: a fault of ours' });
  t.like(good, { state: 'delivered', attempts: 1 });
});

test('what has arrived is recorded though the database was away, and is not sent again', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const { db } = bench.database;
  const update = db.update.bind(db);
  let lost = 2;
  const away = Object.create(db) as typeof db;
  away.update = (table) => {
    if (lost-- > 0) throw Object.assign(new Error('the server is gone'), { code: '57P01' });
    return update(table);
  };
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }, { db: away }).start();
  t.like((await bench.until('delivered'))[0], { attempts: 1 });
  t.is(receiver.received.length, 1);
  t.true(lost < 0);
});

test('it warns when all of the last hour failed, and no more once one went well, and counts what became of attempts', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(500));
  let nowMs = Date.now();
  const deliverer = bench.open({ webhook: webhookTo(receiver) }, { clock: { now: () => new Date(nowMs) } });
  await deliverer.start();
  t.deepEqual(deliverer.health(), { status: 'healthy' });
  await bench.tell();
  await bench.until('failed');
  t.deepEqual(deliverer.health(), warning('deliveries_failing', { channel: 'webhook' }));
  t.regex(await bench.registry.metrics(), /sheaf_delivery_attempts_total\{channel="webhook",result="retried"[^}]*\} 4\n/);
  t.regex(await bench.registry.metrics(), /sheaf_delivery_attempts_total\{channel="webhook",result="failed"[^}]*\} 1\n/);
  nowMs += 3_600_001;
  t.deepEqual(deliverer.health(), { status: 'healthy' }, 'nothing was tried in this hour');
  nowMs -= 3_600_001;
  receiver.answer(answers.status(200));
  await bench.tell();
  await waitFor(() => deliverer.health().status === 'healthy', { description: 'health', limitMs: 20_000 });
});

test('deliveries that ended a while ago are forgotten, others are not', async (t) => {
  await using bench = await openDeliveryBench();
  for (const state of ['pending', 'failed', 'delivered', 'failed']) {
    await bench.tell({ title: state });
    await bench.database.pool.query(
      `update deliveries set state = $1, delivered_at = case when $1 = 'delivered' then now() end, created_at = now() - interval '31 days'
       where payload->'data'->>'title' = $1 and state = 'pending' and created_at > now() - interval '1 day'`,
      [state],
    );
  }
  await bench.tell({ title: 'young' });
  t.is(await deleteDeliveriesBefore(bench.database.db, new Date(Date.now() - 30 * 86_400_000)), 3);
  t.is((await bench.rows()).length, 2);
});
