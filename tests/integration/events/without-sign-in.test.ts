// Where nobody signs in everybody is the administrator, but pages of other sites are not.
import { EventClient, SocketIoClient } from '../../support/event-client.ts';
import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi({ AUTH_ENABLED: 'false', SERVER_ADDRESS: '127.0.0.1:0' });

test.serial('a connection needs to say nothing, and nothing of it expires', async (t) => {
  await using client = new EventClient(t.context.anyone.url);
  t.like(await client.message('auth_ok'), { user: { username: 'admin' }, expires_at: null });
  using other = new SocketIoClient(t.context.anyone.url, {});
  t.like(await other.message('auth_ok'), { user: { username: 'admin' } });
});

test.serial('a page of another site gets no connection, whatever it says', async (t) => {
  const { url } = t.context.anyone;
  const headers = { origin: 'https://evil.example.org' };
  t.deepEqual(await new EventClient(url, headers).whenRefused(), { status: 403, code: 'FORBIDDEN' });
  for (const transports of [['websocket'], ['polling']] as const) {
    using other = new SocketIoClient(url, { headers, transports });
    t.truthy(await other.whenRefused());
  }
});

test.serial('connections are counted by address, as all are one user', async (t) => {
  const { url } = t.context.anyone;
  const open = (address: string) => new EventClient(url, { 'x-forwarded-for': address });
  const five = Array.from({ length: 4 }, () => open('192.0.2.1')); // nobody is trusted to say where they come from
  for (const client of five) await client.message('auth_ok').catch(() => undefined);
  const more = Array.from({ length: 3 }, () => open('192.0.2.2'));
  await Promise.race(more.map((client) => client.whenClosed()));
  t.true(more.some(({ closed }) => closed?.code === 4429));
  for (const client of [...five, ...more]) await client[Symbol.asyncDispose]();
});
