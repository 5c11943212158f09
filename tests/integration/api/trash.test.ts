import { ApiClient } from '@sheaf/testkit';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { type RunningApi, testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ TRASH_RETENTION_DAYS: '7' });

let count = 0;
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const upload = async (client: ApiClient, text = `one of many ${(count += 1)}`, name = 'note.txt') => {
  const { status, body } = await client.upload({ name, bytes: bytesOf(text) });
  return { status, body, id: String(body['id']), sha256: String(body['sha256']) };
};
const detailsOf = (body: Record<string, unknown>) => (body['error'] as { details: Record<string, unknown> }).details;

/** The trash as somebody sees it, by ids. */
const trashOf = async (client: ApiClient): Promise<string[]> =>
  ((await client.get('/api/trash?per_page=100')).body['data'] as { id: string }[]).map(({ id }) => id);

const isStored = async ({ storedFiles }: RunningApi, sha256: string): Promise<boolean> =>
  (await storedFiles()).some((path) => path.includes(sha256));

const typesOf = async ({ database }: RunningApi, id: string): Promise<string[]> =>
  (await database.pool.query<{ type: string }>('select type from events where document_id = $1 order by id', [id])).rows.map(
    ({ type }) => type,
  );

test('a deleted document lies in the trash with its bytes, answers 404 elsewhere, and comes back with its labels and notes', async (t) => {
  const { admin } = t.context;
  const { id, sha256 } = await upload(admin, 'the words of a letter', 'letter.txt');
  const { body: label } = await admin.post('/api/labels', { name: 'Kept', color: '#123456' });
  await admin.post(`/api/labels/${String(label['id'])}/assign`, { document_ids: [id] });
  await admin.post(`/api/documents/${id}/notes`, { text: 'a note' });
  await admin.send('PATCH', `/api/documents/${id}`, { archive_number: 12 });
  const { body: before } = await admin.get(`/api/documents/${id}`);
  t.is((await admin.delete(`/api/documents/${id}`)).status, 204);

  for (const path of ['', '/download', '/pages', '/notes', '/facts', '/thumbnail'])
    t.is((await admin.get(`/api/documents/${id}${path}`)).status, 404);
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { title: 'x' })).status, 404);
  t.false(((await admin.get('/api/documents')).body['data'] as { id: string }[]).some((one) => one.id === id));
  t.is((await admin.get(`/api/labels/${String(label['id'])}`)).body['document_count'], 0);
  t.true(await isStored(t.context, sha256));

  const { body: trashed } = await admin.get(`/api/trash/${id}`);
  t.like(trashed, {
    id,
    title: 'letter',
    filename: 'letter.txt',
    mime_type: 'text/plain',
    size: 21,
    sha256,
    reason: 'deleted',
    source: 'upload',
  });
  t.is((trashed['trashed_by'] as { name: string }).name, 'admin');
  t.is((trashed['owner'] as { name: string }).name, 'admin');
  t.is(Date.parse(String(trashed['purge_at'])) - Date.parse(String(trashed['trashed_at'])), 7 * 86_400_000);

  const { status, body: restored } = await admin.post(`/api/trash/${id}/restore`, {});
  t.is(status, 200);
  t.deepEqual({ ...restored, updated_at: before['updated_at'] }, { ...before, lost_archive_number: null });
  t.like((await admin.get(`/api/documents/${id}/notes`)).body, { notes: [{ text: 'a note' }] });
  t.is(await (await admin.request(`/api/documents/${id}/download`)).text(), 'the words of a letter');
  t.is((await admin.get(`/api/trash/${id}`)).status, 404);
  t.is((await admin.post(`/api/trash/${id}/restore`, {})).status, 404);
  t.deepEqual((await typesOf(t.context, id)).slice(-2), ['document_deleted', 'document_restored']);
  const { body: audit } = await admin.get('/api/audit?action=document.restored&per_page=100');
  const entry = (audit['data'] as { subject: { id: string } }[]).find(({ subject }) => subject.id === id);
  t.like(entry, { actor: { username: 'admin' }, details: { title: 'letter' } });
});

