import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, RunningService } from '@sheaf/testkit';
import test from 'ava';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');
const run = promisify(execFile);

const sheaf = (folder: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(SHEAF, ['backup', ...args], {
    timeout: 120_000,
    env: {
      PATH: '/usr/bin:/bin',
      ...CODE_CACHE_ENVIRONMENT,
      DATA_PATH: join(folder, 'data'),
      UPLOAD_PATH: join(folder, 'uploads'),
      EMBEDDED_POSTGRES_PORT: '0',
      LOG_LEVEL: 'warn',
    },
  });

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('a running service is backed up while documents come and go, and again while it stands', async (t) => {
  await using folder = await makeServiceFolder();
  await using service = new RunningService({ folder: folder.path });
  const admin = await (await service.ready()).register('ada');
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    const { body } = await admin.upload({ name: `letter ${i}.txt`, bytes: bytesOf(`letter number ${i}`) });
    ids.push(String(body['id']));
  }
  for (const id of ids) await admin.waitForEnd(id);

  const making = sheaf(folder.path);
  const made = new AbortController();
  void making.then(() => made.abort()).catch(() => made.abort());
  for (let i = 0; !made.signal.aborted || i < 2; i += 1) {
    const { status } = await admin.upload({ name: `late ${i}.txt`, bytes: bytesOf(`late letter number ${i}`) });
    t.is(status, 201);
    const next = ids.pop();
    if (next !== undefined) t.is((await admin.delete(`/api/documents/${next}`)).status, 204);
  }
  const path = (await making).stdout.trimEnd().split('\n').at(-1) ?? '';
  t.regex((await sheaf(folder.path, 'verify', path)).stdout, /verified: no differences/);
  const listed = (await readFile(join(path, 'files.list'), 'utf8')).trimEnd().split('\n').length;
  t.true(listed >= 1);

  await service.stop();
  const second = await sheaf(folder.path, '--keep', '1');
  t.regex(second.stdout, /sheaf-\S+\n$/);
  t.is((await readdir(join(folder.path, 'uploads/backups'))).length, 1);
  t.regex((await sheaf(folder.path, 'verify', second.stdout.trimEnd())).stdout, /verified: no differences/);
});
