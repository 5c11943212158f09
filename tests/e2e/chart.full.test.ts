// What the pods of deploy/helm/sheaf start, without Kubernetes: see tests/support/image-pod.ts for what stands in for a container.
import { ApiClient, makeServiceFolder, openTestDatabase } from '@sheaf/testkit';
import { testWhere } from '../support/conditional-test.ts';
import { freePort } from '../support/free-port.ts';
import { LEAST_VALUES, podsOf, renderChart } from '../support/helm-chart.ts';
import { hasHelm } from '../support/helm-program.ts';
import { canStartPods, startPod } from '../support/image-pod.ts';
import { openS3Server } from '../support/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';

const testPods = testWhere(hasHelm && canStartPods, 'the pods of the chart need helm (x64) and user namespaces');
/** That of the chart. Each process answers at a distance from it. */
const PROBE_PORT_BASE = 9_100;

const statusOf = (port: number, path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    ({ status }) => status,
    () => 0,
  );

testPods('the pods of the chart become ready one by one, process a document together, and stop in time with exit code 0', async (t) => {
  t.timeout(3 * 180_000);
  await using database = await openTestDatabase({ empty: true });
  await using folder = await makeServiceFolder();
  await using s3 = await openS3Server();
  const storage = { s3: { bucket: s3.bucket, endpointUrl: s3.url } };
  const pods = podsOf(await renderChart({ ...LEAST_VALUES, storage }));
  const secret = {
    DATABASE_URL: database.url.reveal(),
    APP_SECRET_KEY: 'a'.repeat(48),
    JWT_SECRET: 'b'.repeat(48),
    SESSION_SECRET: 'c'.repeat(48),
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER-secret',
    ADMIN_PASSWORD: 'Correct-horse-1',
  };
  /** Each pod has the addresses of one machine here, so ports of its own. */
  const start = async (component: string, name = component) => {
    const pod = pods.find((each) => each.component === component);
    if (pod === undefined) throw new Error(`the chart has no ${component}`);
    const [port, base] = [await freePort(), await freePort()];
    const environment = { SERVER_ADDRESS: `127.0.0.1:${port}`, PROBE_HOST: '127.0.0.1', PROBE_PORT_BASE: String(base) };
    const program = await startPod({ pod, folder: folder.path, name, secret, environment });
    const containerPort = pod.container.ports?.[0]?.containerPort ?? 0;
    return { name, pod, program, port: component === 'api' ? port : containerPort - PROBE_PORT_BASE + base };
  };

  const early = await start('sync', 'early');
  t.is(await early.program.ended(), 78);
  t.regex(early.program.output, /"code":"schema_outdated"/, 'Kubernetes starts it again until the migration has run');
  const migration = await start('migration');
  t.is(await migration.program.ended(), 0, migration.program.output);
  const again = await start('migration', 'migration-of-an-upgrade');
  t.is(await again.program.ended(), 0, again.program.output);

  await using running = new AsyncDisposableStack();
  const started: Awaited<ReturnType<typeof start>>[] = [];
  for (const [component, name] of [
    ['api'],
    ['api', 'second-api'],
    ['ocr-worker'],
    ['watcher'],
    ['watcher', 'second-watcher'],
    ['sync'],
  ] as const) {
    const each = await start(component, name);
    running.use(each.program);
    started.push(each);
  }
  for (const { program } of started) await program.says(/"msg":"ready"/, 120_000);
  for (const { name, pod, program, port } of started)
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path } = (pod.container[probe] as { httpGet: { path: string } }).httpGet;
      await waitFor(async () => (await statusOf(port, path)) === 200, {
        description: () => `${probe} of ${name}; it said:\n${program.output.slice(-2_000)}`,
        limitMs: 30_000,
      });
    }

  const [first, second] = started.map(({ port }) => new ApiClient(`http://127.0.0.1:${port}`));
  const admin = await (first as ApiClient).login('admin', secret.ADMIN_PASSWORD);
  const { body } = await admin.upload({ name: 'letter.txt', bytes: new TextEncoder().encode('a letter about marigolds') });
  t.is((await admin.waitForEnd(String(body['id']))).status, 'completed');
  t.is((await (second as ApiClient).login('admin', secret.ADMIN_PASSWORD).then((user) => user.get('/api/hosts'))).status, 200);
  const hosts = (await admin.get('/api/hosts')).body['data'] as { host: string; processes: string[] }[];
  t.deepEqual(hosts.map(({ host }) => host).toSorted(), started.map(({ name }) => name).toSorted(), 'each pod is a host');
  const metrics = await fetch(`http://127.0.0.1:${started[0]?.port}/metrics`).then((response) => response.text());
  t.regex(metrics, /^sheaf_ocr_queue_oldest_seconds(\{[^}]*\})? 0$/m, 'what the autoscaler goes by');

  for (const { name, pod, program } of started.toReversed())
    t.is(await program.stop((pod.spec.terminationGracePeriodSeconds ?? 0) * 1_000), 0, `${name}: ${program.output.slice(-2_000)}`);
});
