// REQUEST_TIMEOUT: what takes too long is answered, and ended.

import { connect } from 'node:net';
import { requestTimeout } from '@sheaf/contract';
import { openDatabase, withinDeadline } from '@sheaf/db';
import { silentLogger } from '@sheaf/process';
import { openTestDatabase } from '@sheaf/testkit';
import { z } from 'zod';
import { fullOnly } from '../../support/full-run.ts';
import { testWithApi } from '../../support/running-api.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Enough for a sign-up on a busy machine. */
const LIMIT_SECONDS = 5;

const test = testWithApi({ REQUEST_TIMEOUT: String(LIMIT_SECONDS) });

const errorOf = (body: unknown) => z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(body).error;

test('a request that waits for a locked row is answered 503, and changes nothing when the row is free again', async (t) => {
  const { admin, database } = t.context;
  const label = String((await admin.post('/api/labels', { name: 'Locked', color: '#112233' })).body['id']);
  const holder = await database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from labels where id = $1 for update', [label]);
    const { status, body, headers } = await admin.send('PUT', `/api/labels/${label}`, { name: 'Changed' });
    t.is(status, 503);
    t.like(errorOf(body), { code: 'SERVICE_UNAVAILABLE', details: { reason: 'request_timeout' } });
    t.truthy(headers.get('retry-after'));
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await waitFor(
    async () =>
      (await database.pool.query(`select 1 from pg_stat_activity where datname = current_database() and xact_start < now()`)).rowCount ===
      0,
    { description: 'its transaction to end', limitMs: 20_000 },
  );
  t.is((await admin.get(`/api/labels/${label}`)).body['name'], 'Locked');
});

test('a body that comes too slowly is answered 400 with the limit, and the connection ends', async (t) => {
  const { anyone } = t.context;
  const socket = connect(Number(new URL(anyone.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"username":');
  await ended;
  t.regex(answer, /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/s);
  t.like(JSON.parse(answer.slice(answer.indexOf('{'))), { error: { code: 'VALIDATION_ERROR', details: { limit_seconds: LIMIT_SECONDS } } });
});

fullOnly(test)('an upload may take longer, as long as bytes flow', async (t) => {
  const { admin, anyone } = t.context;
  const { body: login } = await anyone.post('/api/auth/login', { username: 'admin', password: 'correct horse battery' });
  const since = Date.now();
  const parts = async function* () {
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n');
    await waitFor(() => Date.now() - since > LIMIT_SECONDS * 1_000 + 500, { description: 'the limit to pass', limitMs: 30_000 });
    yield Buffer.from('the words of a slow sender\r\n--b--\r\n');
  };
  const answer = await fetch(`${admin.url}/api/documents/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(login['token'])}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: parts() as unknown as BodyInit,
    duplex: 'half',
  } as RequestInit);
  t.is(answer.status, 201, await answer.text());
});

test('the server ends a statement that takes longer than it may, and what the work asks after its time is refused', async (t) => {
  await using given = await openTestDatabase();
  const database = openDatabase(
    {
      url: given.url,
      maxConnections: 1,
      minConnections: 0,
      acquireTimeoutMs: 5_000,
      idleTimeoutMs: 1_000,
      maxLifetimeMs: 60_000,
      statementTimeoutMs: 200,
      applicationName: 'test',
    },
    silentLogger(),
  );
  try {
    await t.throwsAsync(database.pool.query('select pg_sleep(60)'), { code: '57014' });
    const deadline: { over: Error | undefined } = { over: undefined };
    await database.pool.query('create table kept (n int)');
    const work = withinDeadline(deadline, () =>
      database.db.transaction(async (tx) => {
        await tx.execute('insert into kept values (1)');
        deadline.over = requestTimeout();
        await tx.execute('insert into kept values (2)');
      }),
    );
    const isTimeout = { code: 'REQUEST_TIMEOUT' };
    t.like((await t.throwsAsync(work))?.cause, isTimeout);
    const alone = await t.throwsAsync(withinDeadline(deadline, () => database.pool.query('insert into kept values (3)')));
    t.like(alone, isTimeout);
    // the one connection is whole and has no transaction: others go on with it
    t.is((await database.pool.query('select from kept')).rowCount, 0);
  } finally {
    await database.close();
  }
});
