// How connections to the database are secured, against a PostgreSQL with and one without TLS.

import { exitCodeOf } from '@sheaf/cli/testing';
import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import type { ServiceProblem, ServiceProblemCode } from '@sheaf/contract/operations';
import { completeDatabaseUrl, connectClient, type Database, findSetupError, isDatabaseUnavailable, openDatabase } from '@sheaf/db';
import { cancelStatement, DatabaseTlsError } from '@sheaf/db/testing';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase } from '@sheaf/testkit';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import test, { type ExecutionContext } from 'ava';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { givenFolder } from '../program/given-server.ts';
import { atHost, givenTlsServer, type TlsServer } from './tls-server.ts';

const HOW = 'select ssl, version from pg_stat_ssl where pid = pg_backend_pid()';
const USER = 'select current_user as name';

interface Opened extends AsyncDisposable {
  readonly database: Database;
  readonly url: Secret;
}

/** As a process opens it with this environment. */
const opening = async (t: ExecutionContext, environment: Record<string, string>): Promise<Opened> => {
  const { database: settings } = loadConfig({ environment: { DATA_PATH: await givenFolder(t), ...environment } }).config;
  const url = completeDatabaseUrl(settings.url ?? new Secret(''), settings);
  const database = openDatabase({ ...settings, minConnections: 0, url, applicationName: 'tls test' }, silentLogger());
  return { database, url, [Symbol.asyncDispose]: () => database.close() };
};

/** Whether the pool, and a connection outside of it, are encrypted. Rejects as these do. */
const isEncrypted = async (t: ExecutionContext, environment: Record<string, string>): Promise<boolean> => {
  await using opened = await opening(t, environment);
  // at once, as the pool learns from the first what the server has
  const answers = await Promise.all([1, 2, 3].map(() => opened.database.pool.query<{ ssl: boolean }>(HOW)));
  const alone = await connectClient(opened.url, { applicationName: 'tls test' });
  const { rows } = await alone.query<{ ssl: boolean }>(HOW);
  await alone.end();
  const all = new Set([...answers.map((answer) => answer.rows[0]?.ssl), rows[0]?.ssl]);
  t.is(all.size, 1);
  return all.has(true);
};

const refusal = async (t: ExecutionContext, environment: Record<string, string>, code: ServiceProblemCode, error = /^/): Promise<void> => {
  await using opened = await opening(t, environment);
  const fromPool = await t.throwsAsync(opened.database.db.execute('select 1'));
  const assertProblem = ({ problem }: { readonly problem: ServiceProblem | undefined }): void => {
    t.is(problem?.code, code);
    t.regex(JSON.stringify(problem?.details), error);
  };
  assertProblem(findSetupError(fromPool) ?? { problem: undefined });
  t.true(isDatabaseUnavailable(fromPool), 'a request is answered 503');
  t.is(exitCodeOf(fromPool), EXIT.configuration);
  const alone = await t.throwsAsync(connectClient(opened.url, { applicationName: 'tls test' }), { instanceOf: DatabaseTlsError });
  assertProblem(alone);
  t.is(alone.exitCode, EXIT.configuration);
};

let server: Promise<TlsServer> | undefined;
const teardowns: (() => Promise<void>)[] = [];
const tlsServer = (): Promise<TlsServer> => (server ??= givenTlsServer({ teardown: (fn) => teardowns.push(fn) }));
test.after.always(async () => {
  for (const teardown of teardowns.toReversed()) await teardown();
});

test('DATABASE_SSL_MODE decides whether a server with TLS is spoken to with TLS', async (t) => {
  const { url } = await tlsServer();
  t.true(await isEncrypted(t, { DATABASE_URL: url }), 'prefer is the default');
  t.true(await isEncrypted(t, { DATABASE_URL: url, DATABASE_SSL_MODE: 'require' }));
  t.false(await isEncrypted(t, { DATABASE_URL: url, DATABASE_SSL_MODE: 'disable' }));
});

test('of a server without TLS, prefer takes what there is and require says which variable is in the way', async (t) => {
  await using database = await openTestDatabase();
  const url = database.url.reveal();
  t.false(await isEncrypted(t, { DATABASE_URL: url }));
  await refusal(t, { DATABASE_URL: url, DATABASE_SSL_MODE: 'require' }, 'database_tls_unsupported');
});

