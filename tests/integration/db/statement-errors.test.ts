import { sqlState } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { documentPages, users } from '@sheaf/db/schema';
import { makeLogger } from '@sheaf/process';
import { errorText } from '@sheaf/process/errors';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import anyTest, { type TestFn } from 'ava';
import { keepLines } from '../../support/log-lines.ts';

const test = anyTest as TestFn<{ database: TestDatabase }>;

const MARK = 'Minutes of the board, confidential';
const PAGE = `${MARK}. `.repeat(10_000);
const NO_DOCUMENT = '00000000-0000-7000-8000-000000000000';
const PAGE_OF_NONE = { documentId: NO_DOCUMENT, page: 1, content: PAGE, confidence: 1, origin: 'ocr' } as const;

test.before(async (t) => {
  t.context.database = await openTestDatabase();
});
test.after.always((t) => t.context.database[Symbol.asyncDispose]());

const failures: Readonly<Record<string, (database: TestDatabase) => Promise<unknown>>> = {
  'an insert that violates a constraint': async ({ db }) => db.insert(documentPages).values(PAGE_OF_NONE),
  'an insert in a transaction': ({ db }) => db.transaction((tx) => tx.insert(documentPages).values(PAGE_OF_NONE)),
  'a value of the wrong type': ({ db }) => db.execute(sql`select ${MARK}::uuid`),
  'a query for a search': ({ db }) => db.execute(sql`select to_tsquery('simple', ${`${MARK} & | (`})`),
  'a statement with a text in it': ({ db }) => db.execute(sql.raw(`select nothing('${MARK}')`)),
  'a statement of pg itself': ({ pool }) =>
    pool.query('insert into document_pages (document_id, page, content, confidence, origin) values ($1, 1, $2, 1, $3)', [
      NO_DOCUMENT,
      PAGE,
      'ocr',
    ]),
  'a row in what the server says of it': ({ pool }) =>
    pool.query("insert into users (id, username, email, password_hash) values (gen_random_uuid(), $1, null, 'x')", [MARK]),
};

for (const [name, fail] of Object.entries(failures))
  test(`the log has no parameter of a failed statement: ${name}`, async (t) => {
    const error = await t.throwsAsync(() => fail(t.context.database));
    for (const format of ['json', 'text'] as const) {
      const { output, text } = keepLines();
      const log = makeLogger({ level: 'debug', format }, 'test', output);
      log.error({ err: error }, 'failed');
      log.warn({ err: new Error('outer', { cause: error }), other: [error] }, errorText(error));
      log.warn(error);
      t.false(text().includes('Minutes'), text().slice(0, 2_000));
      t.true(text().includes(String(sqlState(error))));
    }
  });

test('an error of the query layer names its statement and its constraint, also where its message is stored', async (t) => {
  const error = await t.throwsAsync(async () => failures['an insert in a transaction']?.(t.context.database));
  t.like(error, { name: 'StatementError', statement: 'insert into document_pages' });
  t.is(sqlState(error), '23503');
  t.regex(error?.message ?? '', /^insert into document_pages failed: .*document_pages/);
  t.false(JSON.stringify(Object.entries(error ?? {})).includes('Minutes'));
  const query = t.context.database.db.select().from(users).where(sql`nothing(${MARK})`);
  t.like(await t.throwsAsync(async () => query), { statement: 'select from users', code: '42883' });
});
