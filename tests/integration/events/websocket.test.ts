// What a client of /ws says, and what it is answered.
import { get } from 'node:http';
import { EventClient, openEventClient } from '../../support/event-client.ts';
import { bearer, givenPerson } from '../../support/person.ts';
import { testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = testWithApi({ SESSION_COOKIE_NAME: 'paper', CORS_ENABLED: 'true', CORS_ALLOWED_ORIGINS: 'https://desk.example.org' });

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('who says a good token is told who they are and until when; then they hear what they subscribed to, in the form of the contract', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  await using client = await new EventClient(t.context.anyone.url).opened();
  const greeting = await client.auth(person.token);
  t.deepEqual(Object.keys(greeting).toSorted(), ['expires_at', 'type', 'user']);
  t.like(greeting['user'], { id: person.id, role: 'editor' });
  t.true(Date.parse(String(greeting['expires_at'])) > Date.now());
  t.deepEqual(await client.subscribe(['document_created']), { type: 'subscribed', events: ['document_created'] });
  const { body } = await person.client.upload({ name: 'heard.txt', bytes: bytesOf(`heard by ${person.id}`) });
  const isOurs = ({ document_id }: { document_id?: unknown }): boolean => document_id === body['id'];
  const event = (await client.eventsUntil(isOurs)).find(isOurs); // tests beside this one upload too
  t.like(event, {
    type: 'document_created',
    document_id: String(body['id']),
    title: 'heard',
    source: 'upload',
    data: { document_id: String(body['id']), title: 'heard', source: 'upload' },
  });
  t.is(typeof event?.['seq'], 'number');
  t.regex(String(event?.['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual([...new Set(client.events.map(({ type }) => type))], ['document_created']);
});

test('subscribing to nothing is subscribing to everything, and so is saying nothing for a second, from the greeting on', async (t) => {
  const person = await givenPerson(t.context, 'editor');
  await using asked = await openEventClient(t.context.anyone.url, person.token);
  await using silent = await new EventClient(t.context.anyone.url).opened();
  await silent.auth(person.token);
  const { body } = await person.client.upload({ name: 'all.txt', bytes: bytesOf(`all of ${person.id}`) });
  for (const client of [asked, silent]) {
    const events = await client.eventsUntil(({ type, filename }) => type === 'ingest' && filename === 'all.txt');
    t.true(events.some(({ type, document_id }) => type === 'document_created' && document_id === body['id']));
  }
});

test('the type of a notification stands in its data, and `notifications` is its name in a subscription', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using client = await openEventClient(t.context.anyone.url, person.token, ['notifications']);
  await t.context.database.pool.query(`insert into events (type, owner_id, data) values ('notification', $1, $2)`, [
    person.id,
    { id: 'an id', type: 'security', title: 'A title', message: 'A message' },
  ]);
  const [event] = await client.eventsUntil(({ type }) => type === 'notification');
  t.like(event, { type: 'notification', id: 'an id', title: 'A title', message: 'A message', data: { type: 'security' } });
});

test('what is no message, no event or comes too early is answered, and the connection stays', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using client = await new EventClient(t.context.anyone.url).opened();
  const answers: unknown[] = [];
  const ask = async (message: unknown): Promise<void> => {
    const from = client.messages.length;
    client.say(message);
    answers.push((await client.message('error', from))['code']);
  };
  await ask({ type: 'subscribe', events: [] });
  await client.auth(person.token);
  await ask('no json');
  await ask('[]');
  await ask({ type: 'sing' });
  await ask({ type: 'subscribe', events: 'all' });
  await ask({ type: 'subscribe', events: ['document_created', 'weather'] });
  await ask({ type: 'subscribe', events: ['constructor'] });
  await ask({ type: 'subscribe', last_seq: -1 });
  t.deepEqual(answers, ['UNAUTHORIZED', ...Array.from({ length: 7 }, () => 'VALIDATION_ERROR')]);
  client.socket.send(Buffer.from('{}'), { binary: true });
  await waitFor(() => client.messages.filter(({ type }) => type === 'error').length === 9, { description: 'an answer', limitMs: 20_000 });
  t.is((await client.subscribe(['alert']))['type'], 'subscribed');
});

test('a bad token, an old one and one for something else are answered and closed with 4401', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const ended = await givenPerson(t.context, 'viewer');
  await ended.client.post('/api/auth/logout', {});
  for (const token of ['no.token.at-all', '', person.refreshToken, ended.token, 'shf_nothing']) {
    await using client = await new EventClient(t.context.anyone.url).opened();
    client.say({ type: 'auth', token });
    t.is((await client.whenClosed()).code, 4401, token);
    t.like(client.messages, { 0: { type: 'error', code: 'UNAUTHORIZED' }, length: 1 });
  }
});

