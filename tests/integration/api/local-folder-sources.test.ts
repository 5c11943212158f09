import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { codeOf, refusedFields } from '../../support/given-source.ts';
import { startApi } from '../../support/running-api.ts';

const localSource = (path: string) => ({ name: 'Folder', type: 'local_folder', settings: { path } });

const givenFolders = async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-roots-')));
  for (const folder of ['root/papers', 'root-2', 'outside']) await mkdir(join(base, folder), { recursive: true });
  await symlink(join(base, 'outside'), join(base, 'root/out'));
  await symlink(join(base, 'root'), join(base, 'linked-root'));
  await writeFile(join(base, 'root/a-file'), '');
  return { base, [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }) };
};

test('a folder of the server is a source inside LOCAL_SOURCE_ROOTS only, with every link followed', async (t) => {
  await using folders = await givenFolders();
  const { base } = folders;
  const { admin, stop } = await startApi({ LOCAL_SOURCE_ROOTS: `${base}/linked-root,${base}/not-there` });
  try {
    for (const path of ['root', 'root/papers', 'linked-root/papers', 'root/papers/..']) {
      const { status, body } = await admin.post('/api/sources', localSource(join(base, path)));
      t.is(status, 201, path);
      t.like(body, { type: 'local_folder', username: null, has_secret: false });
      t.regex(String(body['url']), /^file:\/\/\//);
    }
    const outside = ['', 'outside', 'root-2', 'root/out', 'root/../outside', 'root/a-file', 'root/absent', 'not-there', 'outside/absent'];
    const messages = new Set<unknown>();
    for (const path of outside) {
      const answer = await admin.post('/api/sources', localSource(`${base}/${path}`));
      t.is(answer.status, 400, path);
      t.deepEqual(refusedFields(answer), ['settings.path'], path);
      messages.add((answer.body['error'] as { message: string }).message);
    }
    t.is(messages.size, 1, 'what is outside is not told from what is not there');
    for (const path of ['papers', './papers', '']) t.is((await admin.post('/api/sources', localSource(path))).status, 400, path);
    t.is((await admin.post('/api/sources', { ...localSource(join(base, 'root')), password: 'x' })).status, 400);

    const { body } = await admin.post('/api/sources', localSource(join(base, 'root')));
    const change = (path: string) => admin.send('PUT', `/api/sources/${String(body['id'])}`, { settings: { path: join(base, path) } });
    t.is((await change('root/out')).status, 400);
    t.is((await change('root/papers')).status, 200);
    const tried = { id: body['id'], settings: { path: join(base, 'outside') } };
    t.deepEqual(refusedFields(await admin.post('/api/sources/test', tried)), ['settings.path']);
  } finally {
    await stop();
  }
});

test('the folder may stand in the address as well, as GET answers it, and is moved by it', async (t) => {
  await using folders = await givenFolders();
  const root = join(folders.base, 'root');
  const { admin, stop } = await startApi({ LOCAL_SOURCE_ROOTS: root });
  try {
    const byUrl = (url: string, more: object = {}) => admin.post('/api/sources', { name: 'Folder', type: 'local_folder', url, ...more });
    for (const url of [root, `file://${root}`])
      t.like(await byUrl(url), { status: 201, body: { url: `file://${root}`, settings: { path: root } } });
    t.deepEqual(refusedFields(await byUrl(`file://${folders.base}/outside`)), ['settings.path']);
    t.deepEqual(refusedFields(await byUrl('https://dav.example.org/')), ['url']);
    t.deepEqual(refusedFields(await byUrl('file:///a%00b')), ['url']);
    t.deepEqual(refusedFields(await byUrl(root, { settings: { path: '/elsewhere' } })), ['url']);
    t.deepEqual(refusedFields(await admin.post('/api/sources', { name: 'Folder', type: 'local_folder' })), ['settings']);

    const path = `/api/sources/${String((await byUrl(root)).body['id'])}`;
    const { body: before } = await admin.get(path);
    const moved = await admin.send('PUT', path, { ...before, url: `file://${root}/papers` });
    t.like(moved, { status: 200, body: { settings: { path: `${root}/papers` } } });
    t.like(await admin.send('PUT', path, before), { status: 200, body: { url: `file://${root}`, settings: { path: root } } });
    t.like(await admin.send('PUT', path, { ...before, settings: { path: `${root}/papers` } }), { body: { url: `file://${root}/papers` } });
    t.deepEqual(refusedFields(await admin.send('PUT', path, { url: `file://${root}`, settings: { path: '/a' } })), ['url']);
    t.deepEqual(refusedFields(await admin.send('PATCH', path, { url: 'https://dav.example.org/' })), ['url']);
  } finally {
    await stop();
  }
});

test('only who looks after everybody’s sources makes one of a folder of the server, or moves it', async (t) => {
  await using folders = await givenFolders();
  const root = join(folders.base, 'root');
  const { admin, anyone, database, stop } = await startApi({ LOCAL_SOURCE_ROOTS: root });
  try {
    await admin.register('ed', 'editor');
    const editor = await anyone.login('ed');
    t.is(codeOf(await editor.post('/api/sources', localSource(root))), 'FORBIDDEN');
    t.is(codeOf(await editor.post('/api/sources/test', { type: 'local_folder', settings: { path: root } })), 'FORBIDDEN');
    const { body } = await admin.post('/api/sources', localSource(join(root, 'papers')));
    const { body: me } = await editor.get('/api/auth/me');
    await database.pool.query('update sources set owner_id = $1', [me['id']]);
    const path = `/api/sources/${String(body['id'])}`;
    t.is(codeOf(await editor.send('PUT', path, { settings: { path: root } })), 'FORBIDDEN');
    t.is((await editor.send('PUT', path, { name: 'Mine' })).status, 200);
  } finally {
    await stop();
  }
});

test('a folder of the server is looked at when it is tested, and nothing outside of the roots is', async (t) => {
  await using folders = await givenFolders();
  const { base } = folders;
  const root = join(base, 'root');
  await writeFile(join(root, 'papers/a.txt'), 'a');
  await writeFile(join(base, 'outside/secret.txt'), 'of somebody else');
  const { admin, database, stop } = await startApi({ LOCAL_SOURCE_ROOTS: root });
  const describe = (path: string, fields: object = {}) => ({ type: 'local_folder', settings: { path: join(base, path) }, ...fields });
  try {
    t.like((await admin.post('/api/sources/test', describe('root'))).body, { success: true, sample: ['a-file', 'papers/a.txt'] });
    t.like((await admin.post('/api/sources/test', describe('root/papers', { recursive: false }))).body, {
      success: true,
      sample: ['a.txt'],
    });
    for (const path of ['outside', 'root/out', 'root-2', ''])
      t.is((await admin.post('/api/sources/test', describe(path))).status, 400, path);
    const { body } = await admin.post('/api/sources', localSource(join(root, 'papers')));
    const { id } = body;
    t.like((await admin.post('/api/sources/test', { id })).body, { success: true, sample: ['a.txt'] });
    await rename(join(root, 'papers'), join(base, 'papers'));
    t.like((await admin.post('/api/sources/test', { id })).body, { success: false });
    await symlink(join(base, 'outside'), join(root, 'papers'));
    const swapped = await admin.post('/api/sources/test', { id });
    t.like(swapped.body, { success: false });
    t.regex(String(swapped.body['message']), /LOCAL_SOURCE_ROOTS/);
    t.false('sample' in swapped.body);
    await database.pool.query('update sources set settings = $1 where id = $2', [{ path: join(base, 'outside') }, id]);
    t.like((await admin.post('/api/sources/test', { id })).body, { success: false }, 'whatever the row says');
  } finally {
    await stop();
  }
});

test('where no root is named there is no such source, and the refusal names the variable', async (t) => {
  const { admin, stop } = await startApi();
  try {
    const answer = await admin.post('/api/sources', localSource('/'));
    t.is(answer.status, 400);
    t.regex(JSON.stringify(answer.body), /LOCAL_SOURCE_ROOTS/);
  } finally {
    await stop();
  }
});
