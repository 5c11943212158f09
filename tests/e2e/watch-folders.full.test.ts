import { existsSync } from 'node:fs';
import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@sheaf/testkit';
import test from 'ava';
import { givenService } from '../support/given-service.ts';
import { waitFor } from '../support/wait-for.ts';

interface LedgerLine {
  readonly route: string;
  readonly path: string;
  readonly state: string;
  readonly document_id: string | null;
  readonly owner_id: string | null;
  readonly moved_to: string | null;
}

const ledgerOf = async (client: ApiClient): Promise<LedgerLine[]> => {
  const { status, body } = await client.get('/api/ingest?sort=path&order=asc&per_page=100');
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body['data'] as LedgerLine[];
};

const LIMIT = { limitMs: 60_000, everyMs: 100 };

/** The line of a path once its file is moved. */
const untilMoved = (client: ApiClient, path: string): Promise<LedgerLine> =>
  waitFor(async () => (await ledgerOf(client)).find((line) => line.path === path && line.moved_to !== null), {
    description: `${path} to be moved`,
    ...LIMIT,
  });

const untilFound = async (client: ApiClient, word: string, count: number): Promise<string[]> =>
  waitFor(
    async () => {
      const found = await client.find(word);
      return found.length === count ? found : undefined;
    },
    { description: `${count} documents with ${word}`, ...LIMIT },
  );

const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);

const makeDirectory = async (client: ApiClient, id: string): Promise<string> => {
  const { status, body } = await client.post(`/api/users/${id}/watch-directory`, { ensure_created: true });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return String(body['watch_directory_path']);
};

test('what users put into their directories is theirs alone, from the first file until they are renamed and gone', async (t) => {
  t.timeout(3 * 240_000);
  await using settings = await mkdtempDisposable(join(tmpdir(), 'sheaf-roles-'));
  const rolesFile = join(settings.path, 'roles.json');
  await writeFile(rolesFile, JSON.stringify({ roles: { clerk: { permissions: ['documents.read.own', 'search.query'] } } }));
  const env = { ENABLE_PER_USER_WATCH: 'true', MOVE_AFTER_PROCESSING: 'true', ROLES_FILE: rolesFile };
  await using given = await givenService(env);
  const { folder, database } = given;
  const admin = await (await given.service.ready()).register('admin');
  const [anna, bert] = [await admin.register('anna', 'clerk'), await admin.register('bert', 'clerk')];
  const [adminId, annaId, bertId] = [await idOf(admin), await idOf(anna), await idOf(bert)];
  const processed = join(folder, 'processed');

  // the endpoints make the directories
  const annas = await makeDirectory(anna, annaId);
  const berts = await makeDirectory(admin, bertId);
  t.deepEqual([annas, berts], [join(folder, 'user_watch/anna'), join(folder, 'user_watch/bert')]);
  t.is((await stat(annas)).mode & 0o777, 0o755);
  t.is((await anna.post(`/api/users/${bertId}/watch-directory`, { ensure_created: true })).status, 403);

  // files are owned by whose directory they are in
  await writeFile(join(annas, 'a.txt'), 'the marmoset of anna');
  await writeFile(join(berts, 'a.txt'), 'the marmoset of bert');
  await writeFile(join(folder, 'watch/a.txt'), 'the marmoset of all');
  const [ofAnna, ofBert, ofAll] = [
    await untilMoved(anna, 'anna/a.txt'),
    await untilMoved(bert, 'bert/a.txt'),
    await untilMoved(admin, 'a.txt'),
  ];
  t.like(ofAnna, { route: 'user_watch', state: 'ingested', owner_id: annaId, moved_to: 'anna/a.txt' });
  t.like(ofBert, { route: 'user_watch', state: 'ingested', owner_id: bertId, moved_to: 'bert/a.txt' });
  t.like(ofAll, { route: 'watch', state: 'ingested', owner_id: adminId, moved_to: 'a.txt' });
  t.deepEqual(await untilFound(anna, 'marmoset', 1), [String(ofAnna.document_id)]);
  t.deepEqual(await untilFound(bert, 'marmoset', 1), [String(ofBert.document_id)]);
  await untilFound(admin, 'marmoset', 3);
  t.is((await bert.get(`/api/documents/${ofAnna.document_id}`)).status, 404);
  t.deepEqual(
    (await ledgerOf(anna)).map(({ path }) => path),
    ['anna/a.txt'],
  );
  t.deepEqual(
    (await ledgerOf(bert)).map(({ path }) => path),
    ['bert/a.txt'],
  );
  t.deepEqual(
    (await ledgerOf(admin)).map(({ path }) => path),
    ['a.txt', 'anna/a.txt', 'bert/a.txt'],
  );
  await waitFor(() => !existsSync(join(annas, 'a.txt')) && !existsSync(join(berts, 'a.txt')), {
    description: 'the files to be moved',
    ...LIMIT,
  });
  t.is(await readFile(join(processed, 'anna/a.txt'), 'utf8'), 'the marmoset of anna');
  t.is(await readFile(join(processed, 'bert/a.txt'), 'utf8'), 'the marmoset of bert');
  t.is(await readFile(join(processed, 'a.txt'), 'utf8'), 'the marmoset of all');

  // a renamed user keeps directory, documents and ledger
  t.is((await admin.send('PATCH', `/api/users/${annaId}`, { username: 'hanna' })).status, 200);
  const { body } = await anna.get(`/api/users/${annaId}/watch-directory`);
  t.like(body, { username: 'hanna', watch_directory_path: join(folder, 'user_watch/hanna'), exists: true, enabled: true });
  t.false(existsSync(annas));
  await writeFile(join(folder, 'user_watch/hanna/b.txt'), 'the marmoset of hanna');
  t.like(await untilMoved(anna, 'hanna/b.txt'), { owner_id: annaId, state: 'ingested', moved_to: 'hanna/b.txt' });
  await untilFound(anna, 'marmoset', 2);
  t.deepEqual(
    (await ledgerOf(anna)).map(({ path }) => path),
    ['hanna/a.txt', 'hanna/b.txt'],
  );

  // a deleted user's papers are transferred, what they left is set aside and never read
  await writeFile(join(berts, 'ignored.exe'), 'not for us');
  t.is((await admin.delete(`/api/users/${bertId}`)).status, 409);
  t.is((await admin.delete(`/api/users/${bertId}?transfer_to=${annaId}`)).status, 204);
  t.false(existsSync(berts));
  const [aside = ''] = await readdir(join(folder, 'user_watch/.deleted'));
  t.regex(aside, /^bert-\d{8}-/);
  t.deepEqual(await readdir(join(folder, 'user_watch/.deleted', aside)), ['ignored.exe']);
  await untilFound(anna, 'marmoset', 3);
  t.is((await bert.get('/api/documents')).status, 401);

  // who gets their name gets nothing else of theirs
  const second = await admin.register('bert', 'clerk');
  t.deepEqual(await ledgerOf(second), []);
  t.deepEqual(await readdir(await makeDirectory(second, await idOf(second))), []);
  t.deepEqual(await second.find('marmoset'), []);

  const { rows } = await database.pool.query(
    'select count(*)::int as documents, count(distinct sha256)::int as contents, (select count(*)::int from ocr_jobs) as jobs from documents',
  );
  t.deepEqual(rows, [{ documents: 4, contents: 4, jobs: 4 }]);
  t.is((await admin.get('/api/health')).body['status'], 'healthy');
});
