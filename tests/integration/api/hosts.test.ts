import { processes } from '@sheaf/db/schema';
import { setHostDrained } from '@sheaf/queue';
import { enqueueJob, givenDocument, givenUser } from '@sheaf/testkit';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

test('the hosts are listed with what runs there, how many jobs they have, and whether they take more', async (t) => {
  const { admin, anyone, database } = t.context;
  const { db, pool } = database;
  const row = { pid: 1, version: '9.9', configHash: '', status: 'healthy', memoryBytes: 1, startedAt: new Date(), probePort: 1 } as const;
  const facts = { instance: 0, probe_host: '127.0.0.1', config_since: new Date().toISOString() };
  const seenAt = new Date(Date.now() - 60_000);
  await db.insert(processes).values([
    { ...row, id: crypto.randomUUID(), name: 'ocr-worker', host: 'reader', facts: { ...facts, cores: 4, languages: ['deu', 'eng'] } },
    { ...row, id: crypto.randomUUID(), name: 'ocr-worker', host: 'reader', facts: { ...facts, instance: 1, cores: 4, languages: ['eng'] } },
    { ...row, id: crypto.randomUUID(), name: 'watcher', host: 'reader', facts, holdsLock: true },
    { ...row, id: crypto.randomUUID(), name: 'sync', host: 'reader', facts, holdsLock: false },
    { ...row, id: crypto.randomUUID(), name: 'watcher', host: 'silent', facts, holdsLock: true, seenAt },
  ]);
  const { id } = await givenDocument(db, { ownerId: (await givenUser(db)).id });
  await enqueueJob(db, { documentId: id, maxAttempts: 3, priority: 'normal' });
  await pool.query(
    "update ocr_jobs set status = 'processing', lease_by = 'reader:1:1', lease_until = now() + interval '1 minute' where document_id = $1",
    [id],
  );
  await setHostDrained(db, 'reader', true);
  const hosts = async () => (await admin.get('/api/hosts')).body['data'] as Record<string, unknown>[];
  const [reader, silent] = ['reader', 'silent'].map(async (host) => (await hosts()).find((one) => one['host'] === host));
  t.like(await reader, {
    processes: ['ocr-worker', 'ocr-worker.1', 'sync', 'watcher'],
    active: ['watcher'],
    standby: ['sync'],
    version: '9.9',
    cores: 4,
    languages: ['deu', 'eng'],
    state: 'draining',
    active_jobs: 1,
  });
  t.like(await silent, {
    processes: ['watcher'],
    active: [],
    standby: [],
    cores: null,
    languages: [],
    state: 'silent',
    last_seen_at: seenAt.toISOString(),
  });
  await pool.query('delete from ocr_jobs where document_id = $1', [id]);
  t.is((await hosts()).find(({ host }) => host === 'reader')?.['state'], 'drained');
  await setHostDrained(db, 'reader', false);
  t.is((await hosts()).find(({ host }) => host === 'reader')?.['state'], 'running');
  await admin.post('/api/users', { username: 'viewer', email: 'viewer@example.org', password: 'correct horse battery', role: 'viewer' });
  t.is((await (await anyone.login('viewer')).get('/api/hosts')).status, 403);
});
