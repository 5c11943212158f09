import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestDatabase } from '@sheaf/testkit';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test from 'ava';
import { endProcess, startSyncProcess } from '../support/sync-process.ts';
import { waitFor } from '../support/wait-for.ts';

test('a second sync on the same database is refused with SINGLE_REPLICA=refuse, and stands by otherwise: it takes over when the first is killed', async (t) => {
  t.timeout(3 * 60_000);
  await using database = await openTestDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-replicas-'));
  const holders = async (): Promise<number[]> => {
    const { rows } = await database.pool.query<{ pid: number }>("select pid from processes where name = 'sync' and holds_lock");
    return rows.map(({ pid }) => pid);
  };
  const first = await startSyncProcess(database, folder.path);
  t.teardown(() => endProcess(first, 'SIGKILL'));
  await waitFor(async () => (await holders()).length === 1, { description: 'the first one to hold the lock', limitMs: 30_000 });

  const refused = startSyncProcess(database, folder.path, { SINGLE_REPLICA: 'refuse' });
  await t.throwsAsync(refused, { message: new RegExp(`ended with ${EXIT.replicaRuns}$`) });
  const second = await startSyncProcess(database, folder.path);
  t.teardown(() => endProcess(second, 'SIGKILL'));
  t.deepEqual(await holders(), [first.pid], 'the second one stands by');
  await endProcess(first, 'SIGKILL');
  await waitFor(async () => (await holders()).includes(second.pid ?? 0), { description: 'the second one to take over', limitMs: 30_000 });
});
