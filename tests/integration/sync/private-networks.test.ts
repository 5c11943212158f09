import { uuidv7 } from '@sheaf/process';
import { createSource, getSource, makePublicFetch, sealSourceSecret } from '@sheaf/sources';
import { makeDriverOpener, makeFetchFor } from '@sheaf/sync/testing';
import { givenUser, openTestDatabase, principalOf } from '@sheaf/testkit';
import test from 'ava';
import { CONFIGURED_ROLES } from '../../support/built-in-roles.ts';
import { SYNC_SECRET_KEY } from '../../support/composed-sync.ts';
import { WEBDAV_USER } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';
import { loopbackFetch } from '../sources/given-driver.ts';

// loopback stands for a private network here: it is closed to public clients and open to the other one
test('a source in a private network works for an administrator, and for others at the same place alone', async (t) => {
  await using database = await openTestDatabase();
  await using server = await openWebdavServer();
  const { db } = database;
  const [admin, editor] = [await givenUser(db, { role: 'admin' }), await givenUser(db, { role: 'editor' })];
  const given = async (ownerId: string, url: string) => {
    const id = uuidv7();
    const sealedSecret = sealSourceSecret(server.password, id, SYNC_SECRET_KEY);
    const fields = {
      name: 'NAS',
      url,
      username: WEBDAV_USER,
      settings: {},
      syncIntervalSeconds: 0,
      isRecursive: true,
      filePatterns: ['*'],
    };
    await createSource(db, id, { ...fields, isEnabled: true, ownerId, type: 'webdav', sealedSecret, nextSyncAt: null });
    return (await getSource(db, principalOf(admin), id)).source;
  };
  const fetchFor = makeFetchFor({
    db,
    open: loopbackFetch(),
    publicOnly: makePublicFetch({ allowedNetworks: [], denyPrivate: false }, { userAgent: 'Sheaf' }),
    roles: CONFIGURED_ROLES,
  });
  const openDriver = makeDriverOpener(fetchFor, SYNC_SECRET_KEY, []);
  const check = (source: Parameters<typeof openDriver>[0]) => openDriver(source).check(new AbortController().signal);

  const ofEditor = await given(editor.id, server.url);
  const closed = await t.throwsAsync(check(ofEditor));
  t.like(closed, { code: 'refused' });
  // a port on which nobody listens, a name that nobody has: the same words but for the host, and no address among them
  for (const url of ['http://127.0.0.1:1/', 'http://nobody.invalid/', 'http://10.1.2.3/', 'http://[fd00::1]/']) {
    const other = await t.throwsAsync(check({ ...ofEditor, url }));
    t.is(other?.message.replace(new URL(url).host, ''), closed?.message.replace(new URL(server.url).host, ''), url);
    t.like(other, { code: 'refused' });
  }

  await given(admin.id, 'http://127.0.0.1:1/');
  await t.throwsAsync(check(ofEditor), undefined, 'another port of the same host is another place');
  await t.notThrowsAsync(check(await given(admin.id, server.url)));
  await t.notThrowsAsync(check(ofEditor));
  await database.pool.query('update users set disabled_at = now() where id = $1', [admin.id]);
  await t.throwsAsync(check(ofEditor), undefined, 'of an administrator who is one no more nothing is left');
});
