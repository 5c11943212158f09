import { loadConfig } from '@sheaf/config';
import { makeProblem } from '@sheaf/contract/operations';
import { processes } from '@sheaf/db/schema';
import { FatalError, systemClock } from '@sheaf/process';
import { makeHostSecretsCheck, secretMarks } from '@sheaf/program/testing';
import { openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import test from 'ava';

const KEYS = { APP_SECRET_KEY: 'a'.repeat(32), JWT_SECRET: 'b'.repeat(32), SESSION_SECRET: 'c'.repeat(32) };
const marksOf = (name: string, changed: Partial<typeof KEYS> = {}) =>
  secretMarks(name, loadConfig({ environment: { ...KEYS, ...changed } }).config);

const check = ({ db }: TestDatabase, ...given: Parameters<typeof marksOf>): Promise<void> =>
  makeHostSecretsCheck({ db, marks: marksOf(...given), clock: systemClock }).start();

const runOn = async ({ db }: TestDatabase, host: string, seenAt: Date = new Date()): Promise<void> => {
  const facts = { secrets: marksOf('api') };
  const own = { id: crypto.randomUUID(), name: 'api', pid: 1, host, version: '1', configHash: '', memoryBytes: 1 };
  await db.insert(processes).values({ ...own, status: 'healthy', startedAt: seenAt, seenAt, facts });
};

for (const variable of ['APP_SECRET_KEY', 'JWT_SECRET', 'SESSION_SECRET'] as const)
  test(`an api with another ${variable} than that of a running host is refused`, async (t) => {
    await using database = await openTestDatabase();
    await runOn(database, 'first-host');
    await check(database, 'api');
    const error = await t.throwsAsync(check(database, 'api', { [variable]: 'd'.repeat(32) }), { instanceOf: FatalError });
    t.is(error?.exitCode, 78);
    t.deepEqual(error?.problem, makeProblem('host_secret_differs', { variable, host: 'first-host' }));
  });

test('a process needs only the secrets that it uses, and a host that is gone keeps nobody out', async (t) => {
  await using database = await openTestDatabase();
  await runOn(database, 'gone-host', new Date(Date.now() - 60_000));
  await t.notThrowsAsync(check(database, 'api', { JWT_SECRET: 'd'.repeat(32) }));
  await runOn(database, 'first-host');
  await t.notThrowsAsync(check(database, 'sync', { JWT_SECRET: 'd'.repeat(32) }));
  await t.throwsAsync(check(database, 'sync', { APP_SECRET_KEY: 'd'.repeat(32) }), { instanceOf: FatalError });
  await t.notThrowsAsync(check(database, 'ocr-worker', { APP_SECRET_KEY: 'd'.repeat(32) }));
});

test('nothing of a secret is told but what tells it from others', (t) => {
  t.deepEqual(Object.keys(marksOf('api')), ['APP_SECRET_KEY', 'JWT_SECRET', 'SESSION_SECRET']);
  for (const mark of Object.values(marksOf('api'))) t.regex(mark, /^[0-9a-f]{32}$/);
});
