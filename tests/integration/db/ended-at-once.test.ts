import { createServer, type Socket } from 'node:net';
import { Secret } from '@sheaf/contract';
import { isDatabaseUnavailable, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import test from 'ava';

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

const SIGNED_IN = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

test('a server that shuts down in the moment of a connection fails the statement and ends no process', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    // all in one packet: the connection is made and lost before anybody was told that it is made
    socket.once('data', () => socket.end(Buffer.concat([SIGNED_IN, READY, SHUTTING_DOWN])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const database = openDatabase(
    {
      url: new Secret(`postgres://sheaf@127.0.0.1:${address.port}/sheaf?sslmode=disable`),
      maxConnections: 1,
      minConnections: 0,
      acquireTimeoutMs: 10_000,
      idleTimeoutMs: 1_000,
      maxLifetimeMs: 60_000,
      applicationName: 'test',
    },
    silentLogger(),
  );
  const error = await t.throwsAsync(database.pool.query('select 1'));
  t.true(isDatabaseUnavailable(error), String(error));
  await database.close();
});

test('a server that takes the sign-in and answers nothing more is unavailable a second after the limit of the statement', async (t) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.write(Buffer.concat([SIGNED_IN, READY])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const database = openDatabase(
    {
      url: new Secret(`postgres://sheaf@127.0.0.1:${address.port}/sheaf?sslmode=disable`),
      maxConnections: 1,
      minConnections: 0,
      acquireTimeoutMs: 10_000,
      idleTimeoutMs: 1_000,
      maxLifetimeMs: 60_000,
      statementTimeoutMs: 500,
      applicationName: 'test',
    },
    silentLogger(),
  );
  const error = await t.throwsAsync(database.pool.query('select 1'));
  t.true(isDatabaseUnavailable(error), String(error));
  for (const socket of sockets) socket.destroy();
  server.close();
  await database.close();
});