test('DATABASE_SSL_ROOT_CERT has the certificate and the name of the server checked', async (t) => {
  const { url, files } = await tlsServer();
  for (const DATABASE_SSL_MODE of ['require', 'prefer']) {
    const trusting = { DATABASE_SSL_MODE, DATABASE_SSL_ROOT_CERT: files.root };
    t.true(await isEncrypted(t, { DATABASE_URL: url, ...trusting }));
    await refusal(
      t,
      { DATABASE_URL: atHost(url, '127.0.0.1').reveal(), ...trusting },
      'database_certificate_untrusted',
      /not for this host name: 127\.0\.0\.1/,
    );
    await refusal(t, { DATABASE_URL: url, ...trusting, DATABASE_SSL_ROOT_CERT: files.otherRoot }, 'database_certificate_untrusted');
  }
});

fullOnly(test)(
  'of several hosts, each has to have a certificate of its own name: one with another is refused when its turn comes',
  async (t) => {
    const { url, files } = await tlsServer();
    const several = (hosts: string): string => url.replace('@localhost:', `@${hosts.replace(',', `:${new URL(url).port},`)}:`);
    const trusting = { DATABASE_SSL_MODE: 'require', DATABASE_SSL_ROOT_CERT: files.root };
    t.true(await isEncrypted(t, { DATABASE_URL: several('localhost,127.0.0.1'), ...trusting }));
    await refusal(
      t,
      { DATABASE_URL: several('127.0.0.1,localhost'), ...trusting },
      'database_certificate_untrusted',
      /not for this host name: 127\.0\.0\.1/,
    );
  },
);

test('a statement is cancelled over TLS as well, by a server that takes nothing else', async (t) => {
  const { url, files } = await tlsServer();
  await using opened = await opening(t, { DATABASE_URL: url, DATABASE_SSL_MODE: 'require', DATABASE_SSL_ROOT_CERT: files.root });
  const client = await connectClient(opened.url, { applicationName: 'tls cancel test' });
  const waiting = client.query('select pg_sleep(60)');
  await waitFor(
    async () =>
      (await opened.database.pool.query("select from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'"))
        .rowCount === 1,
    { description: 'the statement to run', limitMs: 30_000 },
  );
  cancelStatement(client);
  t.like(await t.throwsAsync(waiting), { code: '57014' });
  await client.end();
});

fullOnly(test)('sslmode in DATABASE_URL goes before DATABASE_SSL_MODE, with the checks that libpq knows', async (t) => {
  const { url, files } = await tlsServer();
  const has = (parameters: string) => isEncrypted(t, { DATABASE_URL: `${url}?${parameters}`, DATABASE_SSL_MODE: 'disable' });
  t.true(await has('sslmode=require'));
  t.true(await has(`sslmode=verify-full&sslrootcert=${files.root}`));
  t.false(await isEncrypted(t, { DATABASE_URL: `${url}?sslmode=disable`, DATABASE_SSL_MODE: 'require' }));
  await refusal(t, { DATABASE_URL: `${url}?sslmode=verify-full` }, 'database_certificate_untrusted');
  const atAddress = atHost(url, '127.0.0.1').reveal();
  t.true(await isEncrypted(t, { DATABASE_URL: `${atAddress}?sslmode=verify-ca&sslrootcert=${files.root}` }), 'the name is not asked for');
  await refusal(
    t,
    { DATABASE_URL: `${atAddress}?sslmode=verify-full&sslrootcert=${files.root}` },
    'database_certificate_untrusted',
    /127\.0\.0\.1/,
  );
});

test('DATABASE_SSL_CERT and DATABASE_SSL_KEY are shown to a server that asks for them', async (t) => {
  const { cardedUrl, files } = await tlsServer();
  await using without = await opening(t, { DATABASE_URL: cardedUrl });
  await t.throwsAsync(without.database.pool.query(USER), { message: /valid client certificate/ });
  const card = { DATABASE_SSL_CERT: files.certificate, DATABASE_SSL_KEY: files.key };
  await using opened = await opening(t, { DATABASE_URL: cardedUrl, DATABASE_SSL_MODE: 'require', ...card });
  t.deepEqual((await opened.database.pool.query(USER)).rows, [{ name: 'carded' }]);
  const unknown = { DATABASE_SSL_CERT: files.otherRoot, DATABASE_SSL_KEY: files.otherKey };
  await using stranger = await opening(t, { DATABASE_URL: cardedUrl, DATABASE_SSL_MODE: 'require', ...unknown });
  const error = await t.throwsAsync(stranger.database.pool.query(USER));
  t.is(findSetupError(error)?.problem?.code, 'database_client_certificate_rejected');
});
