import { LiveValue, silentLogger, uuidv7 } from '@sheaf/process';
import { makeHeartbeat } from '@sheaf/program/testing';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

test('a process is seen at the time of the database, however wrong the clock of its host is', async (t) => {
  await using database = await openTestDatabase();
  const beat = makeHeartbeat({
    id: uuidv7(),
    database,
    log: silentLogger(),
    clock: { now: () => new Date(Date.now() - 600_000) },
    name: 'ocr-worker',
    instance: 0,
    configHash: new LiveValue('hash'),
    holdsLock: () => false,
    health: () => ({}),
    probe: () => ({ host: '127.0.0.1', port: 1 }),
    facts: () => ({}),
  });
  await beat.start();
  try {
    const { rows } = await database.pool.query(
      "select from processes where least(seen_at, started_at) > now() - interval '1 minute' and seen_at <= now()",
    );
    t.is(rows.length, 1);
  } finally {
    await beat.stop();
  }
});
