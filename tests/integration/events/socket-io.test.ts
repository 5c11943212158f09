// The clients of socket.io: the same events, over both transports.
import { SocketIoClient } from '../../support/event-client.ts';
import { givenPerson } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ SESSION_COOKIE_NAME: 'paper' });

const bytesOf = (text: string) => new TextEncoder().encode(text);

for (const transports of [['websocket'], ['polling'], ['polling', 'websocket']] as const)
  test(`a client over ${transports.join(', then ')} hears the events it subscribed to, in messages named by their type`, async (t) => {
    const person = await givenPerson(t.context, 'editor');
    using client = new SocketIoClient(t.context.anyone.url, { token: person.token, transports });
    t.like(await client.message('auth_ok'), { user: { id: person.id }, said: 'auth_ok' });
    t.deepEqual(await client.subscribe(['document_created']), { type: 'subscribed', events: ['document_created'] });
    t.like(await client.message('subscribed'), { events: ['document_created'] }, 'also without an acknowledgement');
    const { body } = await person.client.upload({ name: 'io.txt', bytes: bytesOf(`io ${person.id}`) });
    const [event] = await client.eventsUntil(({ document_id }) => document_id === body['id']);
    t.like(event, { type: 'document_created', said: 'document_created', title: 'io', data: { title: 'io' } });
    t.is(typeof event?.['seq'], 'number');
  });

test('who brings no good token is refused with the reason', async (t) => {
  const { url } = t.context.anyone;
  for (const wishes of [{}, { token: 'bad' }, { transports: ['polling'] as const }]) {
    using client = new SocketIoClient(url, wishes);
    t.like((await client.whenRefused()).data, { code: 'UNAUTHORIZED', close_code: 4401 });
  }
});

test('a cookie counts from a page of ours only', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const { cookie } = await person.openBrowser();
  const { url } = t.context.anyone;
  for (const transports of [['websocket'], ['polling']] as const) {
    using client = new SocketIoClient(url, { headers: { cookie, origin: url }, transports });
    t.like(await client.message('auth_ok'), { user: { id: person.id } });
    using foreign = new SocketIoClient(url, { headers: { cookie, origin: 'https://evil.example.org' }, transports });
    t.like((await foreign.whenRefused()).data, { code: 'UNAUTHORIZED' });
  }
});

test('unknown events are answered; a sixth connection of a user is refused; their signing out ends the others', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const { url } = t.context.anyone;
  const clients = Array.from({ length: 5 }, () => new SocketIoClient(url, { token: person.token }));
  for (const client of clients) await client.message('auth_ok');
  using sixth = new SocketIoClient(url, { token: person.token });
  t.like((await sixth.whenRefused()).data, { code: 'RATE_LIMITED', reason: 'too_many_connections', close_code: 4429 });
  t.like(await clients[0]?.subscribe(['weather']), { type: 'error', code: 'VALIDATION_ERROR' });
  t.like(await clients[0]?.socket.emitWithAck('subscribe', 'everything'), { type: 'error', code: 'VALIDATION_ERROR' });
  await person.client.post('/api/auth/logout', {});
  for (const client of clients) {
    await client.whenDisconnected();
    t.like(
      client.messages.findLast(({ type }) => type === 'error'),
      { code: 'UNAUTHORIZED' },
    );
  }
});

test('a message of more than 64 KiB ends the connection', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  using client = new SocketIoClient(t.context.anyone.url, { token: person.token });
  await client.message('auth_ok');
  client.socket.emit('subscribe', { events: ['x'.repeat(70_000)] });
  t.truthy(await client.whenDisconnected());
});

test('there is no script to load and no other namespace', async (t) => {
  const { url } = t.context.anyone;
  const person = await givenPerson(t.context, 'viewer');
  t.is((await t.context.anyone.request('/socket.io/socket.io.js')).status, 404);
  using client = new SocketIoClient(`${url}/admin`, { token: person.token });
  t.regex((await client.whenRefused()).message, /namespace/i);
});
