// What variables of sources do.
import { loadConfig } from '@sheaf/config';
import { constant } from '@sheaf/process';
import { makeSourceChecks } from '@sheaf/sync/testing';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';
import { openSyncBench } from '../sync/fixture.ts';

test('SOURCE_CHECK_INTERVAL is how long a look at a source is good for', async (t) => {
  await using bench = await openSyncBench();
  const id = await bench.addSource();
  const lookedAt = async () => (await bench.rows('select checked_at from sources where id = $1', id))[0]?.['checked_at'] as Date;
  /** Whether a look of 15 seconds ago is followed by another one. */
  const looksAgain = async (environment: Readonly<Record<string, string>>): Promise<boolean> => {
    const { config } = loadConfig({ environment });
    await bench.rows(`update sources set checked_at = now() - interval '15 seconds' where id = $1`, id);
    const before = await lookedAt();
    const checks = makeSourceChecks(bench.deps, constant(config.sources.checkIntervalMs));
    await checks.start();
    const isNew = async () => (await lookedAt()).getTime() > before.getTime();
    if (environment['SOURCE_CHECK_INTERVAL'] === '10') await waitFor(isNew, { description: 'another look', limitMs: 20_000 });
    await checks.stop(); // when the round is over
    return isNew();
  };
  t.deepEqual([await looksAgain({ SOURCE_CHECK_INTERVAL: '10' }), await looksAgain({})], [true, false]);
});
