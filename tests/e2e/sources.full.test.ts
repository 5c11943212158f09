import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { faults, openFaultProxy } from '../support/fault-proxy.ts';
import { givenService } from '../support/given-service.ts';
import { webdavSource } from '../support/given-source.ts';
import { waitFor } from '../support/wait-for.ts';
import { WEBDAV_USER } from '../support/webdav-folder.ts';
import { openWebdavServer } from '../support/webdav-server.ts';

const LIMIT = { limitMs: 60_000, everyMs: 100 };

/** The status of the last run, once it is the one with this id and is over. */
const untilOver = (client: ApiClient, sourceId: string, jobId: unknown): Promise<Record<string, unknown>> =>
  waitFor(
    async () => {
      const { body } = await client.get(`/api/sources/${sourceId}/sync-status`);
      return body['job_id'] === jobId && body['state'] !== 'running' ? body : undefined;
    },
    { description: 'the run to end', ...LIMIT },
  );

const ask = async (client: ApiClient, sourceId: string): Promise<unknown> => {
  const { status, body } = await client.post(`/api/sources/${sourceId}/sync`, {});
  if (status !== 202) throw new Error(`a sync was answered with ${status}: ${JSON.stringify(body)}`);
  return body['job_id'];
};

const runOver = async (client: ApiClient, sourceId: string) => untilOver(client, sourceId, await ask(client, sourceId));

const untilFound = (client: ApiClient, word: string, ids: readonly string[]): Promise<unknown> =>
  waitFor(async () => (await client.find(word)).toSorted().join() === ids.toSorted().join(), {
    description: `${ids.length} documents with ${word}`,
    ...LIMIT,
  });

test('a source made over the API is synced, found, followed through changes and removals, cancelled and measured', async (t) => {
  t.timeout(3 * 240_000);
  await using dav = await openWebdavServer();
  await using proxy = await openFaultProxy(dav.url);
  await using settings = await mkdtempDisposable(join(tmpdir(), 'sheaf-roles-'));
  const rolesFile = join(settings.path, 'roles.json');
  await writeFile(
    rolesFile,
    JSON.stringify({ roles: { clerk: { permissions: ['documents.read.own', 'search.query', 'sources.read.own'] } } }),
  );
  await using given = await givenService({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32', ROLES_FILE: rolesFile });
  const admin = await (await given.service.ready()).register('admin');
  const editor = await admin.register('anna', 'editor');
  const other = await admin.register('bert', 'clerk');
  const write = (name: string, text: string): Promise<void> => writeFile(join(dav.folder, name), text);
  await write('apple.txt', 'a note about the marmoset');
  await write('pear.txt', 'a note about the ocelot');

  // made, tested, synced
  const fields = webdavSource({ url: `${proxy.url}/`, username: WEBDAV_USER, password: dav.password, sync_interval: 0 });
  t.like((await editor.post('/api/sources/test', { ...fields, name: undefined })).body, { success: true });
  const created = await editor.post('/api/sources', fields);
  t.is(created.status, 201, JSON.stringify(created.body));
  const id = String(created.body['id']);
  t.like(await runOver(editor, id), { state: 'idle', added: 2, processed: 2, total: 2, failed: 0 });
  const [apple] = await waitFor(
    async () => {
      const found = await editor.find('marmoset');
      return found.length === 1 && found;
    },
    { description: 'the document of apple.txt', ...LIMIT },
  );
  t.like((await editor.get(`/api/documents/${apple}`)).body, { source: 'webdav', source_id: id, source_removed_at: null });
  t.like((await editor.get(`/api/sources/${id}`)).body, { status: 'active', document_count: 2, last_error: null });
  t.deepEqual(await other.find('marmoset'), []);
  t.is((await other.get(`/api/sources/${id}/sync-status`)).status, 404);

  // changed: the same document with another text; removed: marked and kept
  await write('apple.txt', 'a note about the capybara, which is longer');
  await rm(join(dav.folder, 'pear.txt'));
  t.like(await runOver(editor, id), { state: 'idle', updated: 1, removed: 1 });
  await untilFound(editor, 'capybara', [String(apple)]);
  t.deepEqual(await editor.find('marmoset'), []);
  const [pear] = await editor.find('ocelot');
  t.not((await editor.get(`/api/documents/${pear}`)).body['source_removed_at'], null);

  // cancelled while the server says nothing; one at a time
  await write('quince.txt', 'a note about the tapir');
  proxy.inject({ fault: faults.silence(), when: ({ method }) => method === 'GET' });
  const running = await ask(editor, id);
  await waitFor(() => proxy.seen.some(({ method, url }) => method === 'GET' && url.includes('quince')), {
    description: 'the download',
    ...LIMIT,
  });
  t.is((await editor.post(`/api/sources/${id}/sync`, {})).status, 409);
  t.is((await editor.post(`/api/sources/${id}/sync/cancel`, {})).status, 200);
  t.like(await untilOver(editor, id, running), { state: 'cancelled' });
  proxy.heal();
  t.like(await runOver(editor, id), { state: 'idle', added: 1 });

  // told, audited without the password, measured
  const { rows } = await given.database.pool.query(
    "select type, count(*)::int as n from notifications join users on users.id = user_id where username = 'anna' and type like 'sync%' group by type",
  );
  t.deepEqual(rows, [{ type: 'sync_completed', n: 3 }]);
  const { rows: probes } = await given.database.pool.query("select host, probe_port from processes where name = 'sync'");
  const metrics = await (await fetch(`http://127.0.0.1:${probes[0]?.probe_port}/metrics`)).text();
  t.regex(metrics, /sheaf_sync_runs_total\{[^}]*type="webdav",outcome="completed"[^}]*\} 3/);
  t.regex(metrics, /sheaf_sync_files_total\{[^}]*type="webdav",outcome="updated"[^}]*\} 1/);
  t.false(given.service.output.includes(dav.password), 'the password is not in the log');

  // who is disabled has their sources stopped
  const me = String((await editor.get('/api/auth/me')).body['id']);
  t.is((await admin.send('PATCH', `/api/users/${me}`, { disabled: true })).status, 200);
  await write('fig.txt', 'a note about the okapi');
  const refused = await runOver(admin, id);
  t.like(refused, { state: 'failed', added: 0 });
  t.regex(String(refused['error']), /owner of this source is disabled/);
  t.is((await admin.get('/api/health')).body['status'] === 'unhealthy', false);
});
