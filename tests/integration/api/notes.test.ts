import { uuidv7 } from '@sheaf/process';
import { type Answer, ApiClient, givenDocument } from '@sheaf/testkit';
import { MAX_NOTE_CHARACTERS, MAX_NOTES } from '@sheaf/vocabulary/limits';
import { startApiWithPermissions } from '../../support/api-with-permissions.ts';
import { conditionOf } from '../../support/error-condition.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

const codeOf = ({ status, body }: Answer): [number, unknown] => [status, conditionOf(body)];
const idOf = async (client: ApiClient): Promise<string> => String((await client.get('/api/auth/me')).body['id']);
const notesOf = async (client: ApiClient, documentId: string): Promise<Record<string, unknown>[]> =>
  (await client.get(`/api/documents/${documentId}/notes`)).body['notes'] as Record<string, unknown>[];
const countOf = async (client: ApiClient, documentId: string): Promise<unknown> =>
  (await client.get(`/api/documents/${documentId}`)).body['notes_count'];

test('notes are listed in their order with author and time, and counted, also in lists', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  t.is(await countOf(admin, id), 0);
  const first = await admin.post(`/api/documents/${id}/notes`, { text: '  paid on Monday\n' });
  t.is(first.status, 201);
  t.like(first.body, { text: 'paid on Monday', author: { id: await idOf(admin), username: 'admin' } });
  const second = await admin.post(`/api/documents/${id}/notes`, { text: 'and again' });
  t.deepEqual(await notesOf(admin, id), [first.body, second.body]);
  t.is(await countOf(admin, id), 2);
  const { body } = await admin.get('/api/documents');
  t.is((body['data'] as Record<string, unknown>[]).find((document) => document['id'] === id)?.['notes_count'], 2);
  t.is((await admin.delete(`/api/documents/${id}/notes/${String(first.body['id'])}`)).status, 204);
  t.deepEqual(await notesOf(admin, id), [second.body]);
  t.is(await countOf(admin, id), 1);
});

test('each change is an event, and a deletion is in the audit log without its text', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const { body } = await admin.post(`/api/documents/${id}/notes`, { text: 'confidential' });
  await admin.delete(`/api/documents/${id}/notes/${String(body['id'])}`);
  const events = await database.pool.query<{ data: { changes: unknown } }>(
    "select data from events where document_id = $1 and type = 'document_updated' order by id",
    [id],
  );
  t.deepEqual(
    events.rows.map(({ data }) => data.changes),
    [{ notes_count: 1 }, { notes_count: 0 }],
  );
  const audit = await database.pool.query<{ details: unknown }>(
    "select details from audit_log where action = 'document.note_deleted' and subject_id = $1",
    [id],
  );
  t.deepEqual(
    audit.rows.map(({ details }) => details),
    [{ note_id: body['id'], author_id: await idOf(admin) }],
  );
});

test('an empty note, one that is too long, and one with a NUL are refused', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  for (const text of ['', ' \n', 'x'.repeat(MAX_NOTE_CHARACTERS + 1), 'a\0b'])
    t.is((await admin.post(`/api/documents/${id}/notes`, { text })).status, 400, JSON.stringify(text.slice(0, 10)));
  t.is((await admin.post(`/api/documents/${id}/notes`, { text: '𝒳'.repeat(MAX_NOTE_CHARACTERS) })).status, 201);
  t.is(await countOf(admin, id), 1);
});

test('a document has at most so many notes, also when they are added at once', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const room = 3;
  await database.pool.query(
    `with made as (insert into document_notes (id, document_id, text) select gen_random_uuid(), $1, 'a note' from generate_series(1, $2::int) returning 1)
     update documents set notes_count = (select count(*) from made) where id = $1`,
    [id, MAX_NOTES - room],
  );
  const answers = await Promise.all(
    Array.from({ length: room + 3 }, (_, n) => admin.post(`/api/documents/${id}/notes`, { text: `note ${n}` })),
  );
  t.is(answers.filter(({ status }) => status === 201).length, room);
  for (const answer of answers.filter(({ status }) => status !== 201))
    t.like(answer, { status: 400, body: { error: { details: { reason: 'too_many_notes' } } } });
  t.is((await notesOf(admin, id)).length, MAX_NOTES);
  t.is(await countOf(admin, id), MAX_NOTES);
});

test('notes go with their document, and stay when their author goes', async (t) => {
  const { admin, database } = t.context;
  const { id } = await givenDocument(database.db, { ownerId: await idOf(admin) });
  const author = await admin.register('gone-author', 'editor');
  await author.post(`/api/documents/${id}/notes`, { text: 'of one who left' });
  t.is((await admin.delete(`/api/users/${await idOf(author)}`)).status, 204);
  t.like(await notesOf(admin, id), [{ text: 'of one who left', author: null }]);
  t.is((await admin.delete(`/api/documents/${id}`)).status, 204);
  t.deepEqual(codeOf(await admin.get(`/api/documents/${id}/notes`)), [404, 'DOCUMENT_NOT_FOUND']);
  t.is((await admin.delete(`/api/trash/${id}`)).status, 204);
  const { rows } = await database.pool.query('select 1 from document_notes where document_id = $1', [id]);
  t.deepEqual(rows, []);
});

test('a note of another document does not exist, and notes of others stay for who changes only what is theirs', async (t) => {
  const { admin, database } = t.context;
  const owner = await admin.register('own-notes', 'editor');
  const { id } = await givenDocument(database.db, { ownerId: await idOf(owner) });
  const { id: other } = await givenDocument(database.db, { ownerId: await idOf(owner) });
  const { body: note } = await admin.post(`/api/documents/${id}/notes`, { text: 'of the administrator' });
  const path = `/api/documents/${id}/notes/${String(note['id'])}`;
  t.deepEqual(codeOf(await admin.delete(`/api/documents/${other}/notes/${String(note['id'])}`)), [404, 'NOTE_NOT_FOUND']);
  t.deepEqual(codeOf(await admin.delete(`/api/documents/${id}/notes/${uuidv7()}`)), [404, 'NOTE_NOT_FOUND']);

  await using api = await startApiWithPermissions(database, { 'own-notes': ['documents.read.own', 'documents.update.own'] });
  const limited = await new ApiClient(api.url).login('own-notes');
  t.is((await limited.delete(path)).status, 403);
  const { body: mine } = await limited.post(`/api/documents/${id}/notes`, { text: 'mine' });
  t.is((await limited.delete(`/api/documents/${id}/notes/${String(mine['id'])}`)).status, 204);
  t.deepEqual(await notesOf(admin, id), [note]);
  t.is(await countOf(admin, id), 1);
});
