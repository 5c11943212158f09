import { makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { parseMetrics } from '../support/metrics-text.ts';
import { waitFor } from '../support/wait-for.ts';
import { metricsOf, watchedQueries } from '../support/watched-metrics.ts';

const ALL = ['api', 'ocr-worker 0', 'ocr-worker 1', 'supervisor', 'sync', 'watcher'];

test('EXPORTER_ENABLED: one port tells the metrics of all processes, and the probes answer under the paths that are set', async (t) => {
  await using folder = await makeServiceFolder();
  await using service = new RunningService({
    folder: folder.path,
    args: ['--scale', 'ocr-worker=2'],
    env: {
      EXPORTER_ENABLED: 'true',
      EXPORTER_PORT: '0',
      LOG_FORMAT: 'json',
      HEALTH_CHECK_PATH: '/alive',
      READY_CHECK_PATH: '/go',
      METRICS_PATH: '/numbers',
    },
  });
  const api = await waitFor(() => /Sheaf listens on (http:[^"\s]+)/.exec(service.output)?.[1], {
    description: 'the service',
    limitMs: 60_000,
  });
  const port = /"port":(\d+)[^\n]*"msg":"metrics exporter listening"/.exec(service.output)?.[1] ?? '0';
  const scrape = async () => parseMetrics(await (await fetch(`http://127.0.0.1:${port}/numbers`)).text());
  const upsOf = (families: Awaited<ReturnType<typeof scrape>>, value: number): string[] =>
    (families.get('sheaf_process_up')?.samples ?? [])
      .filter((sample) => sample.value === value)
      .map(({ labels: { process, instance } }) => (instance === undefined ? process : `${process} ${instance}`) ?? '')
      .toSorted();

  const families = await waitFor(
    async () => {
      const scraped = await scrape();
      return upsOf(scraped, 1).length === ALL.length && scraped;
    },
    { description: 'all processes to be up', limitMs: 20_000 }, // a busy machine does not always answer within a second
  );
  t.deepEqual(upsOf(families, 1), ALL);
  t.deepEqual(
    (families.get('sheaf_build_info')?.samples ?? [])
      .map(({ labels }) => `${labels['process']} ${labels['instance'] ?? ''}`.trim())
      .toSorted(),
    ALL,
  );
  for (const name of new Set(watchedQueries().flatMap(metricsOf))) t.true(families.has(name), `${name} is watched and does not exist`);

  for (const [path, status] of [
    ['/alive', 200],
    ['/go', 200],
    ['/numbers', 200],
    ['/metrics', 404],
  ] as const)
    t.is((await fetch(`${api}${path}`)).status, status, path);
  const probes = [...service.output.matchAll(/"probe_port":(\d+)[^\n]*"msg":"ready"/g)].map(([, probe = '']) => probe);
  t.is(probes.length, 5);
  for (const probe of probes) t.is((await fetch(`http://127.0.0.1:${probe}/alive`)).status, 200);

  const [worker] = await service.processIds('apps/ocr-worker/src/main.ts');
  if (worker === undefined) throw new Error('No ocr-worker is running');
  process.kill(worker, 'SIGKILL');
  await waitFor(async () => (await scrape()).get('sheaf_supervisor_restarts_total')?.samples.some(({ value }) => value === 1), {
    description: 'the restart to be counted',
    limitMs: 10_000,
  });
  await waitFor(async () => upsOf(await scrape(), 1).length === ALL.length, { description: 'all to be up again', limitMs: 20_000 });
  t.deepEqual(upsOf(await scrape(), 0), [], 'the one that died is not told of beside the one in its place');
});
