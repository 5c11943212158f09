import { claimJob, countJobsOfHosts, listDrainedHosts, setHostDrained } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

const LEASE_MS = 60_000;

test('a host that is drained takes nothing new and keeps what it has; others go on, and it does once it is resumed', async (t) => {
  await using database = await openTestDatabase();
  const { db } = database;
  const ownerId = (await givenUser(db)).id;
  for (let n = 0; n < 4; n += 1) {
    const { id } = await givenDocument(db, { ownerId });
    await enqueueJob(db, { documentId: id, maxAttempts: 3, priority: 'normal' });
  }
  const claimOn = (host: string) => claimJob(db, `${host}:1:1`, LEASE_MS, { host });
  t.truthy(await claimOn('alpha'));
  await setHostDrained(db, 'alpha', true);
  await setHostDrained(db, 'alpha', true);
  t.deepEqual(await listDrainedHosts(db), new Set(['alpha']));
  t.is(await claimOn('alpha'), undefined);
  t.truthy(await claimOn('beta'));
  t.deepEqual(
    await countJobsOfHosts(db),
    new Map([
      ['alpha', 1],
      ['beta', 1],
    ]),
  );
  await setHostDrained(db, 'alpha', false);
  t.truthy(await claimOn('alpha'));
  t.deepEqual(await listDrainedHosts(db), new Set());
});
