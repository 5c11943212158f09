// Imports that are asked for in the interface: from the server and from uploads, in a process of their own.

import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@sheaf/testkit';
import { makeZip } from '../../fixtures/zip.ts';
import { openEventClient } from '../../support/event-client.ts';
import { fullOnly } from '../../support/full-run.ts';
import { refusedFields } from '../../support/given-source.ts';
import { readImported } from '../../support/imported-library.ts';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, startApi, testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const base = await realpath(await mkdtemp(join(tmpdir(), 'sheaf-imports-')));
const test = testWithApi({ IMPORT_ROOTS: join(base, 'root'), IMPORT_MAX_UPLOAD_MB: '1' });

test.before(async () => {
  for (const folder of ['root/papers/Tax', 'outside']) await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'root/papers/Tax/2023-04-05 letter.txt'), 'the letter about the tax');
  await writeFile(join(base, 'root/papers/program.exe'), 'MZ');
  await writeFile(join(base, 'root/Archive.mbox'), 'From a\nFrom: a@example.org\nSubject: Hello\n\nthe message\n');
  await writeFile(join(base, 'outside/secret.txt'), 'secret');
  await symlink(join(base, 'outside'), join(base, 'root/out'));
  await symlink(join(base, 'outside/secret.txt'), join(base, 'root/link.txt'));
});
test.after.always(() => rm(base, { recursive: true, force: true }));

interface Run extends Record<string, unknown> {
  readonly id: string;
  readonly state: string;
  readonly counts: { readonly documents: { readonly imported: number } } | null;
  readonly not_imported: readonly { readonly kind: string; readonly name: string }[];
}

const ended = (admin: ApiClient, id: unknown): Promise<Run> =>
  waitFor(
    async () => {
      const run = (await admin.get(`/api/imports/${String(id)}`)).body as Run;
      return run.state === 'queued' || run.state === 'running' ? undefined : run;
    },
    { description: 'the import to end', limitMs: 60_000 },
  );

const zipOf = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(makeZip(Object.entries(files).map(([name, text]) => ({ name, text }))));

const send = async (client: ApiClient, bytes: Uint8Array<ArrayBuffer>, fields: Readonly<Record<string, string>>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([bytes]), 'export.zip');
  const response = await client.request('/api/imports', { method: 'POST', body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> };
};

const MANY = 600;

/** The process that does an import: its arguments begin with the id. */
const processOf = async (id: string): Promise<number> => {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (args.some((arg) => arg.endsWith('import-requested.ts')) && args.includes(id)) return Number(pid);
  }
  throw new Error(`no process does the import ${id}`);
};

const keptFiles = ({ folder }: RunningApi): Promise<string[]> => readdir(join(folder, 'uploads/imports')).catch(() => []);

test.serial('a path of the server is imported inside IMPORT_ROOTS only, with every link followed', async (t) => {
  const { admin } = t.context;
  const order = (path: string) => admin.post('/api/imports', { kind: 'folder', path, dry_run: true });
  for (const path of ['outside', 'root/out', 'root/link.txt', 'root/../outside', 'root/absent', ''])
    t.deepEqual(refusedFields(await order(`${base}/${path}`)), ['path'], path);
  t.deepEqual(refusedFields(await admin.post('/api/imports', { kind: 'mbox', path: base, pattern: 'x' })), ['path']);
  t.deepEqual(refusedFields(await admin.post('/api/imports', { kind: 'mbox', path: join(base, 'root/papers'), pattern: 'x' })), [
    'pattern',
  ]);
  t.deepEqual(refusedFields(await admin.post('/api/imports', { kind: 'readur', path: base })), ['kind']);
  t.deepEqual(refusedFields(await admin.post('/api/imports', { kind: 'folder', path: join(base, 'root/papers'), owner: 'nobody' })), [
    'owner',
  ]);
  const closed = await startApi();
  try {
    const answer = await closed.admin.post('/api/imports', { kind: 'folder', path: join(base, 'root/papers') });
    t.is(answer.status, 400);
    t.regex(JSON.stringify(answer.body), /IMPORT_ROOTS/);
  } finally {
    await closed.stop();
  }
  const run = await ended(admin, (await admin.post('/api/imports', { kind: 'mbox', path: join(base, 'root/Archive.mbox') })).body['id']);
  t.like(run, { state: 'completed', error: null, kind: 'mbox' });
});

