import { holdLease, LeaseNotRenewed } from '@sheaf/ocr-worker/testing';
import { silentLogger } from '@sheaf/process';
import { claimJob } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser, openTestDatabase } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../../support/wait-for.ts';

const LEASE_MS = 600;

test('a lease that the database does not answer for ends here when it may end there', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await enqueueJob(db, { documentId: id, maxAttempts: 3 });
  const job = await claimJob(db, 'here:1:1', LEASE_MS);
  if (job === undefined) return t.fail('no job');

  const silent = await pool.connect();
  await silent.query('begin');
  await silent.query('select from ocr_jobs for update'); // no renewal is answered until this ends
  const lease = holdLease(db, job, LEASE_MS, silentLogger());
  try {
    await waitFor(() => lease.signal.aborted, { description: 'the end of the lease', limitMs: 5_000 });
    t.true(lease.signal.reason instanceof LeaseNotRenewed);
  } finally {
    await silent.query('rollback');
    silent.release();
    await lease[Symbol.asyncDispose]();
  }
});

test('that the processing of a document starts is an event, with the progress that an earlier try has made', async (t) => {
  await using database = await openTestDatabase();
  const { db, pool } = database;
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await enqueueJob(db, { documentId: id, maxAttempts: 3 });
  const started = async () => {
    await claimJob(db, 'worker', LEASE_MS);
    return (await pool.query<{ data: object }>(`select data from events where type = 'ocr_progress' order by id`)).rows.map(
      ({ data }) => data,
    );
  };
  const first = { document_id: id, progress: 0, status: 'processing' };
  t.deepEqual(await started(), [first]);
  await pool.query(`update documents set status = 'pending'`);
  await pool.query(`update ocr_jobs set status = 'pending', lease_by = null, lease_until = null, pages_done = 2, pages_total = 3`);
  t.deepEqual(await started(), [first, { ...first, progress: 66 }]);
});
