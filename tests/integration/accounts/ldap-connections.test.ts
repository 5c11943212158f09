// How the directory is reached: encryption, failures, and connections that are kept. Against slapd, and servers that misbehave.

import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { openConnection } from '@sheaf/accounts/testing/ldap';
import { AppError } from '@sheaf/contract';
import test from 'ava';
import { ALICE, addPerson, ldapDriver } from '../../support/ldap-people.ts';
import { type LdapServer, openLdapServer, SERVICE_PASSWORD, whyNoLdap } from '../../support/ldap-server.ts';
import { waitFor } from '../../support/wait-for.ts';

const missing = whyNoLdap();
const withLdap = missing === undefined ? test.serial : test.skip;
if (missing !== undefined) process.stdout.write(`LDAP tests skipped: ${missing}\n`);

let server: LdapServer;
test.before(async () => {
  if (missing !== undefined) return;
  server = await openLdapServer();
  await addPerson(server, 'alice', { password: 'alice-password' });
});
test.after.always(async () => {
  if (missing === undefined) await server[Symbol.asyncDispose]();
});

const isAway = { instanceOf: AppError, code: 'SERVICE_UNAVAILABLE' };

/** A server that keeps what it is sent and answers by `answer`. */
const openFake = async (answer: (socket: Socket, data: Buffer) => void) => {
  const received: Buffer[] = [];
  let connections = 0;
  const fake = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received.push(data);
      answer(socket, data);
    });
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  return {
    url: `ldap://127.0.0.1:${(fake.address() as AddressInfo).port}`,
    received,
    count: () => connections,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => fake.close(resolve))),
  };
};

