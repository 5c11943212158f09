// An installation of several hosts: the api here, the OCR workers elsewhere.
import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CODE_CACHE_ENVIRONMENT, makeServiceFolder, openTestDatabase, RunningService } from '@sheaf/testkit';
import test from 'ava';
import { waitFor } from '../support/wait-for.ts';

const SHEAF = join(import.meta.dirname, '../../bin/sheaf');
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test('OCR workers of another host process what the api imports, and a host that is drained finishes and takes nothing new', async (t) => {
  t.timeout(8 * 60_000);
  await using database = await openTestDatabase();
  await using first = await makeServiceFolder();
  await using second = await makeServiceFolder();
  const url = { DATABASE_URL: database.url.reveal() };
  await using api = new RunningService({ folder: first.path, env: url, args: ['--only', 'api'] });
  const admin = await (await api.ready()).register('admin');
  const upload = async (text: string): Promise<string> =>
    String((await admin.upload({ name: `${text}.txt`, bytes: bytesOf(text) })).body['id']);
  const before = await upload('before');
  await using readers = new RunningService({
    folder: second.path,
    env: { ...url, UPLOAD_PATH: join(first.path, 'uploads') },
    args: ['--only', 'ocr-worker'],
  });
  t.is((await admin.waitForEnd(before, 180_000)).status, 'completed');
  t.notRegex(readers.output, /migration/, 'the schema is the business of the host with the api');
  const hosts = async () => (await admin.get('/api/hosts')).body['data'] as Record<string, unknown>[];
  t.like((await hosts())[0], { host: hostname(), processes: ['api', 'ocr-worker'], state: 'running' });

  const drain = (...args: string[]) =>
    promisify(execFile)(SHEAF, ['drain', ...args], {
      env: { PATH: '/usr/bin:/bin', ...CODE_CACHE_ENVIRONMENT, DATA_PATH: first.path, ...url },
    });
  await t.throwsAsync(drain('nowhere'), { message: new RegExp(`Unknown host nowhere; known: ${hostname()}`) });
  t.regex((await drain(hostname())).stdout, /is drained/);
  t.is((await hosts())[0]?.['state'], 'drained');
  const meanwhile = await upload('meanwhile');
  t.is((await admin.document(meanwhile)).status, 'pending');
  t.regex((await drain(hostname(), '--resume')).stdout, /takes documents again/);
  t.is((await admin.waitForEnd(meanwhile, 60_000)).status, 'completed');
  const { rows } = await database.pool.query<{ attempts: number }>('select attempts from ocr_jobs');
  t.true(rows.every(({ attempts }) => attempts === 1));
});

test('a host that joins without the address of a database, or with a process that does not exist, is refused at once', async (t) => {
  await using folder = await makeServiceFolder();
  for (const [args, exitCode, message] of [
    [['--only', 'ocr-worker'], 78, /Set DATABASE_URL to its address/],
    [['--only', 'reader'], 2, /--only: unknown process "reader"/],
  ] as const) {
    await using service = new RunningService({ folder: folder.path, args });
    await waitFor(() => service.process.exitCode !== null, { description: 'the end of the start', limitMs: 60_000 });
    t.is(service.process.exitCode, exitCode);
    t.regex(service.output, message);
  }
});
