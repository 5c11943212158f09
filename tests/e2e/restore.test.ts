import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { CODE_CACHE_ENVIRONMENT, makePdf, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';

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

test('what a running service had comes back on another machine: sign-in, search, preview and the bytes themselves', async (t) => {
  await using first = await makeServiceFolder();
  await using second = await makeServiceFolder();
  const bytes = new Uint8Array(makePdf([{ lines: ['a page about heliotropes'] }]));
  let path = '';
  let id = '';
  {
    await using service = new RunningService({ folder: first.path });
    const admin = await (await service.ready()).register('ada');
    id = String((await admin.upload({ name: 'flowers.pdf', bytes })).body['id']);
    await admin.waitForEnd(id);
    const made = await sheaf(first.path, 'backup', '--with-secrets');
    t.is(made.status, 0, made.stderr);
    path = made.stdout.trim().split('\n').at(-1) ?? '';
    const later = await admin.upload({ name: 'later.txt', bytes: new TextEncoder().encode('after the backup') });
    await admin.waitForEnd(String(later.body['id']));

    const refused = await sheaf(first.path, 'restore', path, '--force');
    t.is(refused.status, 69, refused.stderr);
    t.is((await admin.get('/api/documents')).status, 200);
  }
  const restored = await sheaf(second.path, 'restore', path);
  t.is(restored.status, 0, restored.stderr);
  {
    await using service = new RunningService({ folder: second.path });
    const admin = await (await service.ready()).login('ada');
    t.deepEqual(await admin.find('heliotropes'), [id]);
    t.is((await admin.document(id)).status, 'completed');
    const download = await admin.request(`/api/documents/${id}/download`);
    t.deepEqual(new Uint8Array(await download.arrayBuffer()), bytes);
    const another = await admin.upload({ name: 'new.txt', bytes: new TextEncoder().encode('life goes on with crocuses') });
    await admin.waitForEnd(String(another.body['id']));
    t.deepEqual(await admin.find('crocuses'), [String(another.body['id'])]);
  }
  const back = await sheaf(first.path, 'restore', path, '--force');
  t.is(back.status, 0, back.stderr);
  const verified = await sheaf(first.path, 'verify');
  t.regex(verified.stdout, /verified: no differences/, 'the file that came later is too young to be told as an orphan');
});