/** Stands between a driver and the directory, counts, and can let connections die that look alive. */
const openProxy = async (target: LdapServer) => {
  const sockets = new Set<Socket>();
  const seen = { connections: 0, messages: 0 };
  const dying = new Set<Socket>();
  const port = Number(new URL(target.url).port);
  const proxy = createServer((socket) => {
    seen.connections += 1;
    const upstream = connect(port, '127.0.0.1');
    sockets.add(socket);
    for (const end of [socket, upstream]) end.on('error', () => {}).on('close', () => [socket, upstream].forEach((one) => one.destroy()));
    upstream.on('data', (data) => socket.write(data));
    socket.on('data', (data) => {
      seen.messages += 1;
      if (dying.has(socket)) socket.destroy();
      else upstream.write(data);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `ldap://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    /** Whatever is open now dies at the next word. */
    poison: () => sockets.forEach((socket) => dying.add(socket)),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
};

const GRANTED = 0;
const PROTOCOL_ERROR = 2;

/** The answer to a request for StartTLS, which carries its number in the fifth byte. */
const startTlsAnswer = (request: Buffer, resultCode: number): Buffer =>
  Buffer.from([0x30, 12, 2, 1, request[4] ?? 0, 0x78, 7, 0x0a, 1, resultCode, 4, 0, 4, 0]);

withLdap('StartTLS and ldaps work with a certificate that is trusted', async (t) => {
  const { caFile, secureUrl } = server;
  using startTls = ldapDriver(server, { startTls: true, caFile });
  t.is((await startTls.check('alice', 'alice-password'))?.username, 'alice');
  t.is(await startTls.check('alice', 'wrong'), undefined);
  using ldaps = ldapDriver({ url: secureUrl }, { caFile });
  t.is((await ldaps.check('alice', 'alice-password'))?.username, 'alice');
  t.is(await ldaps.check('alice', 'wrong'), undefined);
});

withLdap('a certificate of another authority is refused, with StartTLS and with ldaps', async (t) => {
  for (const caFile of [server.otherCaFile, undefined]) {
    using startTls = ldapDriver(server, { startTls: true, caFile });
    await t.throwsAsync(startTls.check('alice', 'alice-password'), isAway);
    using ldaps = ldapDriver({ url: server.secureUrl }, { caFile });
    await t.throwsAsync(ldaps.check('alice', 'alice-password'), isAway);
  }
});

withLdap('LDAP_TLS_VERIFY=false takes any certificate', async (t) => {
  using startTls = ldapDriver(server, { startTls: true, verifyTls: false });
  t.is((await startTls.check('alice', 'alice-password'))?.username, 'alice');
  using ldaps = ldapDriver({ url: server.secureUrl }, { verifyTls: false });
  t.is((await ldaps.check('alice', 'alice-password'))?.username, 'alice');
});

withLdap('kept connections survive a restart of the directory, and its absence is told as such', async (t) => {
  const { caFile } = server;
  using plain = ldapDriver(server);
  using startTls = ldapDriver(server, { startTls: true, caFile });
  for (const driver of [plain, startTls]) t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
  await server.stop();
  for (const driver of [plain, startTls]) await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
  t.like(await plain.health(), { status: 'unhealthy' });
  await server.start();
  for (const driver of [plain, startTls]) t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
});

withLdap('a restart between two sign-ins is not noticed', async (t) => {
  t.timeout(3 * 120_000);
  const timeoutMs = 600_000; // who waits for it runs into the limit of the test
  using plain = ldapDriver(server, { timeoutMs });
  using startTls = ldapDriver(server, { timeoutMs, startTls: true, caFile: server.caFile });
  for (const driver of [plain, startTls]) t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
  await server.stop();
  await server.start();
  for (const driver of [plain, startTls]) t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
});

withLdap('a kept connection that turns out to be dead is replaced', async (t) => {
  await using proxy = await openProxy(server);
  using driver = ldapDriver(proxy);
  t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
  const { connections } = proxy.seen;
  t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
  t.is(proxy.seen.connections, connections + 1, "the service's own is kept, the user's is not");
  proxy.poison();
  t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
});

withLdap('an idle connection is closed after a while', async (t) => {
  await using proxy = await openProxy(server);
  using driver = ldapDriver(proxy, { idleMs: 1 });
  t.deepEqual(await driver.health(), { status: 'healthy' });
  await waitFor(
    async () => {
      const before = proxy.seen.connections;
      await driver.health();
      return proxy.seen.connections > before;
    },
    { description: 'a new connection', limitMs: 20_000 },
  );
  t.pass();
});

withLdap('a name that nobody has costs the directory the same questions as a wrong password', async (t) => {
  await using proxy = await openProxy(server);
  using driver = ldapDriver(proxy);
  await driver.health(); // opens the connection of the service
  const costOf = async (username: string) => {
    const before = { ...proxy.seen };
    t.is(await driver.check(username, 'wrong'), undefined);
    return { connections: proxy.seen.connections - before.connections, messages: proxy.seen.messages - before.messages };
  };
  t.deepEqual(await costOf('nobody'), await costOf('alice'));
});

withLdap('a connection that was lost is not opened again behind our back, as it would be in the clear', async (t) => {
  const ca = readFileSync(server.caFile, 'utf8');
  using connection = await openConnection(server.url, { startTls: true, verifyTls: true, ca, timeoutMs: 3_000 });
  await connection.client.unbind();
  await t.throwsAsync(connection.client.bind(ALICE, 'alice-password'));
});

withLdap('the next server is asked where the first cannot be reached', async (t) => {
  using driver = ldapDriver(server, { servers: ['ldap://127.0.0.1:1', server.url] });
  t.is((await driver.check('alice', 'alice-password'))?.username, 'alice');
  t.is(await driver.check('alice', 'wrong'), undefined);
  t.is(await driver.check('nobody', 'wrong'), undefined);
});

withLdap('many sign-ins at the same time each get their own answer', async (t) => {
  using driver = ldapDriver(server);
  const passwords = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? 'alice-password' : `wrong ${n}`));
  const answers = await Promise.all(passwords.map((password) => driver.check('alice', password)));
  t.deepEqual(
    answers.map((answer) => answer?.username),
    passwords.map((password) => (password === 'alice-password' ? 'alice' : undefined)),
  );
});

test('nothing is sent in the clear when encryption fails after the directory agreed to it', async (t) => {
  await using fake = await openFake((socket, data) => {
    if (data[0] === 0x30) socket.write(startTlsAnswer(data, GRANTED));
    else socket.destroy(); // in the middle of the handshake
  });
  using driver = ldapDriver(fake, { startTls: true, verifyTls: false });
  await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
  const text = Buffer.concat(fake.received).toString('latin1');
  t.false(text.includes('alice'));
  t.false(text.includes(SERVICE_PASSWORD));
  t.is(fake.count(), 1);
});

test('a directory that refuses encryption gets no password', async (t) => {
  await using fake = await openFake((socket, data) => socket.write(startTlsAnswer(data, PROTOCOL_ERROR)));
  using driver = ldapDriver(fake, { startTls: true });
  await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
  t.false(Buffer.concat(fake.received).toString('latin1').includes(SERVICE_PASSWORD));
});

test('a directory that never answers is abandoned', async (t) => {
  await using silent = await openFake(() => {});
  for (const startTls of [false, true]) {
    using driver = ldapDriver(silent, { timeoutMs: 200, startTls });
    const started = performance.now();
    await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
    t.true(performance.now() - started < 8_000, 'not by the limit that is usual');
  }
});

test('a handshake that never ends is abandoned', async (t) => {
  await using fake = await openFake((socket, data) => void (data[0] === 0x30 && socket.write(startTlsAnswer(data, GRANTED))));
  using driver = ldapDriver(fake, { timeoutMs: 200, startTls: true });
  const started = performance.now();
  await t.throwsAsync(driver.check('alice', 'alice-password'), isAway);
  t.true(performance.now() - started < 8_000, 'not by the limit that is usual');
});