test('headers of the request say who it is as they do elsewhere: a token, an API key', async (t) => {
  const person = await givenPerson(t.context, 'admin');
  const key = await person.makeKey(['documents.read']);
  for (const headers of [bearer(person.token), key.headers]) {
    await using client = new EventClient(t.context.anyone.url, headers);
    t.like(await client.message('auth_ok'), { user: { id: person.id } });
  }
  await using client = await new EventClient(t.context.anyone.url).opened();
  t.like(await client.auth(key.key), { user: { id: person.id } });
  await using bad = await new EventClient(t.context.anyone.url, bearer('invalid')).opened();
  t.like(await bad.auth(person.token), { user: { id: person.id } }, 'bad ones can be followed by good ones');
});

test('a session cookie counts from our own pages and from those that are named, and from nobody else’s; a token counts from there too', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const { url } = t.context.anyone;
  const { cookie } = await person.openBrowser();
  for (const origin of [url, 'https://desk.example.org']) {
    await using client = new EventClient(url, { cookie, origin });
    t.like(await client.message('auth_ok'), { user: { id: person.id } }, origin);
  }
  for (const headers of [{ origin: 'https://evil.example.org' }, { origin: 'null' }, {}, { origin: `${url}.evil.example.org` }]) {
    await using client = await new EventClient(url, { cookie, ...headers }).opened();
    const from = client.messages.length;
    client.say({ type: 'subscribe', events: [] });
    t.like(await client.message('error', from), { code: 'UNAUTHORIZED' }, JSON.stringify(headers));
    t.like(await client.auth(person.token), { user: { id: person.id } });
  }
});

test('a connection can go on with a newer token of the same user, and with nobody else’s', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const other = await givenPerson(t.context, 'viewer');
  const { body } = await t.context.anyone.post('/api/auth/refresh', { refresh_token: person.refreshToken });
  await using client = await openEventClient(t.context.anyone.url, person.token, ['alert']);
  t.like(await client.auth(String(body['token'])), { user: { id: person.id } });
  client.say({ type: 'auth', token: other.token });
  t.is((await client.whenClosed()).code, 4403);
});

test('a sixth connection of a user is closed with 4429, whatever it speaks; one that ends makes room', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  const { url } = t.context.anyone;
  const five = await Promise.all(Array.from({ length: 5 }, () => openEventClient(url, person.token)));
  await using sixth = await new EventClient(url).opened();
  sixth.say({ type: 'auth', token: person.token });
  t.is((await sixth.whenClosed()).code, 4429);
  t.like(sixth.messages, { 0: { type: 'error', code: 'RATE_LIMITED', reason: 'too_many_connections' } });
  const other = await givenPerson(t.context, 'viewer');
  await using others = await openEventClient(url, other.token);
  t.truthy(others);
  await five[0]?.[Symbol.asyncDispose]();
  await using again = await waitFor(
    async () => {
      const client = await new EventClient(url, bearer(person.token)).opened();
      return client.message('auth_ok').then(
        () => client,
        () => undefined,
      );
    },
    { description: 'room for another connection', limitMs: 20_000 },
  );
  t.truthy(again);
  for (const client of five) await client[Symbol.asyncDispose]();
});

test('a frame of more than 64 KiB ends the connection, and so do more messages than anybody types', async (t) => {
  const person = await givenPerson(t.context, 'viewer');
  await using large = await openEventClient(t.context.anyone.url, person.token);
  large.say({ type: 'subscribe', events: ['x'.repeat(64 * 1024)] });
  t.is((await large.whenClosed()).code, 1009);
  await using many = await openEventClient(t.context.anyone.url, person.token);
  for (let n = 0; n < 40; n += 1) many.say({ type: 'subscribe', events: ['alert'] });
  t.is((await many.whenClosed()).code, 1008);
});

test('other addresses are no WebSocket, and other protocols are not taken up', async (t) => {
  const { url } = t.context.anyone;
  t.deepEqual(await new EventClient(url, {}, '/elsewhere').whenRefused(), { status: 404, code: 'NOT_FOUND' });
  const plain = await t.context.anyone.get('/ws');
  t.is(plain.status, 400);
  const offered = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA' };
    get(`${url}/health`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once('error', reject);
  });
  t.is(offered, 200);
});
