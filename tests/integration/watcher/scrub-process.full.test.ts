import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { warning } from '@sheaf/contract/operations';
import { supervisionMessage } from '@sheaf/process';
import { CODE_CACHE_ENVIRONMENT } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openIntegrityBench } from '../ingest/integrity-fixture.ts';

interface Health {
  readonly status: string;
  readonly components: Readonly<Record<string, { status: string; message?: string }>>;
}

test('the watcher reads stored files again, and says in its health, its metrics and its row what is wrong', async (t) => {
  await using bench = await openIntegrityBench();
  await bench.spoil(await bench.store()); // the oldest document, and so the first to be read
  await bench.store();
  const child = fork(join(import.meta.dirname, '../../../apps/watcher/src/main.ts'), [], {
    cwd: bench.folder,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      ...CODE_CACHE_ENVIRONMENT,
      DATABASE_URL: bench.database.url.reveal(),
      UPLOAD_PATH: join(bench.folder, 'uploads'),
      PROBE_PORT_BASE: '0',
    },
  });
  t.teardown(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const { probe_host, probe_port } = supervisionMessage.parse((await once(child, 'message'))[0]);
  const address = `http://${probe_host}:${probe_port}`;
  const health = await waitFor(
    async () => {
      const body = (await (await fetch(`${address}/health`)).json()) as Health;
      return body.components['stored_files']?.status === 'warning' ? body : undefined;
    },
    { description: 'the damaged file to be found', limitMs: 60_000, everyMs: 250 },
  );
  t.deepEqual(health.components['stored_files'], warning('stored_files_damaged', { files: 1, missing: 0, damaged: 1, unreadable: 0 }));
  const metrics = await waitFor(
    async () => {
      const text = await (await fetch(`${address}/metrics`)).text();
      return /^sheaf_stored_files\{.*state="changed".*\} 1$/m.test(text) ? text : undefined;
    },
    { description: 'the damaged file to be counted', limitMs: 90_000, everyMs: 250 },
  );
  t.regex(metrics, /^sheaf_scrub_bytes_total(\{.*\})? [1-9]/m);
  t.regex(metrics, /^sheaf_scrub_round_timestamp_seconds/m);
  t.regex(metrics, /^sheaf_stored_bytes/m);
  const row = await waitFor(
    async () =>
      (await bench.rows(`select components->'stored_files'->>'status' as status from processes`)).find(
        ({ status }) => status === 'warning',
      ),
    { description: 'the heartbeat to tell it', limitMs: 20_000 },
  );
  t.truthy(row);
});
