// Two api processes on one database, behind a proxy that gives each request to the next of them.
import { join } from 'node:path';
import { recordEvents } from '@sheaf/events';
import { ApiClient, CODE_CACHE_ENVIRONMENT, makeServiceFolder, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { z } from 'zod';
import { CookieJar } from '../support/cookie-jar.ts';
import { enroll, PASSWORD } from '../support/enrolled.ts';
import { openEventClient, SocketIoClient } from '../support/event-client.ts';
import { CLIENT_SECRET, REDIRECT_URI } from '../support/given-oidc.ts';
import { type RunningProvider, startOidcProvider } from '../support/oidc-provider.ts';
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts';
import { codeOf } from '../support/second-factors.ts';
import { StartedProgram } from '../support/started-program.ts';
import { waitFor } from '../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
const LIMIT = 40;

interface Context {
  readonly database: TestDatabase;
  readonly provider: RunningProvider;
  readonly proxy: RoundRobin;
  /** Each of the two by itself. */
  readonly apis: readonly [string, string];
  readonly admin: ApiClient;
}

/** An api counts in the database once it has heard of another one. */
const knowsOfTheOther = async ({ pool }: TestDatabase, url: string, address: string): Promise<void> => {
  const isCounted = async (): Promise<boolean> => {
    await new ApiClient(url).request('/api/auth/me', { headers: { 'x-forwarded-for': address } });
    return (await pool.query('select from rate_limit_counts where subject = $1', [`address:${address}`])).rowCount === 1;
  };
  await waitFor(isCounted, { description: `${url} to hear of the other api`, limitMs: 20_000, everyMs: 200 });
};

const test = anyTest as TestFn<Context>;
const resources = new AsyncDisposableStack();
let context: Context;

test.before(async () => {
  const database = resources.use(await openTestDatabase());
  const folder = resources.use(await makeServiceFolder());
  const client = { client_id: 'sheaf', client_secret: CLIENT_SECRET, redirect_uris: [REDIRECT_URI], scope: 'openid profile email' };
  const provider = resources.use(await startOidcProvider([client]));
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...CODE_CACHE_ENVIRONMENT,
    DATABASE_URL: database.url.reveal(),
    DATA_PATH: join(folder.path, 'data'),
    UPLOAD_PATH: join(folder.path, 'uploads'),
    WATCH_FOLDER: join(folder.path, 'watch'),
    SERVER_ADDRESS: '127.0.0.1:0',
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    RATE_LIMIT_BURST: '0',
    PROXY_COUNT: '1',
    MFA_ENABLED: 'true',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    AUTO_CREATE_USERS: 'true',
    OIDC_ENABLED: 'true',
    OIDC_ISSUER_URL: provider.issuer,
    OIDC_CLIENT_ID: 'sheaf',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_REDIRECT_URI: REDIRECT_URI,
    OIDC_SCOPES: client.scope,
  };
  const command = [process.execPath, join(ROOT, 'apps/api/src/main.ts')];
  for (const program of [1, 2].map(() => resources.use(new StartedProgram({ command, cwd: ROOT, env })))) await program.says(/ ready/);
  const { rows } = await database.pool.query<{ probe_port: number }>(`select probe_port from processes where name = 'api'`);
  const [one = '', other = ''] = rows.map((row) => `http://127.0.0.1:${row.probe_port}`);
  for (const [at, url] of [one, other].entries()) await knowsOfTheOther(database, url, `203.0.113.${at}`);
  const proxy = resources.use(await startRoundRobin([one, other]));
  const admin = await new ApiClient(proxy.url).register('admin');
  context = { database, provider, proxy, apis: [one, other], admin };
});
test.beforeEach((t) => {
  t.context = context;
});
test.after.always(() => resources.disposeAsync());

/** Signs in from an address of their own, as anonymous requests of one address count together. */
const tokenOf = async (url: string, username: string, address: string): Promise<string> => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': address } };
  const answer = await new ApiClient(url).request('/api/auth/login', { ...init, body: JSON.stringify({ username, password: PASSWORD }) });
  return z.object({ token: z.string() }).parse(await answer.json()).token;
};

const givenUser = async ({ admin }: Context, username: string, role = 'viewer'): Promise<string> =>
  String((await admin.post('/api/auth/register', { username, email: `${username}@example.org`, password: PASSWORD, role })).body['id']);

test('limits hold over both: one user, and one address, get as many answers as one api gives', async (t) => {
  const { proxy, apis, database } = t.context;
  await givenUser(t.context, 'limited');
  const [here, there] = apis;
  const client = new ApiClient(proxy.url, await tokenOf(here, 'limited', '198.51.100.1'));
  const statuses: number[] = [];
  const remaining: number[] = [];
  for (let request = 0; request < LIMIT + 10; request += 1) {
    const { status, headers } = await client.get('/api/auth/me');
    statuses.push(status);
    remaining.push(Number(headers.get('x-ratelimit-remaining')));
  }
  t.deepEqual([...new Set(statuses.slice(0, LIMIT))], [200]);
  t.deepEqual([...new Set(statuses.slice(LIMIT))], [429]);
  t.deepEqual(
    remaining.slice(0, LIMIT),
    Array.from({ length: LIMIT }, (_, request) => LIMIT - 1 - request),
  );
  t.true(proxy.passed.every((count) => count >= LIMIT / 2));

  // many at once, at both
  const anonymous = await Promise.all(
    Array.from({ length: 3 * LIMIT }, async (_, request) => {
      const headers = { 'x-forwarded-for': '198.51.100.2' };
      return (await new ApiClient(request % 2 === 0 ? here : there).request('/api/auth/me', { headers })).status;
    }),
  );
  t.is(anonymous.filter((status) => status === 401).length, LIMIT);
  t.is(anonymous.filter((status) => status === 429).length, 2 * LIMIT);
  const { rows } = await database.pool.query<{ points: number }>(
    `select points from rate_limit_counts where subject like 'address:198.51.100.2%'`,
  );
  t.true((rows[0]?.points ?? 0) >= LIMIT);
});

