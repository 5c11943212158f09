// The rows of the specification on events: what clients say, what the service says, the limits, the variables.
import { recordEvent } from '@sheaf/events';
import { conditionOf } from '../support/error-condition.ts';
import { EventClient, openEventClient, SocketIoClient } from '../support/event-client.ts';
import { givenPerson } from '../support/person.ts';
import { startApi, testWithApi } from '../support/running-api.ts';
import { waitFor } from '../support/wait-for.ts';

const test = testWithApi();

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('Client message Authenticate: {type: "auth", token}, sent first', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using client = await new EventClient(t.context.anyone.url).opened();
  client.say({ type: 'auth', token: person.token });
  t.like(await client.message('auth_ok'), { type: 'auth_ok' });
});

test('Client message Subscribe: {type: "subscribe", events} takes the names ocr_progress, sync_progress, notifications', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using client = await new EventClient(t.context.anyone.url).opened();
  await client.auth(person.token);
  const events = ['ocr_progress', 'sync_progress', 'notifications'];
  t.deepEqual(await client.subscribe(events), { type: 'subscribed', events });
});

test('Server event ocr_progress: document_id, progress (percent), status', async (t) => {
  const { database, admin, anyone } = t.context;
  const person = await givenPerson(t.context, 'editor');
  await using client = await openEventClient(anyone.url, person.token, ['ocr_progress']);
  const { body } = await admin.upload({ name: 'p.txt', bytes: bytesOf('progress') });
  const id = String(body['id']);
  await recordEvent(database.db, { type: 'ocr_progress', document_id: id, progress: 50, status: 'processing' }, person.id);
  const [event] = await client.eventsUntil(({ document_id }) => document_id === id);
  t.like(event, { type: 'ocr_progress', document_id: id, progress: 50, status: 'processing' });
});

test('Server event sync_progress: source_id, processed, total, current_file', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  await using client = await openEventClient(t.context.anyone.url, person.token, ['sync_progress']);
  const data = { source_id: person.id, processed: 3, total: 10, current_file: 'a/b.pdf' };
  await recordEvent(t.context.database.db, { type: 'sync_progress', ...data }, person.id);
  t.like((await client.eventsUntil(({ type }) => type === 'sync_progress'))[0], data);
});

test('Server event import_progress: import_id, state, phase, done, total; for administrators alone', async (t) => {
  const { anyone, database } = t.context;
  const [administrator, editor] = [await givenPerson(t.context, 'admin'), await givenPerson(t.context, 'editor')];
  await using client = await openEventClient(anyone.url, administrator.token, ['import_progress']);
  await using other = await openEventClient(anyone.url, editor.token, ['import_progress', 'sync_progress']);
  const data = { import_id: editor.id, state: 'running', phase: 'documents', done: 3, total: 10 } as const;
  await recordEvent(database.db, { type: 'import_progress', ...data }, null);
  t.like((await client.eventsUntil(({ type }) => type === 'import_progress'))[0], data);
  await recordEvent(database.db, { type: 'sync_progress', source_id: editor.id, processed: 1, total: 1, current_file: null }, editor.id);
  t.deepEqual(
    (await other.eventsUntil(({ type }) => type === 'sync_progress')).map(({ type }) => type),
    ['sync_progress'],
  );
});

test('Server event notification (subscribed as notifications): id, type, title, message', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using client = await openEventClient(t.context.anyone.url, person.token, ['notifications']);
  const data = { id: person.id, title: 'Read', message: 'letter.pdf was read' };
  await recordEvent(t.context.database.db, { type: 'notification', kind: 'ocr_completed', ...data }, person.id);
  const [event] = await client.eventsUntil(({ type }) => type === 'notification');
  t.deepEqual(event?.['data'], { ...data, type: 'ocr_completed' });
  t.like(event, data);
});

test('Server events document_created: document_id, title, source; document_updated: document_id, changes', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  await using client = await openEventClient(t.context.anyone.url, person.token, ['document_created', 'document_updated']);
  const { body } = await person.client.upload({ name: 'made.txt', bytes: bytesOf(`made by ${person.id}`) });
  const id = String(body['id']);
  t.is((await person.client.send('PUT', `/api/documents/${id}`, { title: 'Changed' })).status, 200);
  const events = await client.eventsUntil(({ type, document_id }) => type === 'document_updated' && document_id === id);
  t.like(
    events.find(({ type, document_id }) => type === 'document_created' && document_id === id),
    { title: 'made', source: 'upload' },
  );
  t.like(
    events.find(({ type, document_id }) => type === 'document_updated' && document_id === id),
    { changes: { title: 'Changed' } },
  );
});

test('Server event queue_status: pending, processing, completed', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  await using client = await openEventClient(t.context.anyone.url, person.token, ['queue_status']);
  await person.client.upload({ name: 'q.txt', bytes: bytesOf(`queued by ${person.id}`) });
  const [event] = await client.eventsUntil(({ type }) => type === 'queue_status');
  t.deepEqual(Object.keys(event?.['data'] as object).toSorted(), ['completed', 'pending', 'processing']);
  t.true(Number(event?.['pending']) >= 1);
});

test('Limit WebSocket connections per user: 5', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const five = await Promise.all(Array.from({ length: 5 }, () => openEventClient(t.context.anyone.url, person.token)));
  await using sixth = await new EventClient(t.context.anyone.url).opened();
  sixth.say({ type: 'auth', token: person.token });
  t.is((await sixth.whenClosed()).code, 4429);
  t.true(five.every(({ closed }) => closed === undefined));
  for (const client of five) await client[Symbol.asyncDispose]();
});

test('Variable WEBSOCKET_MAX_CONNECTIONS: so many in all, whatever they speak and whose they are', async (t) => {
  const api = await startApi({ WEBSOCKET_MAX_CONNECTIONS: '2' });
  try {
    const [ann, bob] = [await givenPerson(api, 'viewer'), await givenPerson(api, 'viewer')];
    await using client = await openEventClient(api.anyone.url, ann.token);
    using other = new SocketIoClient(api.anyone.url, { token: ann.token });
    await other.message('auth_ok');
    await using third = new EventClient(api.anyone.url);
    t.is((await third.whenClosed()).code, 4429);
    using fourth = new SocketIoClient(api.anyone.url, { token: bob.token });
    t.like((await fourth.whenRefused()).data, { close_code: 4429 });
    await client[Symbol.asyncDispose]();
    await waitFor(
      async () => /sheaf_event_connections\{[^}]*websocket[^}]*\} 0\n/.test(await (await api.anyone.request('/metrics')).text()),
      { description: 'the place to be free', limitMs: 10_000 },
    );
    await using again = await openEventClient(api.anyone.url, bob.token);
    t.truthy(again);
  } finally {
    await api.stop();
  }
});

test('Variable WEBSOCKET_ENABLED=false: neither /ws nor socket.io is there', async (t) => {
  const api = await startApi({ WEBSOCKET_ENABLED: 'false' });
  try {
    const { url } = api.anyone;
    const off = { status: 404, code: 'FEATURE_DISABLED' };
    t.deepEqual(await new EventClient(url).whenRefused(), off);
    t.deepEqual(await new EventClient(url, {}, '/socket.io/?EIO=4&transport=websocket').whenRefused(), off);
    for (const path of ['/ws', '/socket.io/?EIO=4&transport=polling']) {
      const { status, body } = await api.anyone.get(path);
      t.deepEqual({ status, code: conditionOf(body) }, off);
    }
  } finally {
    await api.stop();
  }
});
