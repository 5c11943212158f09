// Passwords and keys of sources: encrypted at rest, and told nowhere.

import { describeRoutes, makeOpenApiDocument } from '@sheaf/api/testing';
import { loadConfig } from '@sheaf/config';
import { Secret } from '@sheaf/contract';
import { openSourceSecret } from '@sheaf/sources';
import test from 'ava';
import { codeOf, givenSource, PASSWORD, s3Source, webdavSource } from '../../support/given-source.ts';
import { makeNotedLogger } from '../../support/noted-logger.ts';
import { type RunningApi, startApi } from '../../support/running-api.ts';

const KEY = 'a key of at least 32 characters, as it must be';

const withApi = async (run: (api: RunningApi, lines: readonly string[]) => Promise<void>): Promise<void> => {
  const { log, lines } = makeNotedLogger();
  const api = await startApi({ APP_SECRET_KEY: KEY }, log);
  try {
    await run(api, lines);
  } finally {
    await api.stop();
  }
};

/** Every row of every table, as text. */
const everyRow = async ({ database: { pool } }: RunningApi): Promise<string> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const texts = await Promise.all(
    tables.map(({ name }) => pool.query(`select coalesce(string_agg(t::text, ' '), '') as text from ${name} t`)),
  );
  return texts.map(({ rows }) => (rows[0] as { text: string }).text).join(' ');
};

test('a secret is in no answer, no log line, no event, no audit entry and no row', async (t) => {
  await withApi(async (api, lines) => {
    const { admin } = api;
    const answers: unknown[] = [];
    const note = async <T>(answer: Promise<T>): Promise<T> => {
      answers.push(await answer);
      return answer;
    };
    for (const source of [webdavSource(), s3Source()]) {
      const path = `/api/sources/${await givenSource(admin, source)}`;
      await note(admin.get(path));
      await note(admin.send('PUT', path, { password: `${PASSWORD}-again` }));
      await note(admin.send('PUT', path, { password: `${PASSWORD}-again`, name: 7 }));
      await note(admin.send('PUT', path, { password: `${PASSWORD}-again`, url: `https://x:${PASSWORD}@dav.example.org/` }));
      await note(admin.post('/api/sources/test', { id: path.split('/').at(-1) ?? '', url: 'http://127.0.0.1:1/', password: PASSWORD }));
    }
    await note(admin.post('/api/sources', webdavSource({ type: 'nothing' })));
    await note(admin.post('/api/sources/test', webdavSource({ url: 'http://127.0.0.1:1/', name: undefined })));
    await note(admin.get('/api/sources'));
    await note(admin.get('/api/audit?per_page=100'));
    t.true(answers.length > 10);
    t.false(JSON.stringify(answers).includes('geheimnis'));
    t.true(lines.length > 10);
    t.false(lines.join('\n').includes('geheimnis'));
    const rows = await everyRow(api);
    t.true(rows.includes('dav.example.org') && rows.includes('source.updated'));
    t.false(rows.includes('geheimnis'));
    t.false(rows.includes(Buffer.from(PASSWORD).toString('base64').slice(0, 20)));
  });
});

test('a secret opens for its own source and with its own key only', async (t) => {
  await withApi(async ({ admin, database }) => {
    const [mine, other] = [await givenSource(admin), await givenSource(admin)];
    const { rows } = await database.pool.query<{ sealed_secret: string }>('select sealed_secret from sources where id = $1', [mine]);
    const sealed = rows[0]?.sealed_secret ?? '';
    t.is(openSourceSecret(sealed, mine, new Secret(KEY))?.reveal(), PASSWORD);
    t.is(openSourceSecret(sealed, other, new Secret(KEY)), undefined);
    t.is(openSourceSecret(sealed, mine, new Secret(`${KEY}!`)), undefined);

    await database.pool.query('update sources set sealed_secret = $1 where id = $2', [sealed, other]);
    const moved = await admin.post('/api/sources/test', { id: other });
    t.like(moved, { status: 200, body: { success: false } });
    t.regex(String(moved.body['message']), /cannot be decrypted.*APP_SECRET_KEY/);
    t.is(codeOf(moved), undefined);
  });
});

test('the interface’s text has no example of a secret', (t) => {
  const { config } = loadConfig({ environment: {} });
  const text = JSON.stringify(makeOpenApiDocument(describeRoutes(config).filter(({ path }) => path.includes('sources'))));
  t.regex(text, /CreateWebdavSource/);
  t.notRegex(text, /"examples?":/);
});
