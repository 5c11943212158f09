// Which database is used: DATABASE_URL and POSTGRES_*, from the variables to the session in the server.
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { loadConfig } from '@sheaf/config';
import { completeDatabaseUrl, isDatabaseUnavailable, openDatabase } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test, { type ExecutionContext } from 'ava';
import { givenFolder } from '../program/given-server.ts';

type Session = Record<'name' | 'role' | 'host' | 'port', string>;

const sessionWith = async (t: ExecutionContext, environment: Record<string, string>): Promise<Session | undefined> => {
  const { database: settings } = loadConfig({ environment: { DATA_PATH: await givenFolder(t), ...environment } }).config;
  if (settings.url === undefined) return undefined;
  const database = openDatabase(
    { ...settings, url: completeDatabaseUrl(settings.url, settings), applicationName: 'which' },
    silentLogger(),
  );
  try {
    const query = `select current_database() as name, current_user as role, host(inet_server_addr()) as host, inet_server_port()::text as port`;
    return (await database.pool.query<Session>(query)).rows[0];
  } finally {
    await database.close();
  }
};

const partsOf = ({ url: secret }: TestDatabase): Record<string, string> => {
  const url = new URL(secret.reveal());
  return {
    POSTGRES_HOST: url.hostname,
    POSTGRES_PORT: url.port,
    POSTGRES_DB: url.pathname.slice(1),
    POSTGRES_USER: decodeURIComponent(url.username),
    POSTGRES_PASSWORD: decodeURIComponent(url.password),
  };
};

test('POSTGRES_* say where the database is, each its part, and DATABASE_URL goes before them', async (t) => {
  await using one = await openTestDatabase({ empty: true });
  await using other = await openTestDatabase({ empty: true });
  const role = `role_${one.name}`;
  await one.pool.query(`create role ${role} login password 'it''s @/:%'`);
  t.teardown(async () => {
    await using last = await openTestDatabase({ empty: true });
    await last.pool.query(`drop role ${role}`);
  });
  const parts = partsOf(one);
  const session = { name: one.name, role: parts['POSTGRES_USER'], host: '127.0.0.1', port: parts['POSTGRES_PORT'] };
  t.deepEqual(await sessionWith(t, parts), session);
  t.deepEqual(await sessionWith(t, { ...parts, POSTGRES_DB: other.name }), { ...session, name: other.name });
  const as = { POSTGRES_USER: role, POSTGRES_PASSWORD: "it's @/:%" };
  t.deepEqual(await sessionWith(t, { ...parts, ...as }), { ...session, role });
  t.deepEqual(await sessionWith(t, { ...parts, POSTGRES_HOST: 'localhost' }), session);
  t.deepEqual(await sessionWith(t, { ...parts, POSTGRES_DB: 'nowhere', DATABASE_URL: one.url.reveal() }), session);
  t.is(await sessionWith(t, {}), undefined, 'the embedded one');

  await t.throwsAsync(sessionWith(t, { ...parts, POSTGRES_PASSWORD: 'wrong' }), { code: '28P01' });
  t.true(isDatabaseUnavailable(await t.throwsAsync(sessionWith(t, { ...parts, POSTGRES_PORT: '1' }))));
  t.true(isDatabaseUnavailable(await t.throwsAsync(sessionWith(t, { ...parts, POSTGRES_HOST: 'nowhere.invalid' }))));
});

test('POSTGRES_HOST may be the folder of a socket', async (t) => {
  await using one = await openTestDatabase({ empty: true });
  const { POSTGRES_HOST: host = '', POSTGRES_PORT: port = '', ...who } = partsOf(one);
  const folder = await givenFolder(t);
  const server = createServer((socket) => {
    const real = connect(Number(port), host);
    socket.on('error', () => real.destroy()).pipe(real);
    real.on('error', () => socket.destroy()).pipe(socket);
  });
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.7654'), resolve));
  t.like(await sessionWith(t, { ...who, POSTGRES_HOST: folder, POSTGRES_PORT: '7654' }), { name: one.name });
});

test('neither an error of a connection nor what is printed of a pool has the password', async (t) => {
  const DATABASE_URL = 'postgresql://ann:open-sesame@127.0.0.1:1/papers';
  const error = await t.throwsAsync(sessionWith(t, { DATABASE_URL }));
  const { database: settings } = loadConfig({ environment: { DATA_PATH: await givenFolder(t), DATABASE_URL } }).config;
  t.false(inspect([error, settings], { depth: 20, showHidden: true }).includes('open-sesame'));
  t.false(JSON.stringify([error, settings]).includes('open-sesame'));
});
