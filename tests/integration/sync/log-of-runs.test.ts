import { makeLogger } from '@sheaf/process';
import { SyncEngine } from '@sheaf/sync/testing';
import test from 'ava';
import { keepLines } from '../../support/log-lines.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench } from './fixture.ts';

test('what is logged in a run over a source carries the ids of both', async (t) => {
  await using bench = await openSyncBench();
  await bench.engine.stop();
  const lines = keepLines();
  const log = makeLogger({ level: 'debug', format: 'json' }, 'sync', lines.output);
  const engine = new SyncEngine({ ...bench.deps, telemetry: { ...bench.deps.telemetry, log } });
  // a fault of ours, which is all that is reported about single files
  Object.assign(bench.deps.ingest.storage, { put: () => Promise.reject(new Error('a mistake')) });
  await engine.start();
  await bench.put('a.txt', 'words');
  const sourceId = await bench.addSource();
  const runId = await bench.ask(sourceId);
  engine.nudge();
  const told = await waitFor(() => lines.entries().find(({ msg }) => msg === 'import of a source file failed'), {
    description: 'the line about the file',
    limitMs: 20_000,
  });
  t.like(told, { source_id: sourceId, run_id: runId, path: 'a.txt' });
  await engine.stop();
});
