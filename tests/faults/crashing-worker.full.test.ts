import { healthBody } from '@sheaf/contract/operations';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

const WORKER = 'apps/ocr-worker/src/main.ts';
/** More in two minutes than the supervisor once took as a reason to stop everything. */
const CRASHES = 6;

test('an ocr-worker that crashes again and again stops nothing else: it is reported, uploads and searches work, and it recovers', async (t) => {
  t.timeout(3 * 300_000);
  await using given = await givenService({ OCR_WORKER_PROCESSES: '1' });
  const { service } = given;
  const admin = await (await service.ready()).register('admin');
  const others = await Promise.all(['api', 'watcher', 'sync'].map((name) => service.processIds(`apps/${name}/src/main.ts`)));

  const killed = new Set<number>();
  while (killed.size < CRASHES) {
    const pid = await waitFor(async () => (await service.processIds(WORKER)).find((one) => !killed.has(one)), {
      description: () => `start ${killed.size + 1} of the worker; so far ${service.output.slice(-2_000)}`,
      limitMs: 90_000,
    });
    killed.add(pid);
    process.kill(pid, 'SIGKILL');
  }

  const problem = await waitFor(
    async () => {
      const { status, problems } = healthBody.parse((await admin.get('/api/health')).body);
      return status === 'unhealthy' && problems['processes']?.find(({ code }) => code === 'process_crashing');
    },
    { description: 'the report in /api/health', limitMs: 60_000 },
  );
  t.like(problem.details, { process: 'ocr-worker', signal: 'SIGKILL' });
  t.true((await (await admin.request('/status')).text()).includes('ocr-worker crashed '));
  t.is((await admin.get('/ready')).status, 200);
  const { status, body } = await admin.upload({ name: 'meanwhile.txt', bytes: new TextEncoder().encode('meanwhile quicksilver') });
  t.is(status, 201);
  t.is((await admin.get('/api/search?q=quicksilver')).status, 200);

  t.is((await admin.waitForEnd(String(body['id']), 120_000)).status, 'completed', 'the worker came back');
  t.deepEqual(await Promise.all(['api', 'watcher', 'sync'].map((name) => service.processIds(`apps/${name}/src/main.ts`))), others);
  t.is(await service.stop(), 0);
});
