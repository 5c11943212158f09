import { type LedgerEntryBody, ledgerReason } from '@sheaf/contract/imports';
import { recordLedger } from '@sheaf/ingest';
import type { ApiClient } from '@sheaf/testkit';
import { givenPerson } from '../../support/person.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const textFile = (name: string, words = name) => ({ name, bytes: new TextEncoder().encode(words) });

const listAs = async (client: ApiClient, query = ''): Promise<LedgerEntryBody[]> => {
  const { status, body } = await client.get(`/api/ingest?per_page=100&${query}`);
  if (status !== 200) throw new Error(`the ledger returned ${status}: ${JSON.stringify(body)}`);
  return body['data'] as LedgerEntryBody[];
};

const pathsOf = async (client: ApiClient, query = ''): Promise<string[]> => (await listAs(client, query)).map(({ path }) => path);

/** A person with a file of each route and state that concern a watch folder. */
const givenFiles = async (api: RunningApi, role = 'editor') => {
  const person = await givenPerson(api, role);
  const { db, pool } = api.database;
  const tooLarge = ledgerReason('too_large', { max_bytes: 52_428_800 });
  const growing = ledgerReason('being_written');
  const files = [
    { route: 'watch', path: `${person.id}/Größe 100%_sure.pdf`, state: 'ignored', reason: tooLarge },
    { route: 'watch', path: `${person.id}/${'Größe'.normalize('NFD')} in two.pdf`, state: 'waiting', reason: growing },
    { route: 'user_watch', path: `${person.id}/LETTER.txt`, state: 'ingested', sizeBytes: 5, modifiedAt: new Date(1_000) },
  ] as const;
  for (const [day, file] of files.entries()) {
    await recordLedger(db, { ...file, ownerId: person.id });
    const then = `2026-02-0${day + 1}T12:00:00Z`;
    await pool.query('update ingest_ledger set created_at = $2, updated_at = $2 where path = $1', [file.path, then]);
  }
  return { ...person, paths: files.map(({ path }) => path) };
};

test('an upload is in the ledger of its owner, with what it became', async (t) => {
  const { client, id } = await givenPerson(t.context, 'editor');
  const { body: document } = await client.upload(textFile('folder/Alder.txt', 'alder'));
  t.is((await client.upload(textFile('Copy.txt', 'alder'))).status, 409);
  t.is((await client.upload(textFile('program.exe'))).status, 400);
  const [refused, copy, alder] = await listAs(client);
  t.like(alder, {
    route: 'upload',
    filename: 'Alder.txt',
    size_bytes: 5,
    sha256: document['sha256'],
    state: 'ingested',
    reason: null,
    reason_code: null,
    reason_details: {},
    document_id: document['id'],
    owner_id: id,
    source_id: null,
    moved_to: null,
  });
  t.like(copy, { path: 'Copy.txt', state: 'duplicate', reason_code: 'duplicate_file', document_id: document['id'] });
  t.like(refused, { path: 'program.exe', state: 'ignored', reason_code: 'unknown_type', document_id: null });
  t.like(refused?.['reason_details'], { extension: 'exe' });
  t.deepEqual(await pathsOf(client, `document_id=${String(document['id'])}&order=asc`), [alder?.path ?? '', 'Copy.txt']);
});

test('what an earlier version noted has words alone, until something happens to the file', async (t) => {
  const { client, id } = await givenPerson(t.context, 'editor');
  const { db, pool } = t.context.database;
  const file = { route: 'watch', path: `${id}/old.txt`, ownerId: id } as const;
  await recordLedger(db, {
    ...file,
    state: 'ignored',
    reason: { ...ledgerReason('too_large', { max_bytes: 5 }), message: 'In its own words' },
  });
  t.like(await listAs(client), [{ reason: 'In its own words', reason_code: 'too_large', reason_details: { max_bytes: 5 } }]);
  await pool.query('update ingest_ledger set reason_code = null, reason_details = null where path = $1', [file.path]);
  t.like(await listAs(client), [{ reason: 'In its own words', reason_code: null, reason_details: {} }]);
  await recordLedger(db, { ...file, state: 'ignored', reason: ledgerReason('not_a_file') });
  t.like(await listAs(client), [{ reason_code: 'not_a_file', reason_details: {} }]);
  await recordLedger(db, { ...file, state: 'ingested' });
  t.like(await listAs(client), [{ reason: null, reason_code: null }]);
});

test('the ledger is filtered by state, route, text, document and time, and the filters add up', async (t) => {
  const { client, paths } = await givenFiles(t.context);
  const [percent = '', inTwo = '', letter = ''] = paths;
  for (const [query, expected] of [
    ['', [letter, inTwo, percent]],
    ['state=waiting', [inTwo]],
    ['route=user_watch', [letter]],
    ['route=watch&state=ingested', []],
    ['q=letter', [letter]],
    ['q=STILL+BEING', [inTwo]],
    [`q=${encodeURIComponent('100%_')}`, [percent]],
    [`q=${encodeURIComponent('1__%')}`, []],
    [`q=${encodeURIComponent('\\')}`, []],
    [`q=${encodeURIComponent('größe')}`, [inTwo, percent]],
    [`q=${encodeURIComponent('GRÖßE'.normalize('NFD'))}`, [inTwo, percent]],
    ['q=', [letter, inTwo, percent]],
    ['date_from=2026-02-02&date_to=2026-02-02', [inTwo]],
    ['date_from=2026-02-02T12:00:00Z', [letter, inTwo]],
    ['date_to=2026-02-02T11:59:59.999Z', [percent]],
    ['document_id=00000000-0000-7000-8000-000000000000', []],
  ] as const)
    t.deepEqual(await pathsOf(client, query), [...expected], query);
});

