// While the database is down, another program may listen on its port.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Secret } from '@sheaf/contract';
import { type Database, isDatabaseUnavailable, openDatabase } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { isOtherServer } from '@sheaf/db/sign-in';
import { silentLogger } from '@sheaf/process';
import { ownServerUrl } from '@sheaf/program/embedded-postgres';
import { openTestDatabase } from '@sheaf/testkit';
import test from 'ava';

const PASSWORD = 'never-to-be-sent';
const limits = { maxConnections: 2, minConnections: 0, acquireTimeoutMs: 20_000, idleTimeoutMs: 1_000, maxLifetimeMs: 60_000 };

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

const authentication = (code: number, more = Buffer.alloc(0)): Buffer => {
  const kind = Buffer.alloc(4);
  kind.writeInt32BE(code);
  return message('R', Buffer.concat([kind, more]));
};

const READY = message('Z', Buffer.from('I'));
const REFUSED = message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed for user "sheaf"\0\0'));

/** What servers that are not ours may answer to the first message of a client. */
const ANSWERS: Readonly<Record<string, Buffer>> = {
  'asks for the password itself': authentication(3),
  'asks for the password as MD5': authentication(5, Buffer.from('salt')),
  'lets in whoever comes': Buffer.concat([authentication(0), READY]),
  'refuses the sign-in': REFUSED,
};

for (const [name, answer] of Object.entries(ANSWERS))
  test(`a server on the port of the embedded database that ${name} gets no password, and is a database that is unavailable`, async (t) => {
    const received: Buffer[] = [];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      socket.once('data', () => socket.write(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const url = new Secret(ownServerUrl(`postgresql://sheaf:${PASSWORD}@127.0.0.1:${port}/sheaf`));
    const database = openDatabase({ ...limits, url, applicationName: 'foreign' }, silentLogger());
    t.teardown(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await database.close();
    });
    const error = await t.throwsAsync(async () => database.db.execute(sql`select ${'text of a document'}`));
    t.true(isDatabaseUnavailable(error), String(error?.cause));
    t.true(isOtherServer(error));
    const sent = Buffer.concat(received).toString('latin1');
    t.false(sent.includes(PASSWORD));
    t.false(sent.includes('text of a document'));
    t.false(/md5[0-9a-f]{32}/.test(sent));
  });

test('a database that refuses a sign-in that was good before is unavailable; one that refuses the first is configured wrongly', async (t) => {
  await using first = await openTestDatabase();
  const role = `signs_in_${first.name}`;
  await first.pool.query(`create role ${role} login password 'x'`);
  const url = new URL(first.url.reveal());
  [url.username, url.password] = [role, 'x'];
  const open = (): Database => openDatabase({ ...limits, url: new Secret(url.href), applicationName: role }, silentLogger());
  const [known, unknown] = [open(), open()];
  t.teardown(() => Promise.all([known.close(), unknown.close()]));
  await known.db.execute(sql`select 1`);
  await first.pool.query(`alter role ${role} nologin`);
  await first.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
  const refused = await t.throwsAsync(async () => {
    for (;;) await known.db.execute(sql`select 1`);
  });
  t.true(isDatabaseUnavailable(refused), String(refused?.cause));
  const wrong = await t.throwsAsync(async () => unknown.db.execute(sql`select 1`));
  t.false(isDatabaseUnavailable(wrong), String(wrong?.cause));
  await first.pool.query(`alter role ${role} login`);
  await t.notThrowsAsync(async () => known.db.execute(sql`select 1`));
  await Promise.all([known.close(), unknown.close()]);
  await first.pool.query(`drop role ${role}`);
});
