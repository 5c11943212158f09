import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { Exporter, MetricsGatherer } from '@sheaf/api/testing';
import { Counter, FatalError, makeRegistry, ProbeServer, type Registry, silentLogger, systemClock, uuidv7 } from '@sheaf/process';
import { recordHeartbeat } from '@sheaf/program';
import { type TestDatabase } from '@sheaf/testkit';
import type { ExecutionContext } from 'ava';
import { parseMetrics } from '../../support/metrics-text.ts';
import { testWithOwnDatabase } from '../../support/test-database.ts';

const test = testWithOwnDatabase();

const PATHS = { healthPath: '/health', readyPath: '/ready', metricsPath: '/numbers' };

const count = (registry: Registry, by: number): void =>
  new Counter({ name: 'sheaf_test_total', help: 'Same in all', labelNames: ['kind'], registers: [registry] }).inc({ kind: '"} 1\\' }, by);

const givenProcess = async (t: ExecutionContext<TestDatabase>, name: string, instance?: number) => {
  const registry = makeRegistry(name, { instance });
  count(registry, instance ?? 7);
  const probes = new ProbeServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger(),
    registry,
    paths: PATHS,
    metricsEnabled: true,
    health: () => ({}),
    ready: async () => ({ status: 'healthy' }),
  });
  await probes.start();
  t.teardown(() => probes.stop());
  const { port } = probes;
  await givenRow(t, { name, instance: instance ?? 0, port });
  return { port, stop: () => probes.stop() };
};

interface GivenRow {
  readonly name: string;
  readonly instance?: number;
  readonly port: number;
  readonly seenAt?: Date;
}

const givenRow = ({ context: { db } }: ExecutionContext<TestDatabase>, { name, instance = 0, port, seenAt = new Date() }: GivenRow) =>
  recordHeartbeat(
    db,
    {
      id: uuidv7(),
      name,
      pid: 1,
      host: hostname(),
      version: '1.0.0',
      configHash: '',
      probePort: port,
      holdsLock: false,
      status: 'healthy',
      components: {},
      facts: { instance, probe_host: '127.0.0.1', config_since: seenAt.toISOString() },
      memoryBytes: 1,
      startedAt: seenAt,
    },
    seenAt,
  );

