import { uuidv7 } from '@sheaf/process';
import test from 'ava';
import { codeOf, givenSource, s3Source, webdavSource } from '../../support/given-source.ts';
import { startApi } from '../../support/running-api.ts';

test('while sources are disabled, those that were made before are not watched', async (t) => {
  const { anyone, database, stop } = await startApi({ FEATURE_SOURCES: 'false' });
  try {
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

test('while webdav is disabled, such sources are listed, and neither made nor tested nor run', async (t) => {
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