test('an archive number that was given away is left out, and the answer says so', async (t) => {
  const { admin } = t.context;
  const [{ id }, { id: other }] = [await upload(admin), await upload(admin)];
  await admin.send('PATCH', `/api/documents/${id}`, { archive_number: 4711 });
  await admin.delete(`/api/documents/${id}`);
  t.is((await admin.send('PATCH', `/api/documents/${other}`, { archive_number: 4711 })).status, 200);
  t.like((await admin.post(`/api/trash/${id}/restore`, {})).body, { id, archive_number: null, lost_archive_number: 4711 });
});

test('a number that another owner has by now is left out only where whoever restores may read that document', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.register('number-n', 'editor');
  const other = await anyone.login('number-n');
  const own = await upload(other);
  await other.send('PATCH', `/api/documents/${own.id}`, { archive_number: 815 });
  const trash = async (): Promise<void> => {
    t.is((await other.delete(`/api/documents/${own.id}`)).status, 204);
  };
  await trash();
  const { id: taker } = await upload(admin);
  t.is((await admin.send('PATCH', `/api/documents/${taker}`, { archive_number: 815 })).status, 200);

  await using api = await startApiWithPermissions(database, { 'number-n': ['documents.read.own', 'documents.delete.own'] });
  const limited = await new ApiClient(api.url).login('number-n');
  t.like((await limited.post(`/api/trash/${own.id}/restore`, {})).body, { archive_number: 815, lost_archive_number: null });
  await trash();
  t.like((await admin.post(`/api/trash/${own.id}/restore`, {})).body, { archive_number: null, lost_archive_number: 815 });
});

test('removing from the trash takes the bytes, and what was uploaded meanwhile by others keeps theirs', async (t) => {
  const { admin, anyone, database } = t.context;
  await admin.register('twin-t', 'editor');
  const twin = await anyone.login('twin-t');
  const { id, sha256 } = await upload(admin, 'shared by two');
  await admin.delete(`/api/documents/${id}`);
  const theirs = await upload(twin, 'shared by two');
  t.is(theirs.status, 201, 'the trash of one is no matter of another');
  t.is((await admin.delete(`/api/trash/${id}`)).status, 204);
  t.true(await isStored(t.context, sha256));
  t.is((await twin.delete(`/api/documents/${theirs.id}`)).status, 204);
  t.is((await twin.delete(`/api/trash/${theirs.id}`)).status, 204, 'an editor may remove his own');
  t.false(await isStored(t.context, sha256));
  t.is((await admin.delete(`/api/trash/${id}`)).status, 404);
  t.deepEqual((await database.pool.query('select from document_ids where id = $1', [id])).rows, []);
  t.deepEqual((await typesOf(t.context, id)).slice(-1), ['document_purged']);
  const { body: audit } = await admin.get('/api/audit?action=document.purged&per_page=100');
  const purged = (audit['data'] as { subject: { id: string } }[]).map(({ subject }) => subject.id);
  t.true([id, theirs.id].every((one) => purged.includes(one)));
});

test('the bytes of a trashed document are not uploaded again: its id is told, and restoring it is an answer to that', async (t) => {
  const { admin, storedFiles } = t.context;
  const { id, sha256 } = await upload(admin, 'uploaded twice');
  await admin.delete(`/api/documents/${id}`);
  for (const name of ['same.txt', 'other.txt']) {
    const { status, body } = await upload(admin, 'uploaded twice', name);
    t.is(status, 409);
    t.is(conditionOf(body), 'DOCUMENT_IN_TRASH');
    t.is(detailsOf(body)['document_id'], id);
  }
  t.is((await storedFiles()).filter((path) => path.includes(sha256)).length, 1);
  const { body: ledger } = await admin.get('/api/ingest?q=other.txt');
  t.like((ledger['data'] as unknown[])[0], { state: 'duplicate', reason_code: 'document_in_trash' });
  t.is((await admin.post(`/api/trash/${id}/restore`, {})).status, 200);
  t.is(detailsOf((await upload(admin, 'uploaded twice')).body)['reason'], 'duplicate_file');
});