test.serial('a dry run writes nothing and says what would be left out; then it is imported, once, with events and a report', async (t) => {
  const { admin, database, anyone } = t.context;
  const { token } = await givenPerson(t.context, 'admin');
  await using events = await openEventClient(anyone.url, token, ['import_progress']);
  const asked = await admin.post('/api/imports', { kind: 'folder', path: join(base, 'root/papers'), name: 'papers', dry_run: true });
  t.is(asked.status, 202);
  t.like(asked.body, { state: 'queued', is_dry_run: true, name: 'papers', counts: null, can_start: false });
  const dry = await ended(admin, asked.body['id']);
  t.like(dry, { state: 'completed', can_start: true, counts: { documents: { imported: 1, failed: 1 }, not_imported: 1 } });
  t.like(dry.not_imported, [{ kind: 'document', name: 'program' }]);
  t.false((await readImported(database)).has('papers:Tax/2023-04-05 letter.txt'));

  const started = await admin.post(`/api/imports/${dry.id}/start`, {});
  t.is(started.status, 202);
  const run = await ended(admin, started.body['id']);
  t.like(run, { state: 'completed', is_dry_run: false, done: 2, phase: null, counts: { documents: { imported: 1 } }, can_start: false });
  t.like((await readImported(database)).get('papers:Tax/2023-04-05 letter.txt'), { document_date: '2023-04-05', labels: ['Tax'] });
  const heard = await events.eventsUntil(({ import_id: id, state }) => id === run.id && state === 'completed');
  t.true(heard.some(({ import_id: id, state }) => id === dry.id && state === 'queued'));

  const report = await admin.request(`/api/imports/${run.id}/report`);
  t.is(report.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.regex(await report.text(), /kind,name,document,reason\n.*program.*papers:program\.exe/);
  const again = await ended(
    admin,
    (await admin.post('/api/imports', { kind: 'folder', path: join(base, 'root/papers'), name: 'papers' })).body['id'],
  );
  t.like(again.counts, { documents: { imported: 0 }, already_imported: 1 });
  const { body } = await admin.get('/api/imports?per_page=2');
  t.like(body, { data: [{ id: again.id }, { id: run.id }], pagination: { per_page: 2 } });
  t.is((await admin.post(`/api/imports/${run.id}/start`, {})).status, 409);
  t.is((await admin.post(`/api/imports/${run.id}/cancel`, {})).status, 409);
});

fullOnly(test.serial)(
  'an uploaded ZIP file is imported, its file is kept for the import behind its dry run and removed then',
  async (t) => {
    const { admin, database } = t.context;
    const zip = zipOf({ 'Garden/plan.txt': 'a plan of the garden', '../evil.txt': 'outside', '/etc/evil.txt': 'outside' });
    const asked = await send(admin, zip, { kind: 'folder', name: 'zipped', dry_run: 'true' });
    t.is(asked.status, 202, JSON.stringify(asked.body));
    t.like(asked.body, { filename: 'export.zip', path: null });
    const dry = await ended(admin, asked.body['id']);
    t.like(dry, { state: 'completed', counts: { documents: { imported: 1 } } });
    t.deepEqual(await keptFiles(t.context), [dry.id]);
    const run = await ended(admin, (await admin.post(`/api/imports/${dry.id}/start`, {})).body['id']);
    t.like(run, { state: 'completed', counts: { documents: { imported: 1 } } });
    t.true((await readImported(database)).has('zipped:Garden/plan.txt'));
    await waitFor(async () => (await keptFiles(t.context)).length === 0, {
      description: 'the uploaded file to be removed',
      limitMs: 10_000,
    });
    t.is((await admin.post(`/api/imports/${dry.id}/start`, {})).status, 409);
  },
);

fullOnly(test.serial)('what is no archive fails with its reason, and can be tried again', async (t) => {
  const { admin } = t.context;
  const asked = await send(admin, zipOf({ 'a.txt': 'no manifest' }), { kind: 'paperless', passphrase: 'secret' });
  const run = await ended(admin, asked.body['id']);
  t.like(run, { state: 'failed', can_start: true });
  t.regex(String(run['error']), /manifest\.json/);
});

fullOnly(test.serial)('an import whose process is killed is continued by another one, and nothing is imported twice', async (t) => {
  const { admin, database } = t.context;
  const folder = join(base, 'root/many');
  await mkdir(folder);
  for (let at = 1; at <= MANY; at += 1) await writeFile(join(folder, `${at}.txt`), `the words of paper ${at}`);
  const { body } = await admin.post('/api/imports', { kind: 'folder', path: folder, name: 'many' });
  const count = async (): Promise<number> =>
    (await database.pool.query<{ count: number }>(`select count(*)::int from documents where imported_from like 'many:%'`)).rows[0]
      ?.count ?? 0;
  await waitFor(async () => (await count()) > 0, { description: 'the first documents', limitMs: 60_000 });
  const pid = await processOf(String(body['id']));
  process.kill(pid, 'SIGKILL');
  t.true((await count()) < MANY, 'it was killed in the midst of its work');
  const run = await ended(admin, body['id']);
  t.like(run, { state: 'completed', error: null, done: MANY, counts: { documents: { failed: 0 } } });
  t.is(await count(), MANY);
  t.not(await processOf(String(body['id'])).catch(() => undefined), pid);
});

test('an upload is refused that is too large or no ZIP file, and leaves nothing behind', async (t) => {
  const { admin } = t.context;
  const before = await keptFiles(t.context);
  const large = await send(admin, new Uint8Array(Buffer.concat([Buffer.from('PK'), Buffer.alloc(2 ** 20)])), { kind: 'folder' });
  t.is(large.status, 400);
  t.like(large.body['error'], { code: 'VALIDATION_ERROR', details: { reason: 'too_large', max_bytes: 2 ** 20 } });
  const bytes = new Uint8Array(Buffer.from('%PDF-1.7'));
  t.deepEqual(refusedFields((await send(admin, bytes, { kind: 'folder' })) as never), ['file']);
  t.deepEqual(refusedFields((await send(admin, zipOf({ a: 'b' }), { kind: 'nothing' })) as never), ['kind']);
  t.deepEqual((await keptFiles(t.context)).toSorted(), before.toSorted());
});

test.serial('odd entries of an archive are reported, the others are imported, and no path of the server is named', async (t) => {
  const { admin, folder } = t.context;
  const zip = zipOf({
    linkdir: 'a file where a folder is wanted',
    'linkdir/passwd': 'below a file',
    'Letters/one.txt': 'the first of the letters',
    Letters: 'a file where a folder is',
    '../evil.txt': 'outside',
    'Letters/two.txt': 'the second of the letters',
  });
  const run = await ended(admin, (await send(admin, zip, { kind: 'folder', name: 'odd' })).body['id']);
  t.like(run, { state: 'completed', error: null, counts: { documents: { imported: 2 } } });
  const odd = run.not_imported.filter(({ kind }) => kind === 'archive entry').map(({ name }) => name);
  t.deepEqual(odd.toSorted(), ['../evil.txt', 'Letters', 'linkdir/passwd']);
  const broken = await ended(admin, (await send(admin, zipOf({ 'a.txt': 'b' }), { kind: 'papra', name: 'no-papra' })).body['id']);
  const wrong = await ended(admin, (await send(admin, zipOf({ 'a.txt': 'b' }), { kind: 'paperless', name: 'no-paperless' })).body['id']);
  t.deepEqual([broken['state'], wrong['state']], ['failed', 'failed']);
  for (const { id } of [run, broken, wrong]) t.false(JSON.stringify((await admin.get(`/api/imports/${id}`)).body).includes(folder));
});
