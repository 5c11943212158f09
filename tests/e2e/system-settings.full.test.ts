import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ApiClient, drawLines } from '@sheaf/testkit';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

const LIMIT = { limitMs: 60_000, everyMs: 100 };

/** Until every process knows of the same settings, as their heartbeats say. */
const untilKnownToAll = (admin: ApiClient, before: ReadonlySet<string>): Promise<string[]> =>
  waitFor(
    async () => {
      const { processes } = (await admin.get('/api/health/detailed')).body as { processes: { config_hash: string }[] };
      const hashes = [...new Set(processes.map(({ config_hash }) => config_hash))];
      return hashes.length === 1 && hashes.every((hash) => !before.has(hash)) ? hashes : undefined;
    },
    { description: 'all processes to know of the change', ...LIMIT },
  );

const ledgerLine = (admin: ApiClient, path: string): Promise<Record<string, unknown>> =>
  waitFor(
    async () => {
      const { data } = (await admin.get('/api/ingest?per_page=100')).body as { data: Record<string, unknown>[] };
      return data.find((line) => line['path'] === path && line['state'] !== 'waiting');
    },
    { description: `${path} in the ledger`, ...LIMIT },
  );

test('a change of settings reaches worker and watcher as they run; what needs a start is told, and is over after it', async (t) => {
  t.timeout(3 * 240_000);
  await using given = await givenService({ LOG_FORMAT: 'json' });
  let admin = await (await given.service.ready()).register('admin');
  const put = async (path: string): Promise<void> => {
    const file = join(given.folder, 'watch', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `words of ${path}`);
  };
  await put('first.txt');
  t.is((await ledgerLine(admin, 'first.txt'))['state'], 'ingested');
  const known = new Set(await untilKnownToAll(admin, new Set()));

  const changes = { ocr_enabled: false, watch_file_patterns: ['*.pdf'], watch_recursive: false, log_level: 'debug' };
  const { body } = await admin.send('PUT', '/api/settings', changes);
  t.deepEqual(body['restart_required'], ['watch_recursive']);
  await untilKnownToAll(admin, known);
  await put('second.txt');
  t.is((await ledgerLine(admin, 'second.txt'))['reason_code'], 'unwanted_name');
  const picture = new Uint8Array(await drawLines(['unread words']).png().toBuffer());
  const uploaded = await admin.upload({ name: 'picture.png', bytes: picture });
  t.is(uploaded.status, 201, JSON.stringify(uploaded.body));
  const read = await admin.waitForEnd(String(uploaded.body['id']));
  t.deepEqual([read.status, read.content], ['completed', ''], 'the worker recognises nothing any more');
  const entries = given.service.output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  t.true(
    entries.some(({ process, level }) => process === 'watcher' && level === 20),
    'the watcher logs more',
  );
  const ends = entries.filter(({ msg }) => msg === 'job ended');
  t.true(ends.length > 0 && ends.every(({ job_id, document_id }) => typeof job_id === 'string' && typeof document_id === 'string'));

  await admin.send('PUT', '/api/settings', { watch_file_patterns: null });
  await put('below/third.txt');
  t.is((await ledgerLine(admin, 'below/third.txt'))['state'], 'ingested', 'folders are looked into until the start');

  await given.service.stop();
  admin = await (await given.startAgain().ready()).login('admin');
  t.like((await admin.get('/api/settings')).body, { restart_required: [], stored: ['log_level', 'ocr_enabled', 'watch_recursive'] });
  await put('below/fourth.txt');
  await put('fifth.txt');
  t.is((await ledgerLine(admin, 'fifth.txt'))['state'], 'ingested');
  const { data } = (await admin.get('/api/ingest?per_page=100')).body as { data: Record<string, unknown>[] };
  t.false(data.some(({ path }) => path === 'below/fourth.txt'));
});
