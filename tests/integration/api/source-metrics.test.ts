import { givenDocument } from '@sheaf/testkit';
import test from 'ava';
import { givenSource, s3Source, webdavSource } from '../../support/given-source.ts';
import { startApi } from '../../support/running-api.ts';

test('sources are counted by type and status, and documents by the way they came in', async (t) => {
  const { admin, anyone, database, stop } = await startApi();
  try {
    const { body: me } = await admin.get('/api/auth/me');
    const failing = await givenSource(admin);
    await database.pool.query('update sources set failures = 1 where id = $1', [failing]);
    await givenSource(admin, webdavSource({ enabled: false }));
    for (const [n, run] of [false, true].entries()) {
      const id = await givenSource(admin, s3Source({ name: `bucket ${n}` }));
      if (run) await admin.post(`/api/sources/${id}/sync`, {});
    }
    await givenDocument(database.db, { ownerId: String(me['id']), source: 'webdav', sourceId: failing });
    const text = await (await anyone.request('/metrics')).text();
    const counts = [...text.matchAll(/^sheaf_sources\{type="(\w+)",status="(\w+)",.*\} (\d+)$/gm)].map(([, type, status, count]) => [
      `${type} ${status}`,
      Number(count),
    ]);
    t.is(counts.length, 12);
    t.deepEqual(Object.fromEntries(counts.filter(([, count]) => count !== 0)), {
      'webdav error': 1,
      'webdav disabled': 1,
      's3 active': 1,
      's3 syncing': 1,
    });
    t.regex(text, /^sheaf_documents\{source="webdav",.*\} 1$/m);
    t.regex(text, /^sheaf_documents\{source="upload",.*\} 0$/m);
  } finally {
    await stop();
  }
});