test('with the same content here again, restoring answers 409 with the other document', async (t) => {
  const { admin, database } = t.context;
  const [{ id, sha256 }, { id: other }] = [await upload(admin), await upload(admin)];
  await admin.delete(`/api/documents/${id}`);
  // as a source does that replaces the contents of a document
  await database.pool.query('update documents set sha256 = $2 where id = $1', [other, sha256]);
  const { status, body } = await admin.post(`/api/trash/${id}/restore`, {});
  t.is(status, 409);
  t.is(conditionOf(body), 'DOCUMENT_EXISTS');
  t.is(detailsOf(body)['document_id'], other);
  t.true((await trashOf(admin)).includes(id));
});

test('people see in the trash what they may restore or remove, and may do there what their permissions say', async (t) => {
  const { admin, anyone } = t.context;
  const [viewer, auditor] = [await admin.register('viewer-t', 'viewer'), await admin.register('auditor-t', 'auditor')];
  await admin.register('editor-t', 'editor');
  const editor = await anyone.login('editor-t');
  const [{ id: admins }, { id: editors }] = [await upload(admin), await upload(editor)];
  await admin.post('/api/documents/bulk', { ids: [admins, editors], action: 'delete' });
  for (const client of [viewer, auditor]) {
    t.deepEqual(await trashOf(client), []);
    t.is((await client.get(`/api/trash/${editors}`)).status, 404);
    t.is((await client.post(`/api/trash/${editors}/restore`, {})).status, 403);
    t.is((await client.delete(`/api/trash/${editors}`)).status, 403);
  }
  t.deepEqual(await trashOf(editor), [editors]);
  t.true((await trashOf(admin)).includes(editors));
  t.is((await editor.post(`/api/trash/${admins}/restore`, {})).status, 404);
  t.is((await editor.delete(`/api/trash/${admins}`)).status, 404);
  t.is((await editor.post(`/api/trash/${editors}/restore`, {})).status, 200);
  t.is((await editor.delete(`/api/documents/${editors}?permanent=true`)).status, 204);
});

test('emptying the trash asks for the number, and takes only what one may remove', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('emptier', 'editor');
  const editor = await anyone.login('emptier');
  const mine = [await upload(editor), await upload(editor)];
  const { id: others } = await upload(admin);
  const ids = mine.map(({ id }) => id);
  await admin.post('/api/documents/bulk', { ids: [...ids, others], action: 'delete' });
  for (const confirm of [0, 1, 3]) {
    const { status, body } = await editor.send('DELETE', '/api/trash', { confirm });
    t.is(status, 409);
    t.like(detailsOf(body), { reason: 'not_confirmed', matched: 2 });
  }
  t.is((await editor.send('DELETE', '/api/trash', {})).status, 400);
  t.deepEqual((await trashOf(editor)).toSorted(), ids.toSorted());
  t.like(await editor.send('DELETE', '/api/trash', { confirm: 2 }), { status: 200, body: { purged: 2 } });
  t.deepEqual(await trashOf(editor), []);
  for (const { sha256 } of mine) t.false(await isStored(t.context, sha256));
  t.true((await trashOf(admin)).includes(others));
});

