import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type ApiClient, CODE_CACHE_ENVIRONMENT, makePdf, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { fullOnly } from '../support/full-run.ts';
import { READING_ALONE } from '../support/given-service.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');

const sheaf = (folder: string, ...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      EMBEDDED_POSTGRES_PORT: '0',
    };
    execFile(SHEAF, args, { encoding: 'utf8', timeout: 180_000, env }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

const BYTES = new Uint8Array(makePdf([{ lines: ['a page about heliotropes'] }]));

/** A running service is given a document and is backed up: the id of the one, the path of the other. */
const backUp = async (t: ExecutionContext, folder: string, admin: ApiClient) => {
  const id = String((await admin.upload({ name: 'flowers.pdf', bytes: BYTES })).body['id']);
  t.is((await admin.waitForEnd(id)).status, 'completed');
  const made = await sheaf(folder, 'backup', '--with-secrets');
  t.is(made.status, 0, made.stderr);
  return { id, path: made.stdout.trim().split('\n').at(-1) ?? '' };
};

const checkDocument = async (t: ExecutionContext, admin: ApiClient, id: string): Promise<void> => {
  t.deepEqual(await admin.find('heliotropes'), [id]);
  t.is((await admin.document(id)).status, 'completed');
  const download = await admin.request(`/api/documents/${id}/download`);
  t.deepEqual(new Uint8Array(await download.arrayBuffer()), BYTES);
};

test('what a running service had comes back on another machine: sign-in, search and the bytes themselves', async (t) => {
  await using first = await makeServiceFolder();
  await using second = await makeServiceFolder();
  const { id, path } = await (async () => {
    await using service = new RunningService({ folder: first.path, args: READING_ALONE });
    return await backUp(t, first.path, await (await service.ready()).register('ada'));
  })();
  const restored = await sheaf(second.path, 'restore', path);
  t.is(restored.status, 0, restored.stderr);
  await using service = new RunningService({ folder: second.path, args: ['--only', 'api'] });
  await checkDocument(t, await (await service.ready()).login('ada'), id);
});

const testFull = fullOnly(test);

testFull('a whole service is not restored while it runs, goes back to its backup by force, and life goes on', async (t) => {
  await using folder = await makeServiceFolder();
  const { id, path } = await (async () => {
    await using service = new RunningService({ folder: folder.path });
    const admin = await (await service.ready()).register('ada');
    const backup = await backUp(t, folder.path, admin);
    const later = await admin.upload({ name: 'later.txt', bytes: new TextEncoder().encode('after the backup') });
    await admin.waitForEnd(String(later.body['id']));
    const refused = await sheaf(folder.path, 'restore', backup.path, '--force');
    t.is(refused.status, 69, refused.stderr);
    t.is((await admin.get('/api/documents')).status, 200);
    return backup;
  })();
  const back = await sheaf(folder.path, 'restore', path, '--force');
  t.is(back.status, 0, back.stderr);
  const verified = await sheaf(folder.path, 'verify');
  t.regex(verified.stdout, /verified: no differences/, 'the file that came later is too young to be told as an orphan');
  await using service = new RunningService({ folder: folder.path });
  const admin = await (await service.ready()).login('ada');
  await checkDocument(t, admin, id);
  const another = await admin.upload({ name: 'new.txt', bytes: new TextEncoder().encode('life goes on with crocuses') });
  await admin.waitForEnd(String(another.body['id']));
  t.deepEqual(await admin.find('crocuses'), [String(another.body['id'])]);
});