const listen = (t: ExecutionContext<TestDatabase>, server: Server): Promise<number> =>
  new Promise((resolve) => {
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const givenGatherer = ({ context: { db } }: ExecutionContext<TestDatabase>, supervisorPort?: number) => {
  const registry = makeRegistry('api');
  count(registry, 100);
  const supervisor = supervisorPort === undefined ? undefined : { host: '127.0.0.1', port: supervisorPort };
  return new MetricsGatherer({ db, clock: systemClock, registry, processName: 'api', path: PATHS.metricsPath, supervisor });
};

/** `sheaf_process_up` of each process, by its labels. */
const upsOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    (parseMetrics(text).get('sheaf_process_up')?.samples ?? []).map(({ labels: { process, instance }, value }) => [
      instance === undefined ? process : `${process} ${instance}`,
      value,
    ]),
  );

test('the metrics of all processes are one text, each family once, told apart by process and instance', async (t) => {
  await givenProcess(t, 'watcher');
  await givenProcess(t, 'ocr-worker', 1);
  await givenProcess(t, 'ocr-worker', 2);
  const supervisor = await givenProcess(t, 'supervisor');
  await t.context.pool.query(`delete from processes where name = 'supervisor'`); // it has no row
  const text = await givenGatherer(t, supervisor.port).gather();
  t.deepEqual(upsOf(text), { api: 1, supervisor: 1, watcher: 1, 'ocr-worker 1': 1, 'ocr-worker 2': 1 });
  const samples = parseMetrics(text).get('sheaf_test_total')?.samples ?? [];
  t.is(samples.length, 5);
  t.deepEqual(
    samples.find(({ labels }) => labels['instance'] === '2'),
    { name: 'sheaf_test_total', labels: { kind: String.raw`\"} 1\\`, process: 'ocr-worker', instance: '2' }, value: 2 },
  );
});

const buildOf = (instance: string) => ({
  name: 'sheaf_build_info',
  help: '',
  type: 'gauge',
  values: [{ value: 1, labels: { process: 'ocr-worker', instance } }],
});

test('one that is gone, silent, somebody else, or talks nonsense or too much, is down and holds up nobody', async (t) => {
  t.timeout(20_000, 'the one that never answers holds up the others');
  await givenProcess(t, 'watcher');
  const dead = await givenProcess(t, 'sync');
  await dead.stop();
  const hanging = await listen(t, createServer());
  await givenRow(t, { name: 'ocr-worker', instance: 1, port: hanging });
  const stranger = await givenProcess(t, 'ocr-worker', 9);
  await t.context.pool.query(`update processes set facts = facts || '{"instance": 2}' where probe_port = $1`, [stranger.port]);
  const nonsense = await listen(
    t,
    createServer((_, response) => response.end(JSON.stringify([buildOf('3'), { ...buildOf('3'), name: 'x 1\nnonsense' }]))),
  );
  await givenRow(t, { name: 'ocr-worker', instance: 3, port: nonsense });
  const talkative = await listen(
    t,
    createServer((_, response) => response.end(`${JSON.stringify([buildOf('4')])}${' '.repeat(3_000_000)}`)),
  );
  await givenRow(t, { name: 'ocr-worker', instance: 4, port: talkative });
  t.deepEqual(upsOf(await givenGatherer(t).gather()), {
    api: 1,
    watcher: 1,
    sync: 0,
    'ocr-worker 1': 0,
    'ocr-worker 2': 0,
    'ocr-worker 3': 0,
    'ocr-worker 4': 0,
  });
});

test('of a process that was started anew only the new one is reported', async (t) => {
  const old = await givenProcess(t, 'watcher');
  await old.stop();
  await givenRow(t, { name: 'sync', port: old.port, seenAt: new Date(Date.now() - 60_000) });
  await givenProcess(t, 'watcher');
  t.deepEqual(upsOf(await givenGatherer(t).gather()), { api: 1, watcher: 1, sync: 0 });
});

test('workers that were not numbered apart are told apart all the same', async (t) => {
  const { port } = await givenProcess(t, 'ocr-worker', 0);
  const other = await givenProcess(t, 'ocr-worker', 0);
  const ups = upsOf(await givenGatherer(t).gather());
  t.is(Object.keys(ups).length, 3);
  t.true(`ocr-worker 0:${port}` in ups || `ocr-worker 0:${other.port}` in ups);
});

test('while the database is away the processes that were known are asked', async (t) => {
  await givenProcess(t, 'watcher');
  const gatherer = givenGatherer(t);
  t.deepEqual(upsOf(await gatherer.gather()), { api: 1, watcher: 1 });
  await t.context.pool.query('alter table processes rename to gone');
  t.deepEqual(upsOf(await gatherer.gather()), { api: 1, watcher: 1 });
});

const givenExporter = (port: number, gather = async () => 'x 1\n'): Exporter =>
  new Exporter({ host: '127.0.0.1', port, path: PATHS.metricsPath, log: silentLogger(), contentType: 'text/plain', gather });

test('it answers METRICS_PATH alone, and asks once however many scrape', async (t) => {
  let gathered = 0;
  const exporter = givenExporter(0, async () => `x ${++gathered}\n`);
  await exporter.start();
  t.teardown(() => exporter.stop());
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${exporter.port}${path}`, { method });
  const answers = await Promise.all(Array.from({ length: 10 }, async () => (await ask('/numbers?x=1')).text()));
  t.deepEqual(new Set(answers), new Set(['x 1\n']));
  for (const path of ['/metrics', '/', '/numbers/']) t.is((await ask(path)).status, 404);
  t.is((await ask('/numbers', 'POST')).status, 404);
});

test('EXPORTER_PORT that is taken ends the start, with the name of the variable', async (t) => {
  const port = await listen(t, createServer());
  const error = await t.throwsAsync(() => givenExporter(port).start(), { instanceOf: FatalError });
  t.is(error?.exitCode, 78);
  t.is(error?.problem?.code, 'listen_address_in_use');
  t.is(error?.problem?.details['variable'], 'EXPORTER_PORT');
});
