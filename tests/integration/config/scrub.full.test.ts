import { loadConfig } from '@sheaf/config';
import { Scrubber } from '@sheaf/ingest/testing/integrity';
import { constant, silentLogger } from '@sheaf/process';
import test from 'ava';
import { ADMINISTRATORS } from '../../support/notification-policies.ts';
import { openIntegrityBench } from '../ingest/integrity-fixture.ts';

const DAY_MS = 24 * 3_600_000;

/** How often four stored files are read within four days. */
const timesRead = async (days: string): Promise<number> => {
  await using bench = await openIntegrityBench();
  for (let n = 0; n < 4; n += 1) await bench.store();
  const { config } = loadConfig({ environment: { STORAGE_SCRUB_DAYS: days } });
  let [nowMs, readBytes] = [Date.now(), 0];
  const { signal } = new AbortController();
  const scrubber = new Scrubber(
    {
      db: bench.db,
      alerts: ADMINISTRATORS,
      storage: bench.storage,
      clock: { now: () => new Date(nowMs) },
      log: silentLogger(),
      metrics: { read: (bytes) => void (readBytes += bytes), seen: () => {} },
    },
    { periodMs: constant(config.storage.scrubPeriodMs), maxBytesPerSecond: 1e12, secondLookMs: 0 },
  );
  for (const endMs = nowMs + 4 * DAY_MS; nowMs < endMs; ) nowMs += Math.max(15 * 60_000, await scrubber.step(signal));
  return readBytes / (4 * 2_000);
};

test('STORAGE_SCRUB_DAYS is the time in which every stored file is read once, and 0 reads none', async (t) => {
  t.true((await timesRead('1')) >= 2);
  t.is(await timesRead('30'), 1);
  t.is(await timesRead('0'), 0);
});