test('the ledger is sorted and paged, and what is not asked for rightly is refused', async (t) => {
  const { client, paths } = await givenFiles(t.context);
  t.deepEqual(await pathsOf(client, 'sort=path&order=asc'), paths.toSorted());
  t.deepEqual(await pathsOf(client, 'sort=size_bytes'), [paths[2], paths[1], paths[0]]);
  t.deepEqual(
    (await listAs(client, 'sort=state&order=asc')).map(({ state }) => state),
    ['ignored', 'ingested', 'waiting'],
  );
  t.deepEqual(await pathsOf(client, 'sort=created_at&order=asc'), paths);
  const { body } = await client.get('/api/ingest?per_page=2&page=2');
  t.is((body['data'] as unknown[]).length, 1);
  t.deepEqual(body['pagination'], { page: 2, per_page: 2, total: 3, total_pages: 2, has_next: false, has_prev: true });
  for (const query of [
    'state=lost',
    'route=mail',
    'sort=nothing',
    'order=up',
    'document_id=1',
    'date_from=yesterday',
    'q=%00',
    `q=${'x'.repeat(255)}`,
    'per_page=0',
    'owner_id=me',
  ])
    t.is((await client.get(`/api/ingest?${query}`)).status, 400, query);
});

test('everyone sees their own files alone, whatever their role; an administrator sees all, also those that nobody owns', async (t) => {
  const { admin, database } = t.context;
  const [one, other] = [await givenFiles(t.context, 'viewer'), await givenFiles(t.context, 'auditor')];
  await recordLedger(database.db, {
    route: 'watch',
    path: 'ownerless.txt',
    state: 'waiting',
    reason: ledgerReason('no_owner_yet'),
  });
  t.deepEqual((await pathsOf(one.client)).toSorted(), one.paths.toSorted());
  t.deepEqual((await pathsOf(other.client)).toSorted(), other.paths.toSorted());
  for (const query of ['q=ownerless', `q=${other.id}`]) t.deepEqual(await pathsOf(one.client, query), [], query);
  const { body } = await one.client.get('/api/ingest?per_page=1');
  t.like(body['pagination'], { total: 3 });
  t.deepEqual(await pathsOf(admin, 'q=ownerless'), ['ownerless.txt']);
  t.is((await listAs(admin, `q=${one.id}`)).length, 3);
  t.is((await t.context.anyone.get('/api/ingest')).status, 401);
});

test('a key sees as much as its scope and its owner may: all, their own, or nothing', async (t) => {
  const { id, makeKey, client } = await givenPerson(t.context, 'admin');
  const { db } = t.context.database;
  await recordLedger(db, { route: 'watch', path: 'of-the-owner-of-keys.txt', state: 'waiting', ownerId: id });
  await recordLedger(db, { route: 'watch', path: 'of-nobody-for-keys.txt', state: 'waiting' });
  const seenBy = async (scope: readonly string[]): Promise<string[]> => {
    const response = await t.context.anyone.request('/api/ingest?q=keys.txt&sort=path', { headers: (await makeKey(scope)).headers });
    return ((await response.json()) as { data: LedgerEntryBody[] }).data.map(({ path }) => path);
  };
  const [own, all] = [['of-the-owner-of-keys.txt'], ['of-the-owner-of-keys.txt', 'of-nobody-for-keys.txt']];
  for (const [scope, expected] of [
    [['*'], all],
    [['system.read'], all],
    [['documents.read'], own],
    [['documents.create'], own],
    [['documents.read.own', 'labels.read'], own],
    [['labels.read', 'users.*'], []],
  ] as const)
    t.deepEqual(await seenBy(scope), [...expected], scope.join());
  const wide = await makeKey(['*']);
  await t.context.admin.send('PUT', `/api/users/${id}`, { role: 'viewer' });
  const response = await t.context.anyone.request('/api/ingest?q=keys.txt', { headers: wide.headers });
  t.is(((await response.json()) as { data: unknown[] }).data.length, 1, 'whose owner has become a viewer');
  t.is((await listAs(client, 'q=keys.txt')).length, 1);
});

test('names of every kind come back letter by letter', async (t) => {
  const { client, id } = await givenPerson(t.context, 'editor');
  const names = [
    'line\nbreak.txt',
    'invoice\u202Egpj.txt',
    '📄🧾.txt',
    `${'ü'.repeat(125)}.txt`,
    'Größe.txt',
    'Größe.txt'.normalize('NFD'),
  ];
  for (const name of names)
    await recordLedger(t.context.database.db, { route: 'watch', path: `${id}/${name}`, state: 'waiting', ownerId: id });
  const rows = await listAs(client, 'sort=created_at&order=asc');
  t.deepEqual(
    rows.map(({ path }) => path),
    names.map((name) => `${id}/${name}`),
  );
  t.deepEqual(
    rows.map(({ filename }) => filename),
    names.map((name) => name.normalize('NFC')),
  );
});

test('when a user goes, their documents and their lines go to who gets them', async (t) => {
  const [one, other] = [await givenFiles(t.context), await givenPerson(t.context, 'editor')];
  t.true((await t.context.admin.delete(`/api/users/${one.id}?transfer_to=${other.id}`)).status < 300);
  t.is((await listAs(other.client)).length, 3);
});
