import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { child, givenSupervisor } from './given-supervisor.ts';

const ask = async (port: number, path: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

test('the supervisor tells the state of each child on its own probe port', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api'), child('worker')]);
  await supervisor.untilAnnounced();
  const port = await supervisor.probePort();
  const health = await ask(port, '/health');
  t.is(health.status, 200);
  const well = { status: 'healthy' };
  t.deepEqual(JSON.parse(health.text), { status: 'healthy', components: { api: well, worker: well, memory: well } });
  t.is((await ask(port, '/ready')).status, 200);
  t.regex((await ask(port, '/metrics')).text, /sheaf_supervisor_child_up\{child="worker".*\} 1/);

  process.kill((await supervisor.untilEntry('worker', 'ready')).pid, 'SIGKILL');
  const restarted = /sheaf_supervisor_restarts_total\{child="worker".*\} 1/;
  await waitFor(async () => restarted.test((await ask(port, '/metrics')).text), {
    description: 'the restart to be counted',
    limitMs: 20_000,
  });
  await waitFor(async () => (await ask(port, '/ready')).status === 200, { description: 'readiness to return', limitMs: 20_000 });
  t.pass();
});

test('it is not ready before its children are', async (t) => {
  const supervisor = await givenSupervisor(t, ['never: sleep 1000']);
  const ready = await ask(await supervisor.probePort(), '/ready');
  t.is(ready.status, 503);
  t.regex(ready.text, /never is st/);
});

test('HEALTH_CHECK_PATH, READY_CHECK_PATH and METRICS_PATH are its own as well, and the first is what it asks its children', async (t) => {
  const paths = { healthPath: '/alive', readyPath: '/go', metricsPath: '/numbers' };
  const supervisor = await givenSupervisor(t, [child('api', 'tell-probes')], { paths });
  await supervisor.untilAnnounced();
  const port = await supervisor.probePort();
  for (const path of Object.values(paths)) t.is((await ask(port, path)).status, 200, path);
  for (const path of ['/health', '/ready', '/metrics']) t.is((await ask(port, path)).status, 404, path);
  await supervisor.untilEntry('api', 'asked /alive', 3);
  t.deepEqual(new Set(supervisor.journal().flatMap(({ event }) => (event.startsWith('asked') ? [event] : []))), new Set(['asked /alive']));
});

test('METRICS_ENABLED=false: it tells no metrics either', async (t) => {
  const supervisor = await givenSupervisor(t, [child('api')], { metricsEnabled: false });
  await supervisor.untilAnnounced();
  const { status, text } = await ask(await supervisor.probePort(), '/metrics');
  t.is(status, 404);
  t.regex(text, /"reason":"feature_disabled"/);
});
