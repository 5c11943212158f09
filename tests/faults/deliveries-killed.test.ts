import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type DeliveryBench, openDeliveryBench } from '../integration/events/fixture.ts';
import { fullOnly } from '../support/full-run.ts';
import { endProcess, startSyncProcess } from '../support/sync-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { answers, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** The usual run kills where something may be sent twice, the full run also where it may not be sent at all. */
const testFull = fullOnly(test);

/** A starter of sync processes that send to the receiver. */
const starter = async (t: ExecutionContext, { database }: DeliveryBench, { url }: WebhookReceiver, env: Record<string, string> = {}) => {
  const folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-deliveries-'));
  t.teardown(() => folder.remove());
  return async () => {
    const child = await startSyncProcess(database, folder.path, {
      WEBHOOK_ENABLED: 'true',
      WEBHOOK_URL: url,
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    });
    t.teardown(() => endProcess(child, 'SIGKILL'));
    return child;
  };
};

testFull('what is committed while nobody sends, as the process was killed, is sent by the next one, once', async (t) => {
  t.timeout(3 * 120_000);
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const start = await starter(t, bench, receiver);
  await endProcess(await start(), 'SIGKILL');
  await bench.tell();
  await start();
  t.like((await bench.until('delivered'))[0], { attempts: 1 });
  t.is(receiver.received.length, 1);
});

test('a process that is killed between the sending and its record leads to a second one under the same id', async (t) => {
  t.timeout(3 * 120_000);
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const start = await starter(t, bench, receiver);
  receiver.answer(answers.status(200), answers.nothing);
  await bench.tell();
  const first = await start();
  await waitFor(() => receiver.received.length === 1, { description: 'the first sending', limitMs: 30_000 });
  await endProcess(first, 'SIGKILL');
  t.like((await bench.rows())[0], { state: 'sending', attempts: 1 });
  await start();
  await bench.database.pool.query(`update deliveries set lease_until = now() - interval '1 second'`);
  t.like((await bench.until('delivered'))[0], { attempts: 2 });
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  t.deepEqual(ids, [ids[0], ids[0]]);
});

testFull(
  'a process that is asked to stop ends soon, and what it was sending to a server that stalls is sent by the next one',
  async (t) => {
    t.timeout(3 * 120_000);
    await using bench = await openDeliveryBench();
    await using receiver = await startWebhookReceiver();
    const start = await starter(t, bench, receiver, { FEATURE_SOURCES: 'false' });
    receiver.answer(answers.status(200), answers.nothing);
    await bench.tell();
    const first = await start();
    await waitFor(() => receiver.received.length === 1, { description: 'the first sending', limitMs: 30_000 });
    await endProcess(first, 'SIGTERM');
    t.is(first.exitCode, 0);
    t.like((await bench.rows())[0], { state: 'pending', attempts: 0 });
    await start();
    t.like((await bench.until('delivered'))[0], { attempts: 1 });
  },
);