test('many that a filter matches go to the trash with their number confirmed, and permanently only with documents.purge', async (t) => {
  const { admin } = t.context;
  const ids = [await upload(admin), await upload(admin), await upload(admin)].map(({ id }) => id);
  const { body: label } = await admin.post('/api/labels', { name: 'Many', color: '#123456' });
  await admin.post(`/api/labels/${String(label['id'])}/assign`, { document_ids: ids });
  const filter = { label_ids: [label['id']] };
  t.like(detailsOf((await admin.post('/api/documents/bulk', { filter, action: 'delete' })).body), { reason: 'not_confirmed', matched: 3 });
  t.like((await admin.post('/api/documents/bulk', { filter, action: 'delete', confirm: 3 })).body, { matched: 3, done: 3 });
  const listed = await trashOf(admin);
  t.true(ids.every((id) => listed.includes(id)));
  t.is((await admin.post('/api/documents/bulk', { ids, action: 'retry_ocr', permanent: true })).status, 400);
  const { body: key } = await admin.post('/api/keys', { name: 'no purge', scope: ['documents.read', 'documents.delete'] });
  const { id } = await upload(admin);
  const byKey = (path: string, init: RequestInit) =>
    admin.request(path, { ...init, headers: { 'x-api-key': String(key['key']), authorization: '', 'content-type': 'application/json' } });
  t.is((await byKey(`/api/documents/${id}?permanent=true`, { method: 'DELETE' })).status, 403);
  const body = JSON.stringify({ ids: [id], action: 'delete', permanent: true });
  t.is((await byKey('/api/documents/bulk', { method: 'POST', body })).status, 403);
  t.is((await admin.get(`/api/documents/${id}`)).status, 200);
});

test('the trash is listed in pages, sorted', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('lister', 'editor');
  const editor = await anyone.login('lister');
  for (const name of ['b.txt', 'c.txt', 'a.txt']) {
    const { id } = await upload(editor, `sorted ${name}`, name);
    await editor.delete(`/api/documents/${id}`);
  }
  const names = async (query: string) =>
    ((await editor.get(`/api/trash?${query}`)).body['data'] as { filename: string }[]).map((one) => one.filename);
  t.deepEqual(await names(''), ['a.txt', 'c.txt', 'b.txt']);
  t.deepEqual(await names('sort=filename&order=asc'), ['a.txt', 'b.txt', 'c.txt']);
  t.deepEqual(await names('sort=title&order=asc&per_page=2&page=2'), ['c.txt']);
  t.like((await editor.get('/api/trash?per_page=2')).body['pagination'], { total: 3 });
});

test('documents in the trash go to the new owner with the others, or keep their owner from being deleted', async (t) => {
  const { admin, anyone } = t.context;
  await admin.register('leaver', 'editor');
  const leaver = await anyone.login('leaver');
  const { id } = await upload(leaver);
  await leaver.delete(`/api/documents/${id}`);
  const { body: me } = await leaver.get('/api/auth/me');
  const refused = await admin.delete(`/api/users/${String(me['id'])}`);
  t.is(refused.status, 409);
  t.like(detailsOf(refused.body), { documents: 1, in_trash: 1 });
  const { body: boss } = await admin.get('/api/auth/me');
  t.is((await admin.delete(`/api/users/${String(me['id'])}?transfer_to=${String(boss['id'])}`)).status, 204);
  t.is((await admin.get(`/api/trash/${id}`)).body['trashed_by'], null);
  t.like((await admin.post(`/api/trash/${id}/restore`, {})).body, { id, owner_id: boss['id'] });
});

test('a document that was in the trash while its correspondent was merged into another one has that one', async (t) => {
  const { admin } = t.context;
  const { id } = await upload(admin);
  const [from, into] = [
    await admin.post('/api/correspondents', { name: 'Trash Ltd' }),
    await admin.post('/api/correspondents', { name: 'Trash Inc' }),
  ];
  t.is((await admin.send('PATCH', `/api/documents/${id}`, { correspondent_id: String(from.body['id']) })).status, 200);
  await admin.delete(`/api/documents/${id}`);
  t.is((await admin.post(`/api/correspondents/${String(from.body['id'])}/merge`, { into: String(into.body['id']) })).status, 200);
  t.like((await admin.post(`/api/trash/${id}/restore`, {})).body, { correspondent: { id: into.body['id'], name: 'Trash Inc' } });
});
