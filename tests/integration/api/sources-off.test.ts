import { uuidv7 } from '@sheaf/runtime';
import test from 'ava';
import { codeOf, givenSource, s3Source, webdavSource } from '../../support/given-source.ts';
import { startApi } from '../../support/running-api.ts';

test('the endpoints of sources say that they are switched off, to those whom they would let in', async (t) => {
  const { admin, anyone, database, stop } = await startApi({ FEATURE_SOURCES: 'false' });
  try {
    const one = `/api/sources/${uuidv7()}`;
    for (const [method, path] of [
      ['GET', '/api/sources'],
      ['POST', '/api/sources'],
      ['POST', '/api/sources/test'],
      ['GET', one],
      ['PUT', one],
      ['PATCH', one],
      ['DELETE', one],
      ['POST', `${one}/sync`],
      ['GET', `${one}/sync-status`],
      ['POST', `${one}/sync/cancel`],
      ['GET', `/api/health/sources/${uuidv7()}`],
    ] as const) {
      const answer = await admin.request(path, { method });
      t.is(answer.status, 404);
      t.is(((await answer.json()) as { error: { code: string } }).error.code, 'FEATURE_DISABLED', path);
      t.is((await anyone.request(path, { method })).status, 401);
    }
    // made while they were on
    await database.pool.query(
      `insert into sources (id, owner_id, name, type, sync_interval_seconds) select $1, id, 'Kept', 'webdav', 0 from users`,
      [uuidv7()],
    );
    const { components } = (await anyone.get('/api/health')).body as { components: { sources: unknown } };
    t.deepEqual(components.sources, {});
  } finally {
    await stop();
  }
});

test('while webdav is switched off, such sources are listed, and neither made nor tested nor run', async (t) => {
  const api = await startApi({ FEATURE_WEBDAV: 'false' });
  const { admin, database } = api;
  try {
    const id = await givenSource(admin, s3Source());
    t.is((await admin.post(`/api/sources/${id}/sync`, {})).status, 202);
    t.is(codeOf(await admin.post('/api/sources', webdavSource())), 'FEATURE_DISABLED');
    const { name: _name, ...described } = webdavSource();
    t.is(codeOf(await admin.post('/api/sources/test', described)), 'FEATURE_DISABLED');
    // made while it was on
    const kept = await givenSource(admin, s3Source({ name: 'Kept' }));
    await database.pool.query(`update sources set type = 'webdav', url = 'https://dav.example.org/', settings = '{}' where id = $1`, [
      kept,
    ]);
    t.is(codeOf(await admin.post(`/api/sources/${kept}/sync`, {})), 'FEATURE_DISABLED');
    t.is(codeOf(await admin.post('/api/sources/test', { id: kept })), 'FEATURE_DISABLED');
    t.is((await admin.get(`/api/sources/${kept}`)).body['type'], 'webdav');
    t.like((await admin.get('/api/sources')).body, { pagination: { total: 2 } });
    t.is((await admin.delete(`/api/sources/${kept}`)).status, 204);
  } finally {
    await api.stop();
  }
});