test('what a user may not do any more at one, they may not do at the other', async (t) => {
  const { apis, admin } = t.context;
  const id = await givenUser(t.context, 'demoted', 'editor');
  const clients = await Promise.all(apis.map(async (url) => new ApiClient(url, await tokenOf(apis[0], 'demoted', '198.51.100.3'))));
  const label = async (client: ApiClient | undefined, name: string) => (await client?.post('/api/labels', { name }))?.status;
  t.deepEqual([await label(clients[0], 'one'), await label(clients[1], 'two')], [201, 201]);
  await admin.send('PUT', `/api/users/${id}`, { role: 'viewer' });
  for (const [at, client] of clients.entries())
    await waitFor(async () => (await label(client, `refused ${at}`)) === 403, {
      description: `a refusal of ${at}`,
      limitMs: 5_000,
      everyMs: 200,
    });
  await admin.send('PUT', `/api/users/${id}`, { disabled: true });
  for (const [at, client] of clients.entries())
    await waitFor(async () => (await client.get('/api/auth/me')).status === 401, {
      description: `the end at ${at}`,
      limitMs: 5_000,
      everyMs: 200,
    });
  t.pass();
});

test('an event that one causes reaches clients of the other, and what was missed is replayed by the other', async (t) => {
  const { apis, database } = t.context;
  const [here, there] = apis;
  const id = await givenUser(t.context, 'listener', 'editor');
  const token = await tokenOf(here, 'listener', '198.51.100.4');
  const writer = new ApiClient(here, token);
  await using client = await openEventClient(there, token);
  const bytes = new TextEncoder().encode('heard by the other');
  const { body } = await writer.upload({ name: 'heard.txt', bytes });
  const [created] = await client.eventsUntil(({ type, document_id: document }) => type === 'document_created' && document === body['id']);
  await client[Symbol.asyncDispose]();
  const titles = Array.from({ length: 5 }, (_, n) => `missed ${n}`);
  await database.db.transaction((tx) =>
    recordEvents(
      tx,
      titles.map((title) => ({ event: { type: 'notification', id: title, kind: 'security', title, message: 'm' }, ownerId: id })),
    ),
  );
  await using back = await openEventClient(here, token, ['notification'], Number(created?.['seq']));
  const events = await back.eventsUntil(({ title }) => title === titles.at(-1));
  t.deepEqual(
    events.map(({ title }) => title),
    titles,
  );
});

test('socket.io over WebSocket works without affinity; its polling gets an error that says so where the next request goes elsewhere', async (t) => {
  const { proxy, apis } = t.context;
  await givenUser(t.context, 'socket', 'editor');
  const token = await tokenOf(apis[0], 'socket', '198.51.100.5');
  using client = new SocketIoClient(proxy.url, { token });
  await client.subscribe(['document_created']);
  const bytes = new TextEncoder().encode('heard by socket.io');
  const { body } = await new ApiClient(apis[1], token).upload({ name: 'socket.txt', bytes });
  await client.eventsUntil(({ document_id: document }) => document === body['id']);

  const polling = new ApiClient(apis[0]);
  const headers = { authorization: `Bearer ${token}` };
  const path = '/socket.io/?EIO=4&transport=polling';
  const opened = z.object({ sid: z.string() }).parse(JSON.parse((await (await polling.request(path, { headers })).text()).slice(1)));
  const elsewhere = await new ApiClient(apis[1]).request(`${path}&sid=${opened.sid}`, { headers });
  t.is(elsewhere.status, 400);
  t.like(await elsewhere.json(), { code: 1 });
});

test('a sign-in that begins at one ends at the other: second factor, and OpenID Connect', async (t) => {
  const { proxy, apis, provider, database } = t.context;
  await givenUser(t.context, 'careful');
  const factor = await enroll(new ApiClient(proxy.url, await tokenOf(apis[0], 'careful', '198.51.100.6')));
  await database.pool.query('update mfa_devices set last_step = last_step - 10 where id = $1', [factor.id]);
  const first = await new ApiClient(apis[0]).post('/api/auth/login', { username: 'careful', password: PASSWORD });
  const code = codeOf(factor.secret, new Date());
  const second = await new ApiClient(apis[1]).post('/api/auth/mfa/verify', { mfa_token: first.body['mfa_token'], code });
  t.is((await new ApiClient(apis[0], String(second.body['token'])).get('/api/auth/me')).status, 200);

  provider.accounts.set('olga-1', { email: 'olga@example.com', email_verified: true, preferred_username: 'olga' });
  const jar = new CookieJar();
  const open = async (url: string, path: string): Promise<Response> => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html', cookie: jar.header() }, redirect: 'manual' });
    jar.take(answer);
    return answer;
  };
  const start = await open(apis[0], '/api/auth/oidc/login?return_to=/documents');
  const callback = await provider.signIn(start.headers.get('location') ?? '', 'olga-1');
  t.is((await open(apis[1], `${callback.pathname}${callback.search}`)).headers.get('location'), '/documents');
  t.like(await (await open(apis[0], '/api/auth/me')).json(), { username: 'olga' });
});
