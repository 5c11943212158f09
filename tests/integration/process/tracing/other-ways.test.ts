// What begins a trace beside requests: files of watch folders and sources, and deliveries.
import { claimJob } from '@sheaf/queue';
import { SyncEngine } from '@sheaf/sync/testing';
import { givenUser } from '@sheaf/testkit';
import test from 'ava';
import { answers, startWebhookReceiver } from '../../../support/webhook-receiver.ts';
import { openDeliveryBench, webhookTo } from '../../events/fixture.ts';
import { openSyncBench } from '../../sync/fixture.ts';
import { openWatchBench } from '../../watcher/fixture.ts';
import { type GivenTracing, givenTracing } from './given-tracing.ts';

/** The `count` spans that were sent, each as `name parent`, and the one trace that they are of. */
const sentBy = async ({ sent }: GivenTracing, count: number): Promise<{ spans: string[]; traceIds: string[] }> => {
  const all = await sent(count);
  const nameOf = (spanId: string | undefined): string => all.find((span) => span.spanId === spanId)?.name ?? '-';
  return {
    spans: all.map(({ name, parentSpanId }) => `${name} ${nameOf(parentSpanId)}`).toSorted(),
    traceIds: [...new Set(all.map(({ traceId }) => traceId))],
  };
};

const TAKEN_IN = (root: string): string[] => [`ingest ${root}`, 'receive ingest', 'record ingest', 'store ingest', `${root} -`].toSorted();

test('a file of a watch folder begins a trace that its job goes on with', async (t) => {
  await using bench = await openWatchBench();
  await using tracing = await givenTracing(1);
  await givenUser(bench.db, { role: 'admin' });
  await bench.drop('letters/Mr Alder.txt', 'alder');
  await bench.makeScanner({ tracer: tracing.tracer }).scan();
  const job = await claimJob(bench.db, 'worker', 60_000);
  const { spans, traceIds } = await sentBy(tracing, 5);
  t.deepEqual(spans, TAKEN_IN('watched file'));
  t.deepEqual(traceIds, [job?.traceContext?.slice(3, 35)]);
  t.false(tracing.sink.bodies.join('').includes('Alder'), 'no name of a file');
});

test('a file of a source begins a trace that its job goes on with', async (t) => {
  await using bench = await openSyncBench();
  await using tracing = await givenTracing(1);
  const { db } = bench.database;
  await bench.put('Mr Alder.txt', 'alder');
  const sourceId = await bench.addSource();
  await bench.engine.stop();
  const engine = new SyncEngine({ ...bench.deps, telemetry: { ...bench.deps.telemetry, tracer: tracing.tracer } });
  await engine.start();
  const runId = await bench.ask(sourceId);
  engine.nudge();
  await bench.untilEnded(sourceId, runId);
  await engine.stop();
  const job = await claimJob(db, 'worker', 60_000);
  const { spans, traceIds } = await sentBy(tracing, 5);
  t.deepEqual(spans, TAKEN_IN('synced file'));
  t.deepEqual(traceIds, [job?.traceContext?.slice(3, 35)]);
  t.false(tracing.sink.bodies.join('').includes('Alder'), 'no name of a file');
});

test('each delivery is a trace of its own, and what did not arrive is marked', async (t) => {
  await using bench = await openDeliveryBench();
  await using tracing = await givenTracing(1);
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(204), answers.status(500));
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }, { tracer: tracing.tracer }).start();
  await bench.until('delivered');
  t.deepEqual(
    (await tracing.sent(2)).map(({ name, kind, status, attributes }) => [name, kind, status.code, attributes['sheaf.outcome']]),
    [
      ['deliver webhook', 3, 2, 'retried'],
      ['deliver webhook', 3, 0, 'delivered'],
    ],
  );
  t.is(new Set(tracing.sink.spans.map(({ traceId }) => traceId)).size, 2);
});
